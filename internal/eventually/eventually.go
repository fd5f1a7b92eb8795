// Package eventually lets a test wait for a condition that another goroutine or another
// process brings about.
//
// Every function polls, at pauses that grow from 5 to 20 ms.
// A test that waits longer than its limit fails with the words that say what it waited for.
// Only tests and the packages that support them import it.
package eventually

import (
	"errors"
	"time"
)

// Patience is how long True and Succeeds wait. A busy machine needs a long limit, and a
// test that passes never waits for it.
const Patience = 60 * time.Second

// The pauses between two polls.
const (
	shortest = 5 * time.Millisecond
	longest  = 20 * time.Millisecond
)

// T is a test that can fail: a *testing.T, a *testing.B or a *testscript.TestScript.
type T interface {
	Fatalf(format string, args ...any)
}

// True waits until ok returns true, and fails the test after Patience.
func True(t T, what string, ok func() bool) {
	helper(t)()
	TrueWithin(t, Patience, what, ok)
}

// TrueWithin waits until ok returns true, and fails the test after the limit.
func TrueWithin(t T, limit time.Duration, what string, ok func() bool) {
	helper(t)()
	if !Within(limit, ok) {
		t.Fatalf("not within %s: %s", limit, what)
	}
}

// Succeeds waits until check returns nil, and fails the test after Patience. The failure
// shows the last error.
func Succeeds(t T, what string, check func() error) {
	helper(t)()
	SucceedsWithin(t, Patience, what, check)
}

// SucceedsWithin waits until check returns nil, and fails the test after the limit. The
// failure shows the last error.
func SucceedsWithin(t T, limit time.Duration, what string, check func() error) {
	helper(t)()
	last := errors.New("it was never checked")
	if !Within(limit, func() bool { last = check(); return last == nil }) {
		t.Fatalf("not within %s: %s: %v", limit, what, last)
	}
}

// Within waits until ok returns true and reports whether that happened before the limit.
// It calls ok at least once.
func Within(limit time.Duration, ok func() bool) bool {
	deadline := time.Now().Add(limit)
	for pause := shortest; !ok(); pause = min(2*pause, longest) {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
	}
	return true
}

// helper returns the test's Helper method, so that a failure names the line of the test.
func helper(t T) func() {
	if h, ok := t.(interface{ Helper() }); ok {
		return h.Helper
	}
	return func() {}
}
