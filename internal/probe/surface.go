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

// surface holds the server's definitions, in its order.
type surface struct {
	tools        []tool
	prompts      []json.RawMessage
	resources    []json.RawMessage
	templates    []json.RawMessage
	instructions string
	endless      string // why a list was not read completely; "" if all were
}

// tool is a declared tool.
type tool struct {
	name      string
	schema    json.RawMessage // of its arguments
	raw       json.RawMessage
	operation mcpproxy.Operation
	cost      int // sort key: harmless and simple tools come first
}

// Limits of reading a server's lists.
const (
	maxPages    = 50
	maxTools    = 10000
	maxDeclared = 32 << 20 // bytes of all lists together
)

// declared reads all lists of the server.
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
		_ = list(one.capability, one.method, one.member, one.into) // the tests report a missing list if it matters
	}
	for _, t := range tools {
		s.tools = append(s.tools, parseTool(t))
	}
	return s, nil
}

// list reads all pages of a list, within the limit for all lists together. Endless says why it was
// not read completely.
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
			return all, fmt.Sprintf("there is a next page after %d entries", len(all)), nil
		}
	}
	return all, fmt.Sprintf("there is a next page after %d pages", maxPages), nil
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
	_ = json.Unmarshal(definition, &d) // an unreadable definition has no name and is not called
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

// forbidden says why a tool is not called, or returns "".
func (o *Options) forbidden(t tool) string {
	named := slices.Contains(o.AllowedTools, t.name)
	switch {
	case t.name == "":
		return "its definition cannot be read"
	case slices.Contains(o.BlockedTools, t.name):
		return "it is blocked"
	case slices.Contains(o.OutOfScopeTools, t.name):
		return "the options list it as out of scope"
	case len(o.AllowedTools) > 0 && !named:
		return "it is not among the allowed tools"
	case t.operation == mcpproxy.Destructive && !o.AllowDestructive:
		return "it looks destructive (--allow-destructive calls it)"
	case t.operation == mcpproxy.Write && !named && !o.AllowDestructive:
		return fmt.Sprintf("it writes (--allow-tool %s calls it)", shown(t.name))
	}
	return ""
}

// callable returns at most n tools that may be called: reading tools first, and among these the
// ones with the fewest required arguments first.
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

// maxWorking is the number of tools that are called to find one that works.
const maxWorking = 5

// working returns the first tool that answers a harmless call successfully, with the arguments of
// that call. If none does, it returns the first tool that may be called. It fails if no tool may be
// called. The calls are made once in a run.
func (r *runner) working() (t tool, args json.RawMessage, ok bool) {
	if r.control == nil {
		r.control = &control{}
		for _, one := range r.callable(maxWorking) {
			encoded, _ := json.Marshal(schemaOf(one.schema).arguments(nil)) // cannot fail: made of JSON
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

// control is a harmless call and its result.
type control struct {
	tool   tool
	args   json.RawMessage
	answer raw.Answer
	called bool // a tool was called
	works  bool // the answer was a success
}

// noTool says why a test that calls tools cannot be run.
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

// uses returns the declared tools and whether they may be called.
func (r *runner) uses() []ToolUse {
	var out []ToolUse
	for _, t := range r.surface.tools[:min(len(r.surface.tools), 200)] {
		why := r.options.forbidden(t)
		out = append(out, ToolUse{shown(t.name), string(t.operation), why == "", why})
	}
	return out
}
