package definition

import (
	"strings"

	"mcpproxy/internal/text"
)

// where is the purpose of a string in a definition.
type where int

const (
	prose  where = iota // a description, or a server's instructions; people read it
	output              // a description in an output schema
	label               // a name or a title
	value               // a default, an enumeration, an example, a comment, metadata
)

// inProse and outsideProse distinguish descriptions from other strings.
func inProse(w where) bool      { return w == prose }
func outsideProse(w where) bool { return w != prose }

// anywhere accepts every place.
func anywhere(where) bool { return true }

// placeOf returns the place of the string at path.
func placeOf(path string, kind text.Kind) where {
	if kind == text.Key || path == "name" {
		return label
	}
	for _, inside := range [...]string{".examples", ".default", ".enum", ".const", "_meta", ".example", ".$comment", "[\"$comment\"]"} {
		if strings.Contains(path, inside) {
			return value
		}
	}
	switch {
	case path == "description" || path == string(KindInstructions):
		return prose
	case strings.HasPrefix(path, "outputSchema") && strings.HasSuffix(path, ".description"):
		return output
	case (strings.HasPrefix(path, "inputSchema") || strings.HasPrefix(path, "arguments")) && strings.HasSuffix(path, ".description"):
		return prose
	case path == "title" || strings.HasSuffix(path, ".title") || strings.HasSuffix(path, ".name"):
		return label
	}
	return value
}

// isField reports whether the string at path describes a parameter.
func isField(path string) bool {
	return strings.HasSuffix(path, ".description") &&
		(strings.HasPrefix(path, "inputSchema") || strings.HasPrefix(path, "arguments"))
}
