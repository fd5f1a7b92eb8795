package source

import (
	"encoding/json"

	"mcpproxy/internal/scan/definition"
)

// Subject is one definition to scan.
type Subject struct {
	View    definition.ToolView
	Err     error // why there is no view
	Server  string
	Name    string
	Peers   []definition.ToolView
	Group   int    // subjects of one group are compared with each other
	Beside  bool   // it is only compared with the others, and not reported
	File    string // the file; empty for a definition of a server
	Pointer string // JSON pointer of the definition in the file
	Row     int    // line of the file, if each line is a definition
	lines   lines  // the lines of the file's values
}

// Line returns the line of the value at a pointer in the definition, or of the nearest enclosing value; 0 if there is
// no file.
func (s *Subject) Line(pointer string) int {
	if s.Row > 0 || s.File == "" {
		return s.Row
	}
	return s.lines.at(s.Pointer + pointer)
}

// nameIn returns the probable name of a definition that cannot be read.
func nameIn(raw json.RawMessage) string {
	var named struct{ Name string }
	if json.Unmarshal(raw, &named) != nil {
		return ""
	}
	return named.Name
}

// Declared returns the subject for a definition as its server has declared it.
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
