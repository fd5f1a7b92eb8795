package hook

import (
	"testing"

	"mcpproxy/internal/hook/client"
)

// The hook client does not know the agents' protocols. While the kill switch is on, it denies every call that has not
// begun, for every agent.
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
