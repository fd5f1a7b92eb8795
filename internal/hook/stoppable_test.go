package hook

import (
	"testing"

	"mcpproxy/internal/hook/client"
)

// The client knows no agent; what it stops by itself while the kill switch is on are
// the calls that are yet to be made, of every agent.
func TestTheClientKnowsTheEventsBeforeACall(t *testing.T) {
	stoppable := 0
	for _, a := range Agents() {
		for event, kind := range a.(*dialect).events {
			if got, want := client.Stoppable(event), kind == PreTool; got != want {
				t.Errorf("%s, %s: stoppable %v, want %v", a.Name(), event, got, want)
			}
			if kind == PreTool {
				stoppable++
			}
		}
	}
	if stoppable < 8 {
		t.Errorf("%d events come before a call", stoppable)
	}
}
