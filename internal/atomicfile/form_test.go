package atomicfile_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/atomicfile"
)

func TestADocumentOfANewerVersionIsDistinguishedFromADamagedOne(t *testing.T) {
	for document, newer := range map[string]bool{
		`{"version": 2, "what is new": {}}`: true,
		`{"version": 1}`:                    false,
		`{"entries": []}`:                   false,
		`{"version": "2"}`:                  false,
		`{"version": 2`:                     false,
	} {
		err := atomicfile.CheckForm([]byte(document), 1)
		if (err != nil) != newer {
			t.Errorf("%s: %v", document, err)
		}
		if newer && !strings.Contains(err.Error(), "a newer version of mcpproxy wrote it, in format 2, and this version reads format 1") {
			t.Errorf("%s: %v", document, err)
		}
	}
}
