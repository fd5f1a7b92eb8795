package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/home"
)

func TestOnlyDeliveredResultsAreReported(t *testing.T) {
	theft := func(h *rig) *mcpproxy.Call {
		h.reads("github", "get_file", "token: "+gitToken)
		return call("slack", "post_message", object("text", gitToken))
	}
	plain := func(*rig) *mcpproxy.Call { return call("github", "get_me", `{}`) }
	own := func(*rig) *mcpproxy.Call { return call("", "Read", `{"file_path":"x"}`) }
	list := func(*rig) *mcpproxy.Call {
		c := call("github", "tools/list", `{}`)
		c.Kind = mcpproxy.KindMethod
		return c
	}
	ok := mcpproxy.Result{Raw: json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`)}
	for name, c := range map[string]struct {
		call   func(*rig) *mcpproxy.Call
		result mcpproxy.Result
		want   bool
	}{
		"a result":                     {plain, ok, true},
		"an error of the server":       {plain, mcpproxy.Result{Raw: ok.Raw, IsError: true}, false},
		"no result":                    {plain, mcpproxy.Result{Err: errors.New("lost")}, false},
		"a result that cannot be read": {plain, mcpproxy.Result{Raw: json.RawMessage(`{"a":1,"a":2}`)}, false},
		"a call that is stopped":       {theft, ok, false},
		"an agent's own tool":          {own, ok, false},
		"a list of tools":              {list, ok, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := defaults()
			told := 0
			h := newRig(t, t.TempDir(), s)
			sent := c.call(h)
			s.Delivered = func(*mcpproxy.Call, *mcpproxy.Result) { told++ }
			h.gate.Configure(s)
			h.gate.Do(context.Background(), sent, func(context.Context, *mcpproxy.Call) *mcpproxy.Result { return &c.result })
			if (told == 1) != c.want || told > 1 {
				t.Errorf("reported %d times", told)
			}
		})
	}
}

func TestANewHomeLeavesTheOtherSettings(t *testing.T) {
	s := defaults()
	h := newRig(t, t.TempDir(), s)
	h.gate.Kill(true)
	known := gate.Known(h.gate)
	entry, err := home.Make(home.Domain, "acme.example")
	if err != nil {
		t.Fatal(err)
	}
	entry.State = home.Confirmed
	h.gate.UseHome(home.New([]home.Entry{entry}))
	if got := gate.HomeOf(h.gate); !got.Host("acme.example") {
		t.Error("the inspector has another home")
	}
	if _, closed := h.gate.Closed(); !closed || gate.Known(h.gate) != known {
		t.Error("a new home changes other settings")
	}
	h.gate.Configure(s)
	if gate.HomeOf(h.gate).Host("acme.example") {
		t.Error("new settings keep the old home")
	}
}
