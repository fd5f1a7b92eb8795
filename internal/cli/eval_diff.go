package cli

import (
	"encoding/json"

	"mcpproxy/internal/trust"
)

// changedParts returns the parts of a definition that trust would show as changed.
func changedParts(before, after json.RawMessage) ([]string, error) {
	found, err := trust.Diff(before, after)
	parts := make([]string, 0, len(found))
	for _, d := range found {
		parts = append(parts, d.Part)
	}
	return parts, err
}
