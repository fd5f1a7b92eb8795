package main

import (
	"bufio"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/trust"
)

func TestThePersonAtTheTerminalIsAskedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		answer   string
		approved bool
		says     string
		err      bool
	}{
		"yes":     {"y\n", true, "1 approved", false},
		"no":      {"n\n", false, "mcpproxy trust baseline shop", false},
		"nothing": {"\n", false, "They stay held", false},
		"nobody":  {"", false, "[y/N]", true},
	} {
		t.Run(name, func(t *testing.T) {
			scan := func(due, _ []trust.Definition) (out []trust.Finding) {
				for _, d := range due {
					if d.Name == "bad" {
						out = append(out, trust.Finding{Key: d.Key, Hard: true, Signals: []trust.Observed{{Check: "x"}}})
					}
				}
				return out
			}
			s, err := trust.Open(filepath.Join(t.TempDir(), "trust.json"), trust.Rules{Enabled: true, QuarantineNew: true}, trust.Deps{Scan: scan})
			if err != nil {
				t.Fatal(err)
			}
			d := &daemon{trust: s, catalog: catalog.New()}
			s.Observe("shop", trust.Tool, []json.RawMessage{json.RawMessage(`{"name":"price"}`), json.RawMessage(`{"name":"bad"}`)}, true)
			var out strings.Builder
			if err := d.ask(&out, bufio.NewReader(strings.NewReader(c.answer)), "shop"); (err != nil) != c.err {
				t.Error(err)
			}
			held := s.Held(&mcpproxy.Call{Kind: mcpproxy.KindTool, Server: "shop", Tool: "price"}) != ""
			if held == c.approved || !strings.Contains(out.String(), c.says) {
				t.Errorf("held: %t, said:\n%s", held, out.String())
			}
			if s.Held(&mcpproxy.Call{Kind: mcpproxy.KindTool, Server: "shop", Tool: "bad"}) == "" || strings.Contains(out.String(), "bad") {
				t.Errorf("what a scan found is approved with the rest:\n%s", out.String())
			}
		})
	}
}
