package token

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
)

// Scope is what an agent's token is for. An empty scope is everything.
type Scope struct {
	Servers    []string             `json:"servers,omitempty"`    // all of these servers,
	Tools      []string             `json:"tools,omitempty"`      // and of others these tools: "server:tool"
	Operations []mcpproxy.Operation `json:"operations,omitempty"` // read, write, destructive; all when empty
}

// All reports whether the scope limits nothing.
func (s Scope) All() bool { return len(s.Servers)+len(s.Tools)+len(s.Operations) == 0 }

// Operations are those that a scope can name.
var Operations = []mcpproxy.Operation{mcpproxy.Read, mcpproxy.Write, mcpproxy.Destructive}

// maxEntries bounds each list of a scope.
const maxEntries = 1000

// Check says why a scope means nothing.
func (s Scope) Check() error {
	for _, name := range s.Servers {
		if name == "" || strings.Contains(name, ":") {
			return fmt.Errorf("%q is not a valid server name: it is empty or has a colon", name)
		}
	}
	for _, name := range s.Tools {
		if server, tool, ok := strings.Cut(name, ":"); !ok || server == "" || tool == "" {
			return fmt.Errorf("%q is not a tool: write SERVER:TOOL", name)
		}
	}
	for _, op := range s.Operations {
		if !slices.Contains(Operations, op) {
			return fmt.Errorf("invalid operation %q: must be read, write or destructive", op)
		}
	}
	if max(len(s.Servers), len(s.Tools)) > maxEntries {
		return errors.New("its scope names more than 1000 servers or tools")
	}
	return nil
}

// plumbing are the methods by which a client and a server get along. They carry
// no data of the user's.
var plumbing = []string{"initialize", "ping", "server/discover", "tools/list", "prompts/list", "resources/list",
	"resources/templates/list", "logging/setLevel", "subscriptions/listen"}

// Refuses says why a call that does op is outside what the token is for; "" when
// it is not. The text is for the agent and the log.
//
// A tool that nothing says anything about counts as one that writes. Beside its
// tools, a server that is named as a whole opens its resources, prompts and other
// methods; where operations are limited these count as reading, and methods that
// are not known as writing.
func (t Token) Refuses(c *mcpproxy.Call, op mcpproxy.Operation) string {
	if t.Role == Auditor {
		return fmt.Sprintf("The token %q is an auditor's: it calls no tools.", t.Name)
	}
	reached, lacking := t.Scope.holds(c, op)
	switch {
	case !reached:
		return fmt.Sprintf("The token %q is not for %s: it is for %s.", t.Name, wanted(c), t.Scope)
	case lacking != "":
		return fmt.Sprintf(
			"The token %q is not for calls that are %s, such as %s: it is for %s.",
			t.Name,
			lacking,
			wanted(c),
			t.Scope,
		)
	}
	return ""
}

// holds reports whether the scope reaches what a call that does op is for, and which of the
// operations that the call does the scope lacks; "" for none.
func (s Scope) holds(c *mcpproxy.Call, op mcpproxy.Operation) (reached bool, lacking mcpproxy.Operation) {
	if s.All() || c.Kind == mcpproxy.KindScript {
		return true, "" // a script does nothing but by calls of its own, each of which is held to the scope
	}
	if c.PageOf != "" { // the rest of a result of which the caller has the first page
		return s.reaches(&mcpproxy.Call{Kind: mcpproxy.KindTool, Server: c.Server, Tool: c.PageOf}, false), ""
	}
	protocol := c.Kind == mcpproxy.KindMethod &&
		(slices.Contains(plumbing, c.Tool) || strings.HasPrefix(c.Tool, "notifications/"))
	if !s.reaches(c, protocol) {
		return false, ""
	}
	if protocol || c.Kind == mcpproxy.KindAnswer || len(s.Operations) == 0 {
		return true, ""
	}
	for _, does := range does(c, op) {
		if !slices.Contains(s.Operations, does) {
			return true, does
		}
	}
	return true, ""
}

// Scopes are what a caller without a token may use, such as the member of several groups: what
// one of them permits is permitted. Without any, nothing is.
type Scopes []Scope

// Refuses says why a call that does op is outside what the caller may use; "" when it is not.
// The text is for the agent and the log.
func (all Scopes) Refuses(c *mcpproxy.Call, op mcpproxy.Operation) string {
	var may []string
	for _, s := range all {
		if reached, lacking := s.holds(c, op); reached && lacking == "" {
			return ""
		}
		may = append(may, s.String())
	}
	if len(may) == 0 {
		return fmt.Sprintf("The configuration no longer lets %q use anything.", c.Principal)
	}
	return fmt.Sprintf("%q may not use %s: the configuration lets it use %s.", c.Principal, wanted(c), strings.Join(may, "; or "))
}

// Permits reports whether the caller may make any calls that do op.
func (all Scopes) Permits(op mcpproxy.Operation) bool {
	return slices.ContainsFunc(all, func(s Scope) bool {
		return len(s.Operations) == 0 || slices.Contains(s.Operations, op)
	})
}

// reaches reports whether the scope holds the call's server or tool.
func (s Scope) reaches(c *mcpproxy.Call, protocol bool) bool {
	if len(s.Servers)+len(s.Tools) == 0 || slices.Contains(s.Servers, c.Server) {
		return true
	}
	if c.Kind == mcpproxy.KindTool {
		return slices.Contains(s.Tools, c.Server+":"+c.Tool)
	}
	// What belongs to the conversation with a server of which a tool may be used.
	return (protocol || c.Kind == mcpproxy.KindAnswer) &&
		slices.ContainsFunc(s.Tools, func(name string) bool { return strings.HasPrefix(name, c.Server+":") })
}

// does is what the call does, by what is known about it and by what the agent
// says itself.
func does(c *mcpproxy.Call, op mcpproxy.Operation) []mcpproxy.Operation {
	switch {
	case c.Kind == mcpproxy.KindMethod && !strings.HasPrefix(c.Tool, "resources/"):
		op = mcpproxy.Write
	case c.Kind != mcpproxy.KindTool:
		op = mcpproxy.Read
	case !slices.Contains(Operations, op):
		op = mcpproxy.Write
	}
	if said := c.Intent.Operation; slices.Contains(Operations, said) && said != op {
		return []mcpproxy.Operation{op, said}
	}
	return []mcpproxy.Operation{op}
}

func wanted(c *mcpproxy.Call) string {
	if c.Kind == mcpproxy.KindTool {
		return c.Server + ":" + c.Tool
	}
	return fmt.Sprintf("the %s %s of %s", c.Kind, c.Tool, c.Server)
}

// maxTold is how many names of a scope are told.
const maxTold = 10

// String says the scope in words.
func (s Scope) String() string {
	if s.All() {
		return "everything"
	}
	names := slices.Concat(s.Servers, s.Tools)
	out := "all servers"
	if len(names) > 0 {
		out = strings.Join(names[:min(len(names), maxTold)], ", ")
		if len(names) > maxTold {
			out += fmt.Sprintf(" and %d more", len(names)-maxTold)
		}
	}
	if len(s.Operations) > 0 {
		var ops []string
		for _, op := range s.Operations {
			ops = append(ops, string(op))
		}
		out += " (" + strings.Join(ops, ", ") + " only)"
	}
	return out
}

// Permits reports whether the token is for any calls that do op.
func (t Token) Permits(op mcpproxy.Operation) bool {
	return t.Role != Auditor && (len(t.Operations) == 0 || slices.Contains(t.Operations, op))
}

// Reaches are the servers that the scope names, itself or by a tool.
func (s Scope) Reaches() []string {
	out := slices.Clone(s.Servers)
	for _, name := range s.Tools {
		server, _, _ := strings.Cut(name, ":")
		out = append(out, server)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
