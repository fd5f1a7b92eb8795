package e2e

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
)

func TestASignalReadsTheConfigurationAgain(t *testing.T) {
	t.Parallel()
	d := start(t, ownServer("calm", "calm"))
	c := open(t, d.url("/mcp/s/calm"), stateful)
	d.log.Reset()
	if err := d.process.Signal(syscall.SIGHUP); err != nil { // nothing has changed
		t.Fatal(err)
	}
	eventually.SucceedsWithin(
		t,
		patience,
		"the file is read again",
		func() error { return contains(d.log.String(), "the configuration was read again") },
	)
	expectDone(t, c) // it is still the same connection
}

// After SIGTERM, the daemon lets running calls end, and leaves no process behind.
func TestWhatRunsEndsBeforeTheDaemon(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := start(t, ownServer("slow", "slow"))
			c := open(t, d.url("/mcp/all"), stateful)
			running := make(chan string, 1)
			go func() {
				a, err := c.try(
					context.Background(),
					[]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow__read_thing"}}`),
				)
				if err != nil {
					running <- err.Error()
					return
				}
				running <- string(a.body)
			}()
			eventually.Succeeds(t, "the call is on its way", func() error {
				var servers []struct {
					InFlight int `json:"in_flight"`
				}
				if err := d.api("/servers", &servers); err != nil || len(servers) != 1 || servers[0].InFlight == 0 {
					return errors.Join(err, errors.New("nothing is"))
				}
				return nil
			})
			children := rig.Descendants(d.process.PID())
			if err := d.process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if got := <-running; !strings.Contains(got, `"done"`) {
				t.Errorf("the call that ran answers %s", got)
			}
			select {
			case err := <-d.process.Exited():
				if err != nil {
					t.Errorf("the daemon ended with %v", err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("the daemon goes on")
			}
			d.process = nil
			rig.ExpectGone(d.t, children)
		})
	}
}
