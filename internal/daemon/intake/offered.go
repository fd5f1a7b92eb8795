package intake

import (
	"context"
	"encoding/json"
	"time"

	"mcpproxy"
	"mcpproxy/internal/catalog"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
)

// trustKinds maps the name of a list to its kind of definition.
var trustKinds = map[string]trust.Kind{"tools": trust.Tool, "prompts": trust.Prompt}

// List returns the definitions of a list that agents may see; list is "tools" or "prompts". List,
// Instructions, Holds, Ready and Doubt implement gateway.DefinitionFilter.
func (in *Intake) List(server, list string, sent []json.RawMessage) []json.RawMessage {
	kind := trustKinds[list]
	if seen := in.trust.Observe(server, kind, sent, false); len(seen.Changes) > 0 && kind == trust.Tool {
		in.Offer(server)
		in.Doubt(server) // the daemon's own list may be out of date
	}
	shown := []json.RawMessage{}
	for _, raw := range sent {
		name, err := trust.NameOf(raw)
		if err != nil {
			continue
		}
		clean, ok := in.trust.Shown(trust.Definition{Key: trust.Key{Server: server, Kind: kind, Name: name}, Raw: raw})
		if ok {
			shown = append(shown, clean)
		}
	}
	return shown
}

// Instructions returns the instructions of a server if agents may see them, else "".
func (in *Intake) Instructions(server, text string) string {
	if text == "" {
		return ""
	}
	d := trust.OfInstructions(server, text)
	in.trust.Observe(server, trust.Instructions, []json.RawMessage{d.Raw}, false)
	clean, ok := in.trust.Shown(d)
	if !ok {
		return ""
	}
	var out struct {
		Instructions string `json:"instructions"`
	}
	if json.Unmarshal(clean, &out) != nil {
		return ""
	}
	return out.Instructions
}

// Holds reports whether a server has declared a tool, whatever its state.
func (in *Intake) Holds(server, tool string) bool { return in.trust.Known(server, tool) }

// readPatience is how long a call waits for the first read of its server.
const readPatience = 10 * time.Second

// Ready waits until the definitions of a server were read for the first time.
func (in *Intake) Ready(ctx context.Context, server string) error {
	if in.trust.Read(server) || !in.trust.Rules().Enabled {
		return nil
	}
	up, ok := in.deps.Servers().Get(server)
	if !ok {
		return nil // the gateway reports this itself
	}
	if _, err := up.Shared(ctx); err != nil { // connects if necessary
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	const unread = "the definitions of server %q could not be read, so its tools cannot be called yet"
	var err error
	for _, read := range in.readings.refresh(up) {
		select {
		case <-read.done: // and offered
			if in.trust.Read(server) {
				return nil
			}
			err = read.err
		case <-ctx.Done():
			return mcpproxy.Errorf(mcpproxy.CodeTimeout, ctx.Err(), unread, server)
		}
	}
	if err == nil {
		return nil
	}
	return mcpproxy.Errorf(mcpproxy.CodeOf(err), err, unread+": %s", server, mcpproxy.AgentMessage(err))
}

// FirstRead is [Intake.Ready], except that it does not wait for a disabled server.
func (in *Intake) FirstRead(ctx context.Context, server string) error {
	if up, ok := in.deps.Servers().Get(server); ok && up.Status().State == upstream.Disabled {
		return nil
	}
	return in.Ready(ctx, server)
}

// Held explains why a call uses something that is not approved. Calls to an agent's own servers,
// which hooks also report, are not subject to approval.
func (in *Intake) Held(c *mcpproxy.Call) string {
	if _, ours := in.deps.Servers().Get(c.Server); c.Channel == mcpproxy.ChannelHook && !ours {
		return ""
	}
	return in.trust.Held(c)
}

// Declared returns a tool that a server declares, whether or not agents may see it.
func (in *Intake) Declared(server, name string) (*mcpproxy.Tool, bool) {
	if t, ok := in.deps.Catalog.Tool(server, name); ok {
		return t, true
	}
	i, ok := in.trust.Item(trust.Key{Server: server, Kind: trust.Tool, Name: name})
	if !ok {
		return nil, false
	}
	t, err := catalog.Parse(server, i.Raw)
	if err != nil { // an unreadable tool is held
		t = &mcpproxy.Tool{Server: server, Name: name}
	}
	return t, true
}
