package codemode

import (
	"testing"
	"testing/synctest"
	"time"
)

// An execution is suspended while it only waits for people.
func TestAnExecutionIsSuspendedWhileItOnlyWaitsForPeople(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(r *rest)
		later   time.Duration // at the time of the check
		rests   bool
	}{
		"nobody is asked":            {func(r *rest) { r.called() }, 2 * quiet, false},
		"the only call is asked for": {func(r *rest) { r.called(); r.ask() }, 2 * quiet, true},
		"another call is under way":  {func(r *rest) { r.called(); r.ask(); r.called() }, 2 * quiet, false},
		"the other call is answered": {func(r *rest) { r.called(); r.ask(); r.called(); r.answered() }, 2 * quiet, true},
		"both are asked for":         {func(r *rest) { r.called(); r.ask(); r.called(); r.ask() }, 2 * quiet, true},
		"one of them has an answer":  {func(r *rest) { r.called(); r.ask(); r.called(); r.ask()() }, 2 * quiet, false},
		"others wait behind those": {func(r *rest) {
			r.called()
			r.ask()
			r.called()
			r.ask()
			r.called()
			r.called()
		}, 2 * quiet, true},
		"the worker says something": {func(r *rest) { r.called(); r.ask(); time.Sleep(2 * quiet); r.heard() }, quiet - 1, false},
		"and nothing after that":    {func(r *rest) { r.called(); r.ask(); r.heard(); time.Sleep(2 * quiet) }, 2 * quiet, true},
		"it goes on and on":         {func(r *rest) { r.called(); r.ask(); chat(r) }, quiet - 1, false},
		"the answer comes":          {func(r *rest) { r.called(); answer := r.ask(); time.Sleep(2 * quiet); answer(); answer() }, 2 * quiet, false},
		"the end comes before":      {func(r *rest) { r.called(); r.ask(); r.close() }, 2 * quiet, false},
		"the end comes while it is": {func(r *rest) { r.called(); r.ask(); time.Sleep(2 * quiet); r.close() }, 2 * quiet, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun, ended := 0, 0
				r := rest{size: 2, begin: func() func() { begun++; return func() { ended++ } }}
				c.happens(&r)
				time.Sleep(c.later)
				synctest.Wait()
				if rests := begun == ended+1; rests != c.rests || begun > 1 {
					t.Errorf("begun %d times, ended %d times", begun, ended)
				}
			})
		})
	}
}

// chat sends a message repeatedly.
func chat(r *rest) {
	for range 10 {
		time.Sleep(quiet - 1)
		r.heard()
	}
}
