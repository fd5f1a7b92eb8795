package api_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// stream opens the event stream and returns its lines.
func (r *rig) stream(ctx context.Context, path string) *bufio.Scanner {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		r.t.Fatalf("%s, %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	return lines
}

// event reads one event as "name data".
func event(lines *bufio.Scanner) string {
	name := ""
	for lines.Scan() {
		if v, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			name = v
		}
		if v, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return name + " " + v
		}
	}
	return ""
}

func TestAnEventArrivesAtEveryReader(t *testing.T) {
	r := newRig(t)
	readers := []*bufio.Scanner{r.stream(t.Context(), "/events"), r.stream(t.Context(), "/events")}
	for _, lines := range readers {
		if got := event(lines); got != `status {"version":"test"}` {
			t.Errorf("the first event is %q", got)
		}
	}
	r.events.Publish("flow.alert", map[string]string{"a": "line\nbreak"})
	r.events.Publish("second", 2)
	for _, lines := range readers {
		if got := event(lines) + " " + event(lines); got != `flow.alert {"a":"line\nbreak"} second 2` {
			t.Errorf("got %q", got)
		}
	}
}

// One who does not read must hold up nobody, and is told what happened.
func TestASlowReaderIsDropped(t *testing.T) {
	r := newRig(t)
	slow := r.stream(t.Context(), "/events")
	if event(slow) == "" {
		t.Fatal("no first event")
	}
	big := strings.Repeat("x", 64<<10)
	done := make(chan struct{})
	go func() {
		for range 2000 { // more than the backlog and the socket's buffers hold
			r.events.Publish("tick", big)
		}
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("publishing waits for a reader")
	}
	last, n := "", 0
	for got := event(slow); got != ""; got = event(slow) {
		last = got
		n++
	}
	if !strings.HasPrefix(last, "dropped ") || n >= 2000 {
		t.Errorf("after %d events the last is %.80q", n, last)
	}
	fresh := r.stream(t.Context(), "/events")
	event(fresh)
	r.events.Publish("again", 1)
	if got := event(fresh); got != "again 1" {
		t.Errorf("a new reader hears %q", got)
	}
}

func TestAReaderThatLeavesAndAHubThatCloses(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	event(r.stream(ctx, "/events"))
	cancel()
	stays := r.stream(t.Context(), "/events")
	event(stays)
	r.events.Publish("one", 1)
	if got := event(stays); got != "one 1" {
		t.Errorf("got %q", got)
	}
	r.events.Close()
	if got := event(stays); !strings.HasPrefix(got, "dropped ") {
		t.Errorf("at the end the reader hears %q", got)
	}
	if got := event(stays); got != "" {
		t.Errorf("after the end: %q", got)
	}
	r.events.Publish("two", 2) // must not panic
	late := r.stream(t.Context(), "/events")
	event(late)
	if got := event(late); !strings.HasPrefix(got, "dropped ") {
		t.Errorf("a reader that comes after the end hears %q", got)
	}
}

func TestADaemonThatStopsEndsItsStreams(t *testing.T) {
	r := newRig(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	ended := make(chan error, 1)
	go func() { _, err := io.Copy(io.Discard, resp.Body); ended <- err }()
	r.events.Close()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("the stream goes on")
	}
}
