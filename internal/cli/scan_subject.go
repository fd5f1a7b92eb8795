package cli

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/eval"
	"mcpproxy/internal/scan/definition"
	"mcpproxy/internal/scan/source"
	"mcpproxy/internal/suggest"
)

// rowSubjects returns the rows of a corpus, each with its own context.
func rowSubjects(rows []eval.Definition) []source.Subject {
	out := make([]source.Subject, len(rows))
	for i, d := range rows {
		out[i] = source.Subject{
			View:   d.View,
			Err:    d.Err,
			Server: d.Server,
			Name:   d.Name,
			Peers:  d.Peers,
			Group:  i,
			File:   d.File,
			Row:    d.Line,
		}
	}
	return out
}

// daemonSubjects returns the definitions of all servers of the running daemon, or of one server in
// the context of the others.
func daemonSubjects(cmd *cobra.Command, g *globals, only string) ([]source.Subject, error) {
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
	var out []source.Subject
	for _, name := range names {
		var tools []api.Tool
		path := "/api/v1/servers/" + url.PathEscape(name) + "/tools"
		if err := fetch(cmd, g, path, url.Values{"kind": {"all"}, "definitions": {"true"}}, &tools); err != nil {
			return nil, fmt.Errorf("the tools of %s: %w", name, err)
		}
		for _, t := range tools {
			if t.Trust != nil && t.Trust.Listed {
				s := source.Declared(t.Server, t.Name, definition.Kind(t.Trust.Kind), t.Definition)
				s.Beside = only != "" && name != only
				out = append(out, s)
			}
		}
	}
	return out, unread(cmd, out, names, only)
}

// unread tells of servers without definitions: a server that has not been read would otherwise look
// like one in which nothing was found. It returns an error if that is the only server to scan.
func unread(cmd *cobra.Command, found []source.Subject, names []string, only string) error {
	for _, name := range names {
		of := func(s source.Subject) bool { return s.Server == name }
		if only != "" && name != only || slices.ContainsFunc(found, of) {
			continue
		}
		err := fmt.Errorf("there is nothing to scan of %s: it declares nothing, or was not read yet; see `mcpproxy upstream list`",
			term.Plain(name))
		if only != "" {
			return err
		}
		fmt.Fprintln(cmd.ErrOrStderr(), err)
	}
	return nil
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
