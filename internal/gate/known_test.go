package gate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/journal"
)

// takes returns the definition of a tool with one parameter.
func takes(parameter string) *mcpproxy.Tool {
	return &mcpproxy.Tool{
		Server:      "desk",
		Name:        "fetch_page",
		InputSchema: json.RawMessage(`{"type":"object","properties":{` + quoted(parameter) + `:{"type":"string"}}}`),
	}
}

// told returns the record of a call from its event.
func (h *rig) told(id string) *mcpproxy.Record {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		var r mcpproxy.Record
		if err := json.Unmarshal([]byte(e.json), &r); err != nil {
			h.t.Fatal(err)
		}
		if e.name == journal.EventCompleted && r.ID == id {
			return &r
		}
	}
	h.t.Fatalf("no event for the call %s", id)
	return nil
}

func TestANewDefinitionIsNotTakenForTheOldOne(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	class := func(def *mcpproxy.Tool) mcpproxy.Class {
		c := call("desk", "fetch_page", `{"id":"7"}`)
		c.Definition = def
		h.does(c)
		k, _ := h.gate.Classify("desk", "fetch_page", def)
		if r := h.told(c.ID); *r.Metadata.Classification != k {
			t.Fatalf("the record of the call has %+v, and the tool's class is %+v", r, k)
		}
		return k
	}
	old, changed := takes("id"), takes("url")
	if k := class(old); k.Side != mcpproxy.Internal {
		t.Errorf("the definition that takes an id: %+v", k)
	}
	if k := class(changed); k.Side != mcpproxy.External {
		t.Errorf("the definition that takes a URL: %+v", k)
	}
	if k := class(old); k.Side != mcpproxy.Internal {
		t.Errorf("the old definition once more: %+v", k)
	}
	if k := class(nil); k.Side != mcpproxy.Internal {
		t.Errorf("no definition: %+v", k)
	}
}

func TestAChangedConfigurationOfAToolAppliesAtOnce(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	def := takes("id")
	if k, _ := h.gate.Classify("desk", "fetch_page", def); k.Method == mcpproxy.ByConfig {
		t.Fatalf("%+v", k)
	}
	s := defaults()
	s.Classifier.ToolOverrides = map[string]mcpproxy.Side{"desk:fetch_page": mcpproxy.External}
	h.gate.Configure(s)
	if k, _ := h.gate.Classify(
		"desk",
		"fetch_page",
		def,
	); k.Side != mcpproxy.External ||
		k.Method != mcpproxy.ByConfig {
		t.Errorf("after the change it is %+v", k)
	}
}

func TestTheCacheOfToolsIsBounded(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	for i := range 3 * gate.MaxKnown {
		h.gate.Classify("desk", fmt.Sprint("send_", i), nil)
		h.gate.Permits(call("desk", strings.Repeat("x", 1000)+fmt.Sprint(i), ""))
	}
	if n := gate.Known(h.gate); n > gate.MaxKnown || n == 0 {
		t.Errorf("%d tools are known", n)
	}
	if k, op := h.gate.Classify("desk", "send_1", nil); k.Side != mcpproxy.External || op != mcpproxy.Write {
		t.Errorf("%+v %s", k, op)
	}
}

// The parts of a call outside its arguments are cached, because most calls of a tool repeat them. Other parts are
// inspected anew.
func TestASecretOutsideTheArgumentsIsMaskedInEveryCall(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	const secret = "ghp_1a2B3c4D5e6F7g8H9i0J1k2L3m4N5o3pGEOa"
	for i, reason := range []string{"to see", "to see", "with " + secret, "to see", "with " + secret} {
		c := call("desk", "read_note", `{"id":"7"}`)
		c.Intent.Reason = reason
		c.RequestID = fmt.Sprint(i)
		h.does(c)
		if r := h.told(c.ID); r.Metadata.Intent == nil || strings.Contains(r.Metadata.Intent.Reason, secret) {
			t.Errorf("call %d is recorded with %+v", i, r.Metadata.Intent)
		}
	}
}
