package journal

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAnAnswerIsCutBetweenCharacters(t *testing.T) {
	for name, c := range map[string]struct {
		in         string
		limit, min int // minimum number of bytes that are left
	}{
		"letters":                   {strings.Repeat("a", 100), 50, 50},
		"characters of three bytes": {strings.Repeat("漢", 100), 100, 99},
		"one more byte":             {"a" + strings.Repeat("漢", 100), 100, 100},
		"characters of four bytes":  {strings.Repeat("😀", 100), 103, 100},
		"letters after such":        {strings.Repeat("漢", 30) + strings.Repeat("a", 100), 100, 100},
	} {
		t.Run(name, func(t *testing.T) {
			out, cut := shorten([]byte(c.in), c.limit)
			var s string
			if err := json.Unmarshal(out, &s); err != nil || !cut || !utf8.ValidString(s) {
				t.Fatalf("%q, %v", out, err)
			}
			if s = strings.ReplaceAll(s, "\ufffd", "?"); len(s) < c.min || len(s) > c.limit {
				t.Errorf("%d bytes are left", len(s))
			}
		})
	}
}
