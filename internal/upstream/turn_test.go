package upstream

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcpproxy/internal/eventually"
	"mcpproxy/internal/wire"
)

// talk is a turnReader on a real pipe. A line that is a number answers the call with that number. Any other line is a
// notification.
type talk struct {
	*turnReader
	w    *os.File
	over chan error

	mu    sync.Mutex
	calls map[int]*call
	heard []string
}

func newTalk(t interface{ Fatal(...any) }) *talk {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	k := &talk{w: w, over: make(chan error, 1), calls: map[int]*call{}}
	lines := wire.NewLineReader(r, 1<<20)
	k.turnReader = newTurnReader(func() (bool, error) {
		line, err := lines.Next()
		if err != nil {
			return false, err
		}
		return k.pass(string(line)), nil
	}, r.SetReadDeadline)
	go func() {
		k.over <- k.run()
		r.Close()
	}()
	return k
}

func (k *talk) pass(line string) (answered bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		k.heard = append(k.heard, line)
		return false
	}
	if c := k.calls[n]; c != nil {
		c.finish(&wire.Message{}, nil)
	}
	return true
}

func (k *talk) call(n int) *call {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := &call{done: make(chan struct{})}
	k.calls[n] = c
	return c
}

func (k *talk) notifications() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.heard)
}

func (k *talk) say(t interface{ Error(...any) }, s string) {
	if _, err := io.WriteString(k.w, s); err != nil {
		t.Error(err)
	}
}

// end ends the server, and waits until the turnReader has noticed.
func (k *talk) end(t interface{ Errorf(string, ...any) }) {
	k.w.Close()
	select {
	case err := <-k.over:
		if !errors.Is(err, io.EOF) {
			t.Errorf("the end: %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Errorf("the end is not noticed")
	}
}

// Whatever the order of the answers, however their bytes are split, and whichever callers give up: every waiting
// caller gets its answer, and messages without a caller are read.
func TestEveryWaitingCallerGetsItsAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := newTalk(t)
		type waiting struct {
			order  int
			gives  time.Duration // when it gives up; 0 means never
			silent bool          // the server does not answer it
		}
		calls := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) waiting {
			w := waiting{
				order:  rapid.IntRange(0, 9).Draw(t, "order"),
				silent: rapid.IntRange(0, 3).Draw(t, "silent") == 0,
			}
			if w.silent {
				w.gives = time.Duration(rapid.IntRange(1, 3000).Draw(t, "gives")) * time.Microsecond
			}
			return w
		}), 1, 8).Draw(t, "calls")
		var said strings.Builder
		notes := 0
		for order := range 10 {
			for n, c := range calls {
				if c.order == order && !c.silent {
					fmt.Fprintf(&said, "%d\n", n)
				}
			}
			if rapid.Bool().Draw(t, "note") {
				fmt.Fprintf(&said, "note %d\n", order)
				notes++
			}
		}
		var all sync.WaitGroup
		for n, c := range calls {
			made := k.call(n)
			all.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
				defer cancel()
				if c.gives > 0 {
					ctx, cancel = context.WithTimeout(ctx, c.gives)
					defer cancel()
				}
				k.await(ctx, made)
				select { // as exchange does
				case <-made.done:
				case <-ctx.Done():
				}
				if made.ended() == c.silent {
					t.Errorf("call %d of %+v: answered %v", n, calls, made.ended())
				}
			})
		}
		for rest := said.String(); rest != ""; {
			n := min(len(rest), rapid.IntRange(1, 7).Draw(t, "bytes"))
			k.say(t, rest[:n])
			rest = rest[n:]
			if rapid.Bool().Draw(t, "pause") {
				time.Sleep(100 * time.Microsecond)
			}
		}
		all.Wait()
		k.end(t)
		if got := k.notifications(); got != notes {
			t.Errorf("%d notifications of %d were heard", got, notes)
		}
	})
}

// Consecutive calls are read by their callers, and run does not take the turn in between. When the calls have stopped,
// run reads again.
func TestCallersKeepTheTurnBetweenConsecutiveCalls(t *testing.T) {
	k := newTalk(t)
	answers := bufio.NewWriter(k.w)
	own := 0
	for n := range 300 {
		time.Sleep(200 * time.Microsecond)
		c := k.call(n)
		if n > 0 && len(k.turn) == 1 {
			own++
		}
		fmt.Fprintf(answers, "%d\n", n)
		if err := answers.Flush(); err != nil {
			t.Fatal(err)
		}
		k.await(t.Context(), c)
		<-c.done
	}
	if own < 150 { // on a busy machine, run takes the turn now and then
		t.Errorf("only before %d calls of 300 a caller had kept the turn", own)
	}
	k.say(t, "a note\n")
	eventually.TrueWithin(t, 5*time.Second, "what is said when nobody calls is heard", func() bool {
		return k.notifications() > 0
	})
	k.end(t)
}

// A caller that gives up in the middle of a line does not lose the part that it has read.
func TestACallerThatGivesUpInMidLineLosesNothing(t *testing.T) {
	k := newTalk(t)
	ctx, cancel := context.WithCancel(t.Context())
	first, second := k.call(1), k.call(22)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		k.await(ctx, first)
	}()
	k.say(t, "2")
	time.Sleep(5 * time.Millisecond)
	cancel()
	<-gone
	go k.say(t, "2\n")
	k.await(t.Context(), second)
	<-second.done
	if second.response == nil || second.err != nil {
		t.Errorf("the second call is answered with %v, %v", second.response, second.err)
	}
	if n := k.notifications(); n > 0 || first.response != nil {
		t.Errorf("half of the line is taken for a line: %d notes, and the first answer is %v", n, first.response)
	}
	k.end(t)
}

// A call whose link was closed does not wait for the end of the server.
func TestNoCallerReadsAfterItsCallHasEnded(t *testing.T) {
	k := newTalk(t)
	c := k.call(1)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		k.await(t.Context(), c)
	}()
	time.Sleep(5 * time.Millisecond)
	c.finish(nil, ErrBroken)
	k.interrupt()
	select {
	case <-gone:
	case <-time.After(5 * time.Second):
		t.Error("it still waits")
	}
	k.end(t)
}
