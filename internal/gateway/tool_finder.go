package gateway

import (
	"context"
	_ "embed" // for the definitions
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/suggest"
	"mcpproxy/internal/wire"
)

// toolFinder is the toolset of /mcp: a few tools that find and call all others. An agent's context
// stays small however many servers there are.
type toolFinder struct{ g *Gateway }

func newToolFinder(g *Gateway) endpoint { return &ownEndpoint{g, &toolFinder{g}} }

func (f *toolFinder) instructions(*caller) string {
	return "Find a tool with retrieve_tools, look at it with describe_tool, and call it with call_tool_read, call_tool_write or call_tool_destructive, whichever fits what the call does. Calls are checked by mcpproxy: a call that would carry private data to an outside destination is stopped, and the answer says why."
}

// The definitions of the tools of /mcp. Parameters are flat because the schema parsers of some
// agents fail on nested objects.
var (
	//go:embed definitions/retrieve_tools.json
	retrieveDocument []byte
	//go:embed definitions/describe_tool.json
	describeDocument []byte
	//go:embed definitions/call_tool.json
	callDocument []byte

	retrieveDefinition = wire.MustCompact(retrieveDocument)
	describeDefinition = wire.MustCompact(describeDocument)
	// callDefinition is the template of call_tool_*; callDefinitionOf fills it in.
	callDefinition = string(wire.MustCompact(callDocument))
)

// variants are the call_tool_* tools, by operation.
var variants = []variant{
	{mcpproxy.Read, "only reads", true, false},
	{mcpproxy.Write, "creates, changes or sends something", false, false},
	{mcpproxy.Destructive, "deletes or overwrites something for good", false, true},
}

// variant is one call_tool_* tool.
type variant struct {
	op       mcpproxy.Operation
	effect   string // what the called tool does, as in "a tool that only reads"
	reads    bool
	destroys bool
}

// callDefinitionOf returns the definition of the tool that calls tools of one operation.
func callDefinitionOf(v variant) json.RawMessage {
	fill := strings.NewReplacer(
		"{operation}", string(v.op),
		"{effect}", v.effect,
		`"{reads}"`, strconv.FormatBool(v.reads),
		`"{destroys}"`, strconv.FormatBool(v.destroys),
	)
	return json.RawMessage(fill.Replace(callDefinition))
}

func (f *toolFinder) tools(c *caller) []json.RawMessage {
	out := []json.RawMessage{retrieveDefinition, describeDefinition}
	for _, v := range variants {
		if !f.g.gate.PermitsOperation(c.principal, c.grants, v.op) {
			continue
		}
		out = append(out, callDefinitionOf(v))
	}
	return append(out, f.g.scriptTools()...)
}

func (f *toolFinder) call(ctx context.Context, c *caller, m *wire.Message) *wire.Message {
	name, args := wire.String(m.Params, "name"), wire.Member(m.Params, "arguments")
	switch name {
	case "retrieve_tools":
		return f.retrieve(c, m, args)
	case "describe_tool":
		return f.describe(ctx, c, m, args)
	}
	for _, v := range variants {
		if name == "call_tool_"+string(v.op) {
			return f.callTool(ctx, c, m, args, v.op)
		}
	}
	if resp, ok := f.g.script(ctx, c, m, name, args); ok {
		return resp
	}
	server, tool, _ := strings.Cut(name, ":")
	if held, ok := f.g.refuseHeld(ctx, c, m, server, tool); ok {
		return held
	}
	return unknownTool(c, m, f, name, nil)
}

func (f *toolFinder) names(name, inner string) (server, tool string) {
	if strings.HasPrefix(name, "call_tool_") && inner != "" {
		name = inner
	}
	if server, tool, ok := strings.Cut(name, ":"); ok {
		return server, tool
	}
	return "", name
}

// hint suggests one of this toolset's tools or of the tools that they can call.
func (f *toolFinder) hint(c *caller, name string) string {
	server, tool, _ := strings.Cut(name, ":")
	if t, ok := f.g.catalog.Tool(server, tool); ok && f.g.permits(c, server, mcpproxy.KindTool, tool, t) {
		return fmt.Sprintf("Call it through %s, with %q as its name.", f.variant(t), name)
	}
	if absent := f.g.absent(c, server, tool); absent != "" {
		return absent
	}
	own := []string{"retrieve_tools", "describe_tool"}
	for _, v := range variants {
		own = append(own, "call_tool_"+string(v.op))
	}
	if near := suggest.Nearest(name, own); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	if near := f.g.nearest(c, name); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	return ""
}

func (f *toolFinder) retrieve(c *caller, m *wire.Message, args []byte) *wire.Message {
	query, limit := wire.String(args, "query"), 10
	if strings.TrimSpace(query) == "" {
		return invalid(m.ID, "retrieve_tools needs a query, a non-empty string")
	}
	if raw := wire.Member(args, "limit"); raw != nil && string(raw) != "null" {
		if json.Unmarshal(raw, &limit) != nil || limit < 1 {
			return invalid(m.ID, "limit must be a whole number from 1 to 50")
		}
	}
	type hit struct {
		Name        string  `json:"name"`
		Description string  `json:"description"`
		Call        string  `json:"call_with"`
		Score       float64 `json:"score"`
	}
	hits := []hit{}
	all := f.g.permitted(c, f.g.catalog.All())
	for _, h := range f.g.search(c, query, min(limit, 50)) {
		hits = append(
			hits,
			hit{h.Tool.Server + ":" + h.Tool.Name, brief(h.Tool.Description), f.variant(h.Tool), h.Score},
		)
	}
	found := map[string]any{"tools": hits, "total": len(all)}
	return wire.NewResult(m.ID, toolResult(found))
}

// variant returns the call_tool_* tool that fits a tool's operation.
func (f *toolFinder) variant(t *mcpproxy.Tool) string {
	_, op := f.g.gate.Classify(t.Server, t.Name, t)
	if op == mcpproxy.UnknownOperation {
		op = mcpproxy.Write
	}
	return "call_tool_" + string(op)
}

// brief shortens a description for a list.
func brief(s string) string {
	const limit = 300
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	return string(runes[:limit]) + "…"
}

func (f *toolFinder) describe(ctx context.Context, c *caller, m *wire.Message, args []byte) *wire.Message {
	name := wire.String(args, "name")
	if name == "" {
		return invalid(m.ID, "describe_tool needs a name, as server:tool")
	}
	server, tool, _ := strings.Cut(name, ":")
	unread := f.g.awaitTools(ctx, c, server, tool)
	t, ok := f.g.catalog.Tool(server, tool)
	if !ok || !f.g.permits(c, server, mcpproxy.KindTool, tool, t) {
		if held, ok := f.g.refuseHeld(ctx, c, m, server, tool); ok {
			return held
		}
		return unknownTool(c, m, f, name, unread)
	}
	return wire.NewResult(
		m.ID,
		toolResult(map[string]any{"server": t.Server, "call_with": f.variant(t), "definition": t.Raw}),
	)
}

// callMembers are the members that call_tool_* accept.
var callMembers = []string{
	"name",
	"args",
	"args_json",
	"intent_data_sensitivity",
	"intent_reason",
	"flow_justification",
	"flow_destination_type",
}

// sensitivities are the values of the sensitivity of data; see definitions/call_tool.json.
var sensitivities = []string{"public", "internal", "private", "unknown"}

// checkIntent refuses arguments that would otherwise be ignored: an unknown member of call_tool_*,
// and an unknown value for the sensitivity of data.
func checkIntent(in map[string]json.RawMessage) error {
	for _, member := range slices.Sorted(maps.Keys(in)) {
		if !slices.Contains(callMembers, member) {
			return fmt.Errorf("call_tool_* have no member %q: put the tool's own arguments into args", member)
		}
	}
	said, given := in["intent_data_sensitivity"]
	if !given || string(said) == "null" {
		return nil
	}
	var word string
	if json.Unmarshal(said, &word) == nil {
		if word = strings.ToLower(strings.TrimSpace(word)); word == "" || slices.Contains(sensitivities, word) {
			return nil
		}
	}
	return fmt.Errorf("intent_data_sensitivity must be one of %s", strings.Join(sensitivities, ", "))
}

// callTool calls the tool that the arguments of a call_tool_* name.
func (f *toolFinder) callTool(
	ctx context.Context,
	c *caller,
	m *wire.Message,
	raw []byte,
	op mcpproxy.Operation,
) *wire.Message {
	in, err := wire.Members(raw, callMembers...)
	if err == nil {
		err = checkIntent(in)
	}
	if err != nil {
		return invalid(m.ID, "%v", err)
	}
	name := wire.String(raw, "name")
	if name == "" {
		return invalid(m.ID, "call_tool_%s needs the name of a tool, as server:tool", op)
	}
	server, tool, ok := strings.Cut(name, ":")
	unread := f.g.awaitTools(ctx, c, server, tool)
	if _, known := f.g.catalog.Tool(server, tool); !ok || !known && !f.g.filter.Holds(server, tool) {
		if refused, ok := f.g.refuseHeld(ctx, c, m, server, tool); ok {
			return refused // do not reveal whether a forbidden tool exists
		}
		return unknownTool(c, m, f, name, unread)
	}
	args, err := arguments(in)
	if err != nil {
		return invalid(m.ID, "%v", err)
	}
	params := wire.Set(wire.Set(nil, wire.Quote(tool), "name"), args, "arguments")
	if meta := wire.Member(m.Params, "_meta"); meta != nil {
		params = wire.Set(params, meta, "_meta")
	}
	for _, again := range []string{"inputResponses", "requestState"} { // a retry after input_required
		if v := wire.Member(m.Params, again); v != nil {
			params = wire.Set(params, v, again)
		}
	}
	return f.g.callServerTool(ctx, c, m, server, params, mcpproxy.Intent{
		Operation:       op,
		DataSensitivity: wire.String(raw, "intent_data_sensitivity"),
		Reason:          wire.String(raw, "intent_reason"),
		Justification:   wire.String(raw, "flow_justification"),
		DestinationType: wire.String(raw, "flow_destination_type"),
	})
}

// arguments returns the tool's arguments, given as an object or as a JSON string.
func arguments(in map[string]json.RawMessage) ([]byte, error) {
	object, text := in["args"], in["args_json"]
	switch {
	case object != nil && text != nil:
		return nil, fmt.Errorf("give either args or args_json, not both")
	case text != nil:
		var s string
		if json.Unmarshal(text, &s) != nil {
			return nil, fmt.Errorf("args_json must be a string")
		}
		if strings.TrimSpace(s) == "" {
			return []byte("{}"), nil
		}
		if _, err := wire.Members([]byte(s)); err != nil {
			return nil, fmt.Errorf("args_json: %w", err)
		}
		return []byte(s), nil
	case object == nil:
		return []byte("{}"), nil
	}
	if object[0] != '{' {
		return nil, fmt.Errorf("args must be an object")
	}
	return object, nil
}

// toolResult returns a tool result with structured content and its text form.
func toolResult(v any) []byte {
	structured := wire.MustJSON(v)
	return wire.MustJSON(map[string]any{
		"content":           []map[string]string{{"type": "text", "text": string(structured)}},
		"structuredContent": json.RawMessage(structured)})
}
