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

// A person's answer to a question about a script's call may take longer than the script's time limit.
func TestAnApprovalStopsTheScriptsTime(t *testing.T) {
	r, desk, asked := askingRig(t, 2*time.Second)
	done := make(chan ran, 1)
	go func() {
		done <- r.run(`return await forge.callTool("notes", "fail", { text: "a" })`)
	}()
	id := <-asked
	r.gives(`return 1`, `1`)            // only one script may run at a time
	time.Sleep(2500 * time.Millisecond) // longer than the script's time limit
	if err := desk.Decide(id, true, "somebody"); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.Error != nil || r.reached("notes:fail") != 1 {
		t.Errorf("%+v", got.Error)
	}
}

// askingRig returns a rig that runs one script at a time. Its gate asks people about every call of the tool fail;
// asked receives the ids of the questions.
func askingRig(t *testing.T, timeout time.Duration) (r *rig, desk *approval.Desk, asked chan string) {
	t.Helper()
	r = newRig(t, func(l *codemode.Limits) { l.Timeout, l.Concurrent = timeout, 1 }, nil)
	r.run(`1`) // everything that is started only once has been started
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

// unanswered is the beginning of a script that continues while a question is open.
const unanswered = `forge.callTool("notes", "fail", { text: "a" }).catch(() => 0); await forge.callTool("notes", "echo", { text: "b" });`

// If a script makes calls or prints while a question is open, its time runs.
func TestTheTimeOfAScriptThatContinuesBesideAQuestionRuns(t *testing.T) {
	r, desk, asked := askingRig(t, time.Second)
	for _, code := range []string{`for (;;) await forge.stash.keys()`, `for (;;) console.log("x")`,
		`for (;;) await Promise.all([forge.stash.keys(), forge.stash.get("k")])`} {
		start, over := time.Now(), make(chan struct{})
		go func() { // if the script was suspended, it gets an answer that wakes it
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

// A script that only computes while a question is open is suspended, because others use its slot. After the answer, it
// has its remaining time again.
func TestAScriptDoesNotComputeWhileOthersUseItsSlot(t *testing.T) {
	r, desk, asked := askingRig(t, time.Second)
	done := make(chan ran, 1)
	go func() { done <- r.run(unanswered + `for (;;);`) }()
	id := <-asked
	for range 3 {
		r.gives(`return 1`, `1`) // only one script may run at a time
	}
	if n := halted(); n != 1 && len(children()) > 0 {
		t.Errorf("%d workers stand still", n)
	}
	time.Sleep(1500 * time.Millisecond) // longer than the script's time limit
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

// A suspended script can also be ended, and leaves no process behind.
func TestASuspendedScriptCanBeCancelled(t *testing.T) {
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

// halted returns the number of suspended workers.
func halted() (n int) {
	for _, pid := range children() {
		if state(pid) == "T" {
			n++
		}
	}
	return n
}

// state returns the state of a process as ps shows it; "" if the process does not exist.
func state(pid int) string {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(raw), ") ")
	return after[:min(1, len(after))]
}
