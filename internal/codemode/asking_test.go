package codemode_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/codemode"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/policy"
)

// A person who is asked about a call of a script may take longer than the script has.
func TestAnApprovalStopsTheScriptsTime(t *testing.T) {
	r, desk, asked := askingRig(t, 2*time.Second)
	done := make(chan ran, 1)
	go func() {
		done <- r.run(`return await forge.callTool("notes", "fail", { text: "a" })`)
	}()
	id := <-asked
	r.gives(`return 1`, `1`)            // in the one place that there is
	time.Sleep(2500 * time.Millisecond) // longer than the script has
	if err := desk.Decide(id, true, "somebody"); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.Error != nil || r.reached("notes:fail") != 1 {
		t.Errorf("%+v", got.Error)
	}
}

// askingRig returns a rig for one script at a time. Its gate asks people about every call of the
// tool fail; asked receives the ids of the questions.
func askingRig(t *testing.T, timeout time.Duration) (r *rig, desk *approval.Desk, asked chan string) {
	t.Helper()
	r = newRig(t, func(l *codemode.Limits) { l.Timeout, l.Concurrent = timeout, 1 }, nil)
	r.run(`1`) // what starts once has started
	asked = make(chan string, 10)
	desk = approval.New(approval.Rules{Wait: time.Minute, Expiry: time.Minute, Policy: "p"}, func(e approval.Event) {
		if e.Name == approval.EventRequested {
			asked <- e.Record.ID
		}
	})
	t.Cleanup(desk.Close)
	r.gate.Configure(
		gate.Settings{
			Desk:    desk,
			Version: "p",
			Tables:  policy.Tables{ToolOverrides: map[string]mcpproxy.Decision{"notes:fail": mcpproxy.Ask}},
		},
	)
	return r, desk, asked
}

// unanswered is the beginning of a script that goes on beside a question.
const unanswered = `forge.callTool("notes", "fail", { text: "a" }).catch(() => 0); await forge.callTool("notes", "echo", { text: "b" });`

// A script that goes on beside a question does so in its own time: where it makes calls,
// or prints, its time runs.
func TestAQuestionGivesNoTimeToAScriptThatGoesOn(t *testing.T) {
	r, desk, asked := askingRig(t, time.Second)
	for _, code := range []string{`for (;;) await forge.stash.keys()`, `for (;;) console.log("x")`,
		`for (;;) await Promise.all([forge.stash.keys(), forge.stash.get("k")])`} {
		start, over := time.Now(), make(chan struct{})
		go func() { // where it was silent for too long, it hears an answer
			for id := <-asked; ; time.Sleep(10 * time.Millisecond) {
				select {
				case <-over:
					return
				default:
				}
				if halted() > 0 {
					_ = desk.Decide(id, true, "somebody")
				}
			}
		}()
		r.fails(unanswered+code, mcpproxy.CodeTimeout, "longer than")
		close(over)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s ran for %v", code, took)
		}
	}
}

// A script that only computes beside a question does not get on meanwhile: it stands
// still as others have its place, and has its own time again behind the answer.
func TestAScriptDoesNotComputeWhileOthersHaveItsPlace(t *testing.T) {
	r, desk, asked := askingRig(t, time.Second)
	done := make(chan ran, 1)
	go func() { done <- r.run(unanswered + `for (;;);`) }()
	id := <-asked
	for range 3 {
		r.gives(`return 1`, `1`) // in the one place that there is
	}
	if n := halted(); n != 1 && len(children()) > 0 {
		t.Errorf("%d workers stand still", n)
	}
	time.Sleep(1500 * time.Millisecond) // longer than the script has
	select {
	case got := <-done:
		t.Fatalf("it ended before the answer: %+v", got.Error)
	default:
	}
	if err := desk.Decide(id, true, "somebody"); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.Error == nil || got.Error.Code != mcpproxy.CodeTimeout {
		t.Errorf("%+v", got)
	}
}

// What stands still can be ended as well, and leaves nothing behind.
func TestAScriptThatStandsStillCanBeCancelled(t *testing.T) {
	r, _, asked := askingRig(t, 5*time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan string, 1)
	go func() {
		result, v := r.execute(ctx, "s1", unanswered+`for (;;);`)
		if result == nil {
			done <- v.Reason
			return
		}
		done <- string(result.Raw)
	}()
	<-asked
	r.gives(`return 1`, `1`)
	cancel()
	if got := <-done; !strings.Contains(got, "CANCELLED") {
		t.Errorf("%s", got)
	}
	r.gives(`return 1`, `1`)
	r.host.Close()
	if left := children(); len(left) > 0 {
		t.Errorf("these are left: %v", left)
	}
}

// halted returns how many workers stand still.
func halted() (n int) {
	for _, pid := range children() {
		if state(pid) == "T" {
			n++
		}
	}
	return n
}

// state returns that of a process, as ps shows it; "" when there is none.
func state(pid int) string {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(raw), ") ")
	return after[:min(1, len(after))]
}
