package atomicfile

import (
	"encoding/json"
	"fmt"
)

// CheckForm returns an error for a JSON document that a newer version of this program wrote: one
// whose member version is above form. It reads nothing else, so that a new member of the document is
// not mistaken for damage.
func CheckForm(raw []byte, form int) error {
	var document struct {
		Version int `json:"version"`
	}
	if json.Unmarshal(raw, &document) != nil || document.Version <= form {
		return nil // the caller, which reads the whole document, reports the error
	}
	return fmt.Errorf("a newer version of mcpproxy wrote it, in format %d, and this version reads format %d: "+
		"use the newer version", document.Version, form)
}
