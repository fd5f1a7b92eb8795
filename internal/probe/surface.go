package probe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/probe/raw"
	"mcpproxy/internal/wire"
)

// surface is what the server declares, in its order.
type surface struct {
	tools        []tool
	prompts      []json.RawMessage
	resources    []json.RawMessage
	templates    []json.RawMessage
	instructions string
	endless      string // why a list was not read to its end; "" for all that were
}

// tool is a declared tool.
type tool struct {
	name      string
	schema    json.RawMessage // of its arguments
	raw       json.RawMessage
	operation mcpproxy.Operation
	cost      int // orders tools: the harmless and simple ones first
}

// The bounds of what is read of a server.
const (
	maxPages    = 50
	maxTools    = 10000
	maxDeclared = 32 << 20 // bytes of all lists together
)

// declared reads everything that the server declares.
func (r *runner) declared() (surface, error) {
	s := surface{instructions: wire.String(r.conn.Hello, "instructions")}
	left := maxDeclared
	list := func(capability, method, member string, into *[]json.RawMessage) error {
		if wire.Member(r.conn.Hello, "capabilities", capability) == nil {
			return nil
		}
		all, endless, err := r.list(method, member, &left)
		*into, s.endless = all, cmp.Or(s.endless, endless)
		return err
	}
	var tools []json.RawMessage
	if err := list("tools", "tools/list", "tools", &tools); err != nil {
		return s, err
	}
	for _, one := range []struct {
		capability, method, member string
		into                       *[]json.RawMessage
	}{{"prompts", "prompts/list", "prompts", &s.prompts}, {"resources", "resources/list", "resources", &s.resources},
		{"resources", "resources/templates/list", "resourceTemplates", &s.templates}} {
		_ = list(one.capability, one.method, one.member, one.into) // tests say so where it matters
	}
	for _, t := range tools {
		s.tools = append(s.tools, parseTool(t))
	}
	return s, nil
}

// list reads a list, page by page, for as long as bytes are left for all of them.
// Endless says why it was not read to its end.
func (r *runner) list(
	method, member string,
	left *int,
) (all []json.RawMessage, endless string, err error) {
	cursor := ""
	for range maxPages {
		var params any
		if cursor != "" {
			params = map[string]string{"cursor": cursor}
		}
		ctx, cancel := r.patient()
		a := r.conn.Request(ctx, method, encode(params))
		cancel()
		if !a.OK() {
			return all, "", fmt.Errorf("%s: the server %s", method, noList(a.Err, errorText(a)))
		}
		var page []json.RawMessage
		if err := json.Unmarshal(wire.Member(a.Result, member), &page); err != nil {
			return all, "", fmt.Errorf("%s: the server's list cannot be read", method)
		}
		if *left -= len(a.Result); *left < 0 {
			return all, fmt.Sprintf("together they have more than %d MB", maxDeclared>>20), nil
		}
		all = append(all, page...)
		if cursor = wire.String(a.Result, "nextCursor"); cursor == "" {
			return all, "", nil
		}
		if len(all) > maxTools {
			return all, fmt.Sprintf("after %d entries there is still a next page", len(all)), nil
		}
	}
	return all, fmt.Sprintf("after %d pages there is still a next one", maxPages), nil
}

func noList(err error, text string) string {
	if err != nil {
		return "does not answer: " + err.Error()
	}
	return "refuses: " + shown(text)
}

func parseTool(definition json.RawMessage) tool {
	var d struct {
		Name        string          `json:"name"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations struct{ ReadOnlyHint, DestructiveHint *bool }
	}
	_ = json.Unmarshal(definition, &d) // what cannot be read has no name, and is not called
	def := &mcpproxy.Tool{
		Name:        d.Name,
		InputSchema: d.InputSchema,
		ReadOnly:    d.Annotations.ReadOnlyHint,
		Destructive: d.Annotations.DestructiveHint,
	}
	t := tool{
		d.Name,
		d.InputSchema,
		definition,
		(&classify.Classifier{}).Operation(d.Name, def, nil),
		len(schemaOf(d.InputSchema).required()),
	}
	if t.operation != mcpproxy.Read {
		t.cost += 1000
	}
	return t
}

func (s surface) names() []string {
	var out []string
	for _, t := range s.tools {
		out = append(out, t.name)
	}
	return out
}

// forbidden says why a tool is not called; "" for one that is.
func (o *Options) forbidden(t tool) string {
	named := slices.Contains(o.AllowedTools, t.name)
	switch {
	case t.name == "":
		return "its definition cannot be read"
	case slices.Contains(o.BlockedTools, t.name):
		return "it is blocked"
	case slices.Contains(o.OutOfScopeTools, t.name):
		return "it is said to be out of scope"
	case len(o.AllowedTools) > 0 && !named:
		return "it is not among the allowed tools"
	case t.operation == mcpproxy.Destructive && !o.AllowDestructive:
		return "it looks destructive (--allow-destructive calls it)"
	case t.operation == mcpproxy.Write && !named && !o.AllowDestructive:
		return fmt.Sprintf("it writes (--allow-tool %s calls it)", shown(t.name))
	}
	return ""
}

// callable are the tools that may be called, at most n: those that read first,
// and of these the ones with the fewest arguments that must be given.
func (r *runner) callable(n int) []tool {
	var out []tool
	seen := map[string]bool{}
	for _, t := range r.surface.tools {
		if !seen[t.name] && r.options.forbidden(t) == "" {
			out = append(out, t)
			seen[t.name] = true
		}
	}
	slices.SortStableFunc(out, func(a, b tool) int { return a.cost - b.cost })
	return out[:min(n, len(out))]
}

// maxWorking is how many tools are called to find one that works.
const maxWorking = 5

// working is the first tool that answers a harmless call with a success, and the
// arguments of that call. When none does, it is the first one that may be called. It is
// not ok when none may be called. The calls are made once in a run.
func (r *runner) working() (t tool, args json.RawMessage, ok bool) {
	if r.control == nil {
		r.control = &control{}
		for _, one := range r.callable(maxWorking) {
			encoded, _ := json.Marshal(schemaOf(one.schema).arguments(nil)) // made of JSON
			answer := r.call(one.name, encoded)
			if !r.control.called || succeeded(answer) {
				*r.control = control{
					tool:   one,
					args:   encoded,
					answer: answer,
					called: true,
					works:  succeeded(answer),
				}
			}
			if r.control.works {
				break
			}
		}
	}
	return r.control.tool, r.control.args, r.control.called
}

// control is a harmless call, and what came of it.
type control struct {
	tool   tool
	args   json.RawMessage
	answer raw.Answer
	called bool // there was a tool to call
	works  bool // it was answered with a success
}

// noTool is why a test that calls tools cannot be made.
func (r *runner) noTool() string {
	if len(r.surface.tools) == 0 {
		return "the server declares no tools"
	}
	return fmt.Sprintf(
		"none of the server's %d tools may be called: %s",
		len(r.surface.tools),
		r.options.forbidden(r.surface.tools[0]),
	)
}

// uses are the declared tools and whether they may be called.
func (r *runner) uses() []ToolUse {
	var out []ToolUse
	for _, t := range r.surface.tools[:min(len(r.surface.tools), 200)] {
		why := r.options.forbidden(t)
		out = append(out, ToolUse{shown(t.name), string(t.operation), why == "", why})
	}
	return out
}
