package gate_test

import (
	"context"
	"encoding/json"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/gate"
)

// Only calls that were made set the leg "sent" of a session, not stopped ones.
func TestOnlyACallThatWasMadeSetsTheLegSent(t *testing.T) {
	post := func() *mcpproxy.Call { return call("slack", "post_message", `{"text":"hello"}`) }
	theft := func(h *rig) *mcpproxy.Call {
		h.reads("github", "get_file", "token: "+gitToken)
		return call("slack", "post_message", object("text", gitToken))
	}
	note := func() *mcpproxy.Call { return call("slack", "create_note", `{"text":"hello"}`) }
	told := func(h *rig, c *mcpproxy.Call) *gate.Decided {
		c.Channel = mcpproxy.ChannelHook
		return h.gate.Announced(context.Background(), c, gate.Hook{}).WithoutText()
	}
	reported := func(h *rig, before *gate.Decided, c *mcpproxy.Call) {
		c.Channel = mcpproxy.ChannelHook
		h.gate.Reported(context.Background(), before, c, &mcpproxy.Result{Raw: json.RawMessage(`"ok"`)}, gate.Hook{})
	}
	offered := func() *mcpproxy.Call {
		c := post()
		c.Definition = &mcpproxy.Tool{Name: c.Tool}
		return c
	}
	for name, c := range map[string]struct {
		does func(h *rig)
		want bool
	}{
		"a call that passes":                          {func(h *rig) { h.does(post()) }, true},
		"a theft that is denied":                      {func(h *rig) { h.does(theft(h)) }, false},
		"a call that passes after one was denied":     {func(h *rig) { h.does(theft(h)); h.does(post()) }, true},
		"a call that a person approves":               {func(h *rig) { h.asked(note(), saying("accept", nil)) }, true},
		"a call that a person declines":               {func(h *rig) { h.asked(note(), saying("decline", nil)) }, false},
		"a hook's call that passes":                   {func(h *rig) { h.gate.Configure(defaults()); told(h, post()) }, true},
		"a hook's call that is denied":                {func(h *rig) { told(h, theft(h)) }, false},
		"a hook's call that its agent asks about":     {func(h *rig) { told(h, note()) }, false},
		"the same, reported when its user has agreed": {func(h *rig) { reported(h, told(h, note()), note()) }, true},
		"a hook's call of a tool that this proxy has": {func(h *rig) { told(h, offered()) }, false},
		"the same, when it comes through the proxy":   {func(h *rig) { told(h, offered()); h.does(offered()) }, true},
		"a hook's report of a call that merely reads": {func(h *rig) { reported(h, told(h, call("", "Read", `{"file_path":"x"}`)), call("", "Read", `{}`)) }, false},
		"a call to the inside":                        {func(h *rig) { h.does(call("github", "get_file", `{"path":"x"}`)) }, false},
		"a search whose words contain what was read":  {func(h *rig) { h.does(call("web", "search", object("query", summary))) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := asks(t, approval.Rules{Elicitation: true})
			h.reads("github", "get_file", summary)
			c.does(h)
			if sent := h.tracker.Legs("flow-1").Sent; (sent != nil) != c.want {
				t.Errorf("the leg is %+v", sent)
			}
		})
	}
}
