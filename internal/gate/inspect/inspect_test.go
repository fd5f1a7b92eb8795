package inspect_test

import (
	"errors"
	"reflect"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/selfguard"
	"mcpproxy/internal/state/memory"
)

// inspector returns an inspector without earlier calls.
func inspector() *inspect.Inspector {
	sessions := memory.New(0, func(string) *flow.Session { return flow.NewSession() }, nil)
	settings := inspect.Settings{
		Classifier: classify.Classifier{DefaultUnknown: mcpproxy.Internal},
		Detector:   detect.New(detect.Rules()),
		Guard:      selfguard.New(selfguard.Protected{}),
	}
	tracker := flow.New(sessions, flow.Limits{Enabled: true, MaxOrigins: 100, MinLength: 20})
	return inspect.New(settings, tracker)
}

// An inspection cannot be changed outside the package.
func TestAnInspectionHasNoExportedField(t *testing.T) {
	for f := range reflect.TypeFor[inspect.Inspection]().Fields() {
		if f.IsExported() {
			t.Errorf("%s can be changed", f.Name)
		}
	}
}

func TestACallIsReadOnce(t *testing.T) {
	call := &mcpproxy.Call{
		Kind:      mcpproxy.KindTool,
		Server:    "slack",
		Tool:      "post_message",
		Arguments: []byte(`{"text":"write to jane.doe@example.org, key AKIAZ7VR4QDWN6XKPLTM"}`),
	}
	in := inspector()
	p := in.Call(call, nil)
	if p.Err() != nil || p.Operation() != mcpproxy.Write || len(p.Signals()) == 0 || p.Redactable() == 0 {
		t.Errorf("%v, %s, %+v", p.Err(), p.Operation(), p.Signals())
	}
	if f := p.Facts(); f.Call != call || len(f.Signals) != len(p.Signals())+len(p.Behaviour()) || len(f.Strings) == 0 {
		t.Errorf("%+v", f)
	}
	if more := append(p.Hidden(), detect.Finding{}); len(more) == len(p.Hidden()) {
		t.Error("what is appended to the hidden values becomes one of them")
	}
	if p := in.Unread(call, errors.New("no room")); p.Err() == nil || len(p.Signals()) != 1 {
		t.Errorf("%v, %+v", p.Err(), p.Signals())
	}
	after := in.Again(call, p.Kept())
	if after.Class() != p.Class() || after.Operation() != p.Operation() || after.Arguments().Doc != nil {
		t.Errorf("%+v", after)
	}
}

// Methods of a stage that was not reached return empty values.
func TestAStageThatIsNotReachedIsEmpty(t *testing.T) {
	call := &mcpproxy.Call{
		Kind:      mcpproxy.KindTool,
		Server:    "slack",
		Tool:      "post_message",
		Arguments: []byte(`{"text":"write to jane.doe@example.org, key AKIAZ7VR4QDWN6XKPLTM"}`),
	}
	in := inspector()
	for name, c := range map[string]struct {
		seen   *inspect.Inspection
		hidden bool // its arguments were searched for secrets
		does   mcpproxy.Operation
	}{
		"a call that was made already":          {in.Read(call), true, mcpproxy.Write},
		"a call that cannot be read":            {in.Unread(call, errors.New("no room")), false, ""},
		"a call that was inspected before":      {in.Again(call, in.Call(call, nil).Kept()), false, mcpproxy.Write},
		"a call of which nothing else is asked": {in.Arguments(call), false, ""},
	} {
		f := c.seen.Facts()
		if len(c.seen.Hidden()) > 0 != c.hidden || c.seen.Operation() != c.does {
			t.Errorf("%s: %d hidden, %q", name, len(c.seen.Hidden()), c.seen.Operation())
		}
		if f.Secrets != nil || f.Edges != nil || f.Contradictions != nil || f.Effect != "" || c.seen.Behaviour() != nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestUnusualSignalsAreAddedToACopy(t *testing.T) {
	call := &mcpproxy.Call{
		Kind:      mcpproxy.KindTool,
		Server:    "slack",
		Tool:      "post_message",
		Arguments: []byte(`{"text":"hello"}`),
	}
	p := inspector().Call(call, nil)
	unusual := []mcpproxy.Signal{{Source: mcpproxy.SourceBehavioral, Kind: "unusual_hour"}}
	other := p.Beside(unusual)
	if len(other.Behaviour()) != 1 || len(other.Facts().Signals) != len(p.Facts().Signals)+1 {
		t.Errorf("%+v", other.Facts().Signals)
	}
	if len(p.Behaviour()) != 0 {
		t.Errorf("the inspection has changed: %+v", p.Behaviour())
	}
	if p.Beside(nil) != p {
		t.Error("Beside without signals returns another inspection")
	}
}
