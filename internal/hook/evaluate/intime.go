package evaluate

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/policy"
)

// Patience is how long an agent's call may take to judge, from when its hook began to wait. The hook waits longer, so
// it always gets an answer: a call that takes too long to judge is denied.
const Patience = 10 * time.Second

// outcome is the first of two events of a call: its verdict, or the end of the hook's patience. The first one is
// final, both for the agent and for the record.
type outcome struct{ first atomic.Int32 }

const (
	judgedFirst = iota + 1
	lateFirst
)

// judged reports whether the verdict came first.
func (o *outcome) judged() bool {
	return o.first.CompareAndSwap(0, judgedFirst) || o.first.Load() == judgedFirst
}

// late reports whether the hook's patience ended first.
func (o *outcome) late() bool { return o.first.CompareAndSwap(0, lateFirst) }

// inTime returns the answer of judge, which judges a call. If judge takes longer than until, inTime denies the call;
// judge then goes on, and the gate records the denial. A call whose time is over already is denied unjudged.
func (v *evaluation) inTime(ctx context.Context, until time.Time, judge func() Answer) Answer {
	if until.IsZero() {
		return judge()
	}
	left := time.Until(until)
	if left <= 0 {
		return v.answer(v.write(ctx, nil, v.tooLate(), nil))
	}
	done := make(chan Answer, 1)
	end := func() {}
	if v.work != nil {
		end = v.work()
	}
	v.judging.Add(1)
	go func() {
		defer v.judging.Done()
		defer end()
		done <- judge()
	}()
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case a := <-done:
		return a
	case <-timer.C:
	}
	if !v.outcome.late() {
		return <-done
	}
	return v.answer(v.tooLate())
}

// tooLate returns the verdict about a call that is not judged in time.
func (v *evaluation) tooLate() mcpproxy.Verdict {
	slog.Warn("a call was denied because its inspection takes longer than its hook waits", "tool", printable(v.event.Tool))
	return mcpproxy.Verdict{
		Decision:  mcpproxy.Deny,
		RiskLevel: mcpproxy.RiskHigh,
		Rule:      policy.RuleUnreadable,
		Reason:    gate.Uninspected(gate.ErrLate),
		ID:        v.id,
	}
}

// safely returns the answer of do. If do panics, security.hooks.fail_open decides.
func (v *evaluation) safely(ctx context.Context, q Question, do func() Answer) (a Answer) {
	defer func() {
		if r := recover(); r != nil {
			slog.Error("a hook's event could not be evaluated", "panic", r, "stack", string(debug.Stack()))
			a = v.failed(ctx, q, fmt.Errorf("the evaluation failed"))
		}
	}()
	return do()
}
