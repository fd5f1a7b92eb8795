package client

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

// Otherwise the hook would wait longer than any agent for a daemon that sends its answer byte by byte.
func TestTheWaitForASlowAnswerIsLimited(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	defer theirs.Close()
	go func() {
		for {
			if _, err := theirs.Write([]byte("x")); err != nil {
				return
			}
		}
	}()
	p := &patience{conn: ours, left: time.Minute}
	b := make([]byte, 1)
	if n, err := p.Read(b); n != 1 || err != nil {
		t.Fatalf("at first: %d, %v", n, err)
	}
	p.waited = waits
	if n, err := p.Read(b); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("at last: %d, %v", n, err)
	}
}

func TestTheLongestTimeHoldsAllThatAHookWaitsFor(t *testing.T) {
	if sum := inputPatience + Deadline + allowance(MaxPayload+1) + Work + Busy; Longest != sum {
		t.Errorf("%s, not %s", Longest, sum)
	}
}

// Keeping a daemon busy must not get a call through.
func TestACallIsDeniedIfTheDaemonWorksForTooLong(t *testing.T) {
	for name, c := range map[string]struct {
		p      patience
		denied bool
	}{
		"seen to work all the time":     {patience{waited: Deadline + Busy, spared: Busy}, true},
		"said all the time that it is":  {patience{waited: waits}, true},
		"seen to work, and then idle":   {patience{waited: Deadline + Busy/2, spared: Busy / 2, idle: looks}, false},
		"silent from the beginning on":  {patience{waited: Deadline}, false},
		"said once that it is, no more": {patience{waited: Deadline + Work}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := errors.Is(c.p.late(), errAtWork); got != c.denied {
				t.Errorf("denied is %v: %v", got, c.p.late())
			}
		})
	}
}
