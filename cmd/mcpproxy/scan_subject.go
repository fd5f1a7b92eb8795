package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/eval"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/suggest"
	"mcpproxy/internal/trust"
)

// subject is one definition to be scanned.
type subject struct {
	view    definition.ToolView
	err     error // why there is no view
	server  string
	name    string
	peers   []definition.ToolView
	group   int    // those of one group are seen beside each other
	beside  bool   // it is only there for the others to be seen beside
	file    string // where it stands; empty for a server's
	pointer string // JSON pointer of the definition in the file
	row     int    // line of the file, where a line is a definition
	lines   lines  // of the file's values
}

// line is the line of the value at a pointer in the definition, or of the
// nearest around it; 0 when there is no file.
func (s *subject) line(pointer string) int {
	if s.row > 0 || s.file == "" {
		return s.row
	}
	return s.lines.at(s.pointer + pointer)
}

// rowSubjects are the rows of a corpus; each is a world of its own.
func rowSubjects(rows []eval.Definition) []subject {
	out := make([]subject, len(rows))
	for i, d := range rows {
		out[i] = subject{view: d.View, err: d.Err, server: d.Server, name: d.Name, peers: d.Peers, group: i, file: d.File, row: d.Line}
	}
	return out
}

// daemonSubjects are the definitions of the running daemon's servers, or of one, seen
// beside those of all the others.
func daemonSubjects(cmd *cobra.Command, g *globals, only string) ([]subject, error) {
	var servers []api.Server
	if err := fetch(cmd, g, "/api/v1/servers", nil, &servers); err != nil {
		return nil, err
	}
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	if only != "" && !slices.Contains(names, only) {
		return nil, noSuchServer(only, names)
	}
	var out []subject
	for _, name := range names {
		var tools []api.Tool
		path := "/api/v1/servers/" + url.PathEscape(name) + "/tools"
		if err := fetch(cmd, g, path, url.Values{"kind": {"all"}, "definitions": {"true"}}, &tools); err != nil {
			return nil, fmt.Errorf("the tools of %s: %w", name, err)
		}
		for _, t := range tools {
			if t.Trust != nil && t.Trust.Listed {
				out = append(out, declaredSubject(t, only != "" && name != only))
			}
		}
	}
	return out, nil
}

// declaredSubject is a definition as the daemon keeps it.
func declaredSubject(t api.Tool, beside bool) subject {
	s := subject{server: t.Server, name: t.Name, beside: beside}
	switch t.Trust.Kind {
	case trust.Prompt:
		s.view, s.err = definition.FromPrompt(t.Server, t.Definition)
	case trust.Instructions:
		var says struct{ Instructions string }
		s.err = json.Unmarshal(t.Definition, &says)
		s.view, s.name = definition.FromInstructions(t.Server, says.Instructions), string(definition.KindInstructions)
	default:
		s.view, s.err = definition.FromTool(t.Server, t.Definition)
	}
	return s
}

func noSuchServer(name string, names []string) error {
	hint := "there are none; see `mcpproxy upstream list`"
	if near := suggest.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	} else if len(names) > 0 {
		hint = "there are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("%q is neither a file nor a server of the running mcpproxy; %s", name, hint)
}

// unreadableRisk is the risk score of a definition that cannot be read.
const unreadableRisk = 60

// unreadableFinding reports a definition that cannot be read.
func unreadableFinding(s *subject) definition.Finding {
	detail := definition.Signal{CheckID: unreadable, Tier: "hard", ThreatType: "uncategorized", Confidence: 1, Severity: mcpproxy.SeverityHigh,
		Evidence: plain(s.err.Error()), Detail: "The definition cannot be read the same way by everybody, and so not be judged."}
	return definition.Finding{Server: s.server, Kind: definition.KindTool, Tool: cmp.Or(s.name, "(no name)"), ThreatType: detail.ThreatType,
		ThreatLevel: definition.Dangerous, Severity: detail.Severity, Action: definition.Quarantine, Confidence: 1,
		Signals: []string{unreadable}, Details: []definition.Signal{detail}}
}

// nameIn is the name that a definition which cannot be read seems to have.
func nameIn(raw json.RawMessage) string {
	var named struct{ Name string }
	if json.Unmarshal(raw, &named) != nil {
		return ""
	}
	return named.Name
}
