package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func newTestStdinWriter(t interface{ Fatal(...any) }) (*stdinWriter, *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	o, err := newStdinWriter(w)
	if err != nil {
		t.Fatal(err)
	}
	return o, r
}

// Whatever the sizes of the lines and the speed of the server, the lines of several senders arrive whole, and those of
// one sender in order.
func TestLinesReachAServerWholeAndInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		senders := rapid.IntRange(1, 4).Draw(t, "senders")
		sizes := rapid.SliceOfN(rapid.SampledFrom([]int{1, 100, pipeBuf - 20, pipeBuf, pipeBuf + 1, 70 << 10}), 1, 20).
			Draw(t, "sizes")
		rest := rapid.SampledFrom([]time.Duration{0, 100 * time.Microsecond}).Draw(t, "rest")
		o, r := newTestStdinWriter(t)
		exited, drained := make(chan struct{}), make(chan error, 1)
		go func() { drained <- o.drain(exited) }()
		var sending sync.WaitGroup
		for s := range senders {
			sending.Go(func() {
				for i, size := range sizes {
					line := fmt.Appendf(nil, "%d %d %s\n", s, i, strings.Repeat("x", size))
					if err := o.send(context.Background(), line, exited); err != nil {
						t.Errorf("sender %d: %v", s, err)
					}
				}
			})
		}
		lines := bufio.NewReader(r)
		next := make([]int, senders)
		for range senders * len(sizes) {
			line, err := lines.ReadBytes('\n')
			var s, i int
			if _, scan := fmt.Sscan(string(line[:min(len(line), 20)]), &s, &i); err != nil || scan != nil {
				t.Fatalf("%.40q: %v, %v", line, err, scan)
			}
			want := fmt.Appendf(nil, "%d %d %s\n", s, next[s], strings.Repeat("x", sizes[i]))
			if !bytes.Equal(line, want) {
				t.Fatalf("%.40q came, of %d bytes, for %.40q", line, len(line), want)
			}
			next[s]++
			time.Sleep(rest)
		}
		sending.Wait()
		close(exited)
		if err := <-drained; err != nil {
			t.Error(err)
		}
		if o.pending != 0 {
			t.Errorf("%d lines are behind", o.pending)
		}
		o.pipe.Close()
		r.Close()
	})
}

// A server that does not read its input blocks no sender for longer than the sender's context allows.
func TestASenderWaitsNoLongerThanItsContextAllows(t *testing.T) {
	o, r := newTestStdinWriter(t)
	defer r.Close()
	exited, drained := make(chan struct{}), make(chan error, 1)
	go func() { drained <- o.drain(exited) }()
	line := []byte(strings.Repeat("x", 1000) + "\n")
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	sent := 0
	var err error
	for ; err == nil; sent++ {
		err = o.send(ctx, line, exited)
	}
	if !errors.Is(err, context.DeadlineExceeded) || sent < stdioBacklog {
		t.Errorf("after %d lines: %v", sent, err)
	}
	r.Close() // the server has ended
	if err := <-drained; !errors.Is(err, ErrBroken) {
		t.Errorf("the pipe's end: %v", err)
	}
}
