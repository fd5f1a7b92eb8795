package mcpproxy_test

import (
	"strings"
	"testing"

	"mcpproxy"
)

func TestATraceparentIsReadStrictly(t *testing.T) {
	const id, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for name, c := range map[string]struct {
		value string
		flags byte
		ok    bool
	}{
		"sampled":                      {"00-" + id + "-" + span + "-01", 1, true},
		"not sampled":                  {"00-" + id + "-" + span + "-00", 0, true},
		"unknown flags":                {"00-" + id + "-" + span + "-fe", 0, true},
		"a later version":              {"cc-" + id + "-" + span + "-01-what-comes", 1, true},
		"a later version run together": {"cc-" + id + "-" + span + "-01what", 0, false},
		"the invalid version ff":       {"ff-" + id + "-" + span + "-01", 0, false},
		"this version with more":       {"00-" + id + "-" + span + "-01-x", 0, false},
		"capitals":                     {"00-" + strings.ToUpper(id) + "-" + span + "-01", 0, false},
		"no trace":                     {"00-" + strings.Repeat("0", 32) + "-" + span + "-01", 0, false},
		"no span":                      {"00-" + id + "-" + strings.Repeat("0", 16) + "-01", 0, false},
		"other separators":             {"00_" + id + "_" + span + "_01", 0, false},
		"too short":                    {"00-" + id + "-" + span, 0, false},
		"nothing":                      {"", 0, false},
		"a line break":                 {"00-" + id + "-" + span + "-0\n", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := mcpproxy.ParseTraceparent(c.value)
			if ok != c.ok || got.Flags != c.flags || ok && (got.ID != id || got.Parent != span || !got.Remote) {
				t.Errorf("got %+v, %t", got, ok)
			}
		})
	}
}

func TestTheSpanOfARequestToAServerFollowsFromItsCall(t *testing.T) {
	call := mcpproxy.Trace{
		ID:     "4bf92f3577b34da6a3ce929d0e0e4736",
		Span:   "00f067aa0ba902b7",
		Parent: "1111111111111111",
		Flags:  1,
	}
	up := call.Upstream()
	if up.ID != call.ID || up.Parent != call.Span || up.Span == call.Span || up.Upstream().Span != call.Span {
		t.Errorf("got %+v", up)
	}
	if got, want := up.Traceparent(), "00-4bf92f3577b34da6a3ce929d0e0e4736-ff0f9855f456fd48-01"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if none := (mcpproxy.Trace{}); none.Traceparent() != "" || none.Upstream().Traceparent() != "" {
		t.Error("the zero trace has a header")
	}
}

// A request to a server contains no id and no flag that the caller chose.
func TestARequestToAServerIsInNoTraceOfTheCallers(t *testing.T) {
	call, _ := mcpproxy.ParseTraceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")
	call.Span = "1111111111111111"
	if up := call.Upstream(); up.Traceparent() != "" {
		t.Errorf("for a call without a trace the proxy sends %s", up.Traceparent())
	}
	call.Outgoing = "22222222222222222222222222222222"
	got, want := call.Upstream().Traceparent(), "00-22222222222222222222222222222222-eeeeeeeeeeeeeeee-01"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Parsing and formatting a header gives the same header, so no other data is passed on.
func FuzzTraceparent(f *testing.F) {
	f.Add("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	f.Add("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x")
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := mcpproxy.ParseTraceparent(s)
		if !ok {
			return
		}
		got.Span = got.Parent
		out := got.Traceparent()
		if len(out) != 55 || out[3:52] != s[3:52] {
			t.Errorf("%q becomes %q", s, out)
		}
		if again, ok := mcpproxy.ParseTraceparent(
			out,
		); !ok || again.ID != got.ID || again.Parent != got.Parent ||
			again.Flags != got.Flags {
			t.Errorf("%q is not read again", out)
		}
	})
}
