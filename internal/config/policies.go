package config

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"

	"mcpproxy/internal/lazyregexp"
)

// Line returns the line, counted from 1, of the value that a JSON Pointer such as
// /security/policies/0/when selects in a configuration file. If the value does not exist, it
// returns the line of the nearest enclosing value; 0 if the file cannot be read.
func Line(raw []byte, pointer string) int {
	raw = whole(raw)
	v, err := hujson.Parse(bytes.Clone(raw))
	if err != nil {
		return 0
	}
	v.UpdateOffsets()
	for pointer != "" {
		if found := v.Find(pointer); found != nil {
			return 1 + bytes.Count(raw[:min(found.StartOffset, len(raw))], []byte("\n"))
		}
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
	return 1
}

var ruleName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// checkPolicies validates the form of the user's rules. Their conditions are checked when they are
// compiled.
func (s *Security) checkPolicies() error {
	seen := map[string]bool{}
	for _, p := range s.Policies {
		switch {
		case p.Name == "" || p.When == "":
			return bad("security.policies", "a rule needs a name and a condition (when)")
		case !ruleName().MatchString(p.Name):
			return bad(
				"security.policies",
				"%q is not a valid rule name: use at most 64 letters, digits, dashes and underscores",
				p.Name,
			)
		case seen[p.Name]:
			return bad("security.policies", "two rules are named %q", p.Name)
		}
		seen[p.Name] = true
		if err := oneOf("security.policies", p.Then, decisions...); err != nil {
			return err
		}
	}
	for _, u := range s.Suppressions {
		switch {
		case u.Rule == "":
			return bad("security.suppressions", "a suppression needs a rule")
		case u.Server == "" && u.Tool == "":
			return bad(
				"security.suppressions",
				"the suppression of %s needs a server or a tool: it holds for one of them, not for all",
				u.Rule,
			)
		}
		if _, err := u.End(); err != nil {
			return bad(
				"security.suppressions",
				"%q is not a date; write 2026-12-31 or 2026-12-31T12:00:00Z",
				u.Until,
			)
		}
	}
	return nil
}
