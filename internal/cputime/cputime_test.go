package cputime_test

import (
	"testing"
	"time"

	"mcpproxy/internal/cputime"
)

func TestWorkCountsAndWaitingDoesNot(t *testing.T) {
	sum := 0
	work := func() {
		for i := range 50_000_000 {
			sum += i ^ sum
		}
	}
	worked, slept := cputime.Of(work), cputime.Of(func() { time.Sleep(200 * time.Millisecond) })
	if worked <= 0 || slept > 150*time.Millisecond {
		t.Errorf("work took %v, and sleep %v", worked, slept)
	}
}
