package atomicfile

import (
	"encoding/json"
	"fmt"
)

// CheckForm returns an error for a JSON document that a newer version of this program wrote:
// one whose member version is above form. It reads nothing else, so that what is new in the document
// is not taken for damage.
func CheckForm(raw []byte, form int) error {
	var document struct {
		Version int `json:"version"`
	}
	if json.Unmarshal(raw, &document) != nil || document.Version <= form {
		return nil // whoever reads all of it says what is wrong
	}
	return fmt.Errorf("a newer version of mcpproxy wrote it, in form %d, and this one reads form %d: "+
		"use the newer version", document.Version, form)
}
