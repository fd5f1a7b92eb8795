package token

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
)

// Scope says what an agent's token permits. An empty scope permits everything.
type Scope struct {
	Servers    []string             `json:"servers,omitempty"`    // all tools of these servers
	Tools      []string             `json:"tools,omitempty"`      // and these tools of other servers: "server:tool"
	Operations []mcpproxy.Operation `json:"operations,omitempty"` // read, write, destructive; all when empty
}

// All reports whether the scope permits everything.
func (s Scope) All() bool { return len(s.Servers)+len(s.Tools)+len(s.Operations) == 0 }

// Operations are the operations that a scope can name.
var Operations = []mcpproxy.Operation{mcpproxy.Read, mcpproxy.Write, mcpproxy.Destructive}

// maxEntries is the maximum length of each list of a scope.
const maxEntries = 1000

// Check returns an error if the scope is invalid.
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

// plumbing are the methods with which a client and a server manage their connection. They carry no
// user data.
var plumbing = []string{"initialize", "ping", "server/discover", "tools/list", "prompts/list", "resources/list",
	"resources/templates/list", "logging/setLevel", "subscriptions/listen"}

// Refuses returns the reason why the token does not permit a call with the operation op; "" if it
// permits the call. The text is for the agent and the log.
//
// A tool whose operation is unknown counts as one that writes. A scope that names a whole server
// also permits its resources, prompts and other methods. If the scope limits operations, these
// count as reads, and unknown methods as writes.
func (t Token) Refuses(c *mcpproxy.Call, op mcpproxy.Operation) string {
	if t.Role == Auditor {
		return fmt.Sprintf("The token %q is an auditor's: it cannot call tools.", t.Name)
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

// holds reports whether the scope permits the target of a call, and returns the operation of the
// call that the scope does not permit; "" if it permits all.
func (s Scope) holds(c *mcpproxy.Call, op mcpproxy.Operation) (reached bool, lacking mcpproxy.Operation) {
	if s.All() || c.Kind == mcpproxy.KindScript {
		return true, "" // a script acts only through its calls, each of which is checked by itself
	}
	if c.PageOf != "" { // a further page of a result whose first page the caller has received
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

// Scopes are the scopes of a caller without a token, such as a member of several groups. They
// permit what any of them permits. An empty list permits nothing.
type Scopes []Scope

// Refuses returns the reason why the scopes do not permit a call with the operation op; "" if they
// permit the call. The text is for the agent and the log.
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

// Permits reports whether the caller may make any calls with the operation op.
func (all Scopes) Permits(op mcpproxy.Operation) bool {
	return slices.ContainsFunc(all, func(s Scope) bool {
		return len(s.Operations) == 0 || slices.Contains(s.Operations, op)
	})
}

// reaches reports whether the scope contains the call's server or tool.
func (s Scope) reaches(c *mcpproxy.Call, protocol bool) bool {
	if len(s.Servers)+len(s.Tools) == 0 || slices.Contains(s.Servers, c.Server) {
		return true
	}
	if c.Kind == mcpproxy.KindTool {
		return slices.Contains(s.Tools, c.Server+":"+c.Tool)
	}
	// Methods that a caller needs to use a tool of the server.
	return (protocol || c.Kind == mcpproxy.KindAnswer) &&
		slices.ContainsFunc(s.Tools, func(name string) bool { return strings.HasPrefix(name, c.Server+":") })
}

// does returns the operations of a call: the known one, and the one that the agent declares.
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

// maxTold is the maximum number of names of a scope that a message lists.
const maxTold = 10

// String describes the scope in words.
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

// Permits reports whether the token permits any calls with the operation op.
func (t Token) Permits(op mcpproxy.Operation) bool {
	return t.Role != Auditor && (len(t.Operations) == 0 || slices.Contains(t.Operations, op))
}

// Reaches returns the servers that the scope names, directly or through a tool.
func (s Scope) Reaches() []string {
	out := slices.Clone(s.Servers)
	for _, name := range s.Tools {
		server, _, _ := strings.Cut(name, ":")
		out = append(out, server)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
