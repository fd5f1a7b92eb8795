package source

import (
	"encoding/json"

	"mcpproxy/internal/scan/definition"
)

// Subject is one definition to be scanned.
type Subject struct {
	View    definition.ToolView
	Err     error // why there is no view
	Server  string
	Name    string
	Peers   []definition.ToolView
	Group   int    // those of one group are seen beside each other
	Beside  bool   // it is only there for the others to be seen beside
	File    string // where it stands; empty for a server's
	Pointer string // JSON pointer of the definition in the file
	Row     int    // line of the file, where a line is a definition
	lines   lines  // of the file's values
}

// Line is the line of the value at a pointer in the definition, or of the
// nearest around it; 0 when there is no file.
func (s *Subject) Line(pointer string) int {
	if s.Row > 0 || s.File == "" {
		return s.Row
	}
	return s.lines.at(s.Pointer + pointer)
}

// nameIn is the name that a definition which cannot be read seems to have.
func nameIn(raw json.RawMessage) string {
	var named struct{ Name string }
	if json.Unmarshal(raw, &named) != nil {
		return ""
	}
	return named.Name
}

// Declared is a definition of a kind as its server has declared it.
func Declared(server, name string, kind definition.Kind, raw json.RawMessage) Subject {
	s := Subject{Server: server, Name: name}
	switch kind {
	case definition.KindPrompt:
		s.View, s.Err = definition.FromPrompt(server, raw)
	case definition.KindInstructions:
		var says struct{ Instructions string }
		s.Err = json.Unmarshal(raw, &says)
		s.View, s.Name = definition.FromInstructions(server, says.Instructions), string(definition.KindInstructions)
	default:
		s.View, s.Err = definition.FromTool(server, raw)
	}
	return s
}
