package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/api"
)

// stream opens the event stream and returns its lines.
func (r *rig) stream(ctx context.Context, path string) *bufio.Scanner {
	r.t.Helper()
	return r.streamAs(ctx, key, path)
}

// streamAs is stream with the given key.
func (r *rig) streamAs(ctx context.Context, key, path string) *bufio.Scanner {
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

// newStream returns a rig that serves a stream of events and nothing else.
func newStream(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, events: api.NewEvents()}
	srv := httptest.NewServer(api.Stream(r.events))
	t.Cleanup(func() { r.events.Close(); srv.CloseClientConnections(); srv.Close() })
	r.url = srv.URL
	return r
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

// A client that does not read its stream delays no other client. The server tells it that it was disconnected.
func TestASlowReaderIsDropped(t *testing.T) {
	r := newRig(t)
	slow := r.stream(t.Context(), "/events")
	if event(slow) == "" {
		t.Fatal("no first event")
	}
	big := strings.Repeat("x", 64<<10)
	done := make(chan struct{})
	go func() {
		for range 1000 { // more than the backlog and the socket's buffers hold
			r.events.Publish("tick", big)
		}
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("publishing waits for a reader")
	}
	last, n := "", 0
	for got := event(slow); got != ""; got = event(slow) {
		last = got
		n++
	}
	if !strings.HasPrefix(last, "dropped ") || n >= 1000 {
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

// whole reads one event, including its id.
func whole(lines *bufio.Scanner) (id, text string) {
	for lines.Scan() {
		line := lines.Text()
		if v, ok := strings.CutPrefix(line, "id: "); ok {
			id = v
		}
		if v, ok := strings.CutPrefix(line, "event: "); ok {
			text = v
		}
		if v, ok := strings.CutPrefix(line, "data: "); ok {
			return id, text + " " + v
		}
	}
	return "", ""
}

func TestAReaderThatComesBackGetsWhatItMissed(t *testing.T) {
	r := newRig(t)
	first := r.stream(t.Context(), "/events")
	event(first)
	for i := range 5 {
		r.events.Publish("activity.policy_decision", i)
	}
	_, _ = whole(first)
	id, text := whole(first)
	if text != "activity.policy_decision 1" || id == "" {
		t.Fatalf("the second event is %q with id %q", text, id)
	}
	again := r.stream(t.Context(), "/events?last_event_id="+id)
	event(again)
	for want := 2; want < 5; want++ {
		if _, got := whole(again); got != fmt.Sprintf("activity.policy_decision %d", want) {
			t.Errorf("got %q, want number %d", got, want)
		}
	}
	r.events.Publish("flow.alert", "new")
	if _, got := whole(again); got != `flow.alert "new"` {
		t.Errorf("after what was missed comes %q", got)
	}
}

func TestAReaderThatMissedEventsGetsAResyncEvent(t *testing.T) {
	for name, c := range map[string]struct {
		id, want string
		publish  int
	}{
		"an id of another run":      {"0123-4", "does not belong to this run", 1},
		"no id at all":              {"x", "does not belong to this run", 1},
		"an id that is not yet":     {"RUN-9", "does not belong to this run", 1},
		"more events than are kept": {"RUN-1", "too old", 1100},
	} {
		t.Run(name, func(t *testing.T) {
			r := newStream(t)
			probe := r.stream(t.Context(), "/events")
			event(probe)
			r.events.Publish("flow.alert", 0)
			id, _ := whole(probe)
			run, _, _ := strings.Cut(id, "-")
			for i := range c.publish {
				r.events.Publish("flow.alert", i)
			}
			back := r.stream(t.Context(), "/events?last_event_id="+strings.Replace(c.id, "RUN", run, 1))
			event(back)
			if got := event(back); !strings.HasPrefix(got, "resync ") || !strings.Contains(got, c.want) {
				t.Errorf("got %q", got)
			}
			r.events.Publish("flow.alert", "live")
			if got := event(back); got != `flow.alert "live"` {
				t.Errorf("then %q", got)
			}
		})
	}
}

// The limit for stored events counts their size, so that many large events do not fill the memory.
func TestTheStoredEventsTakeAMegabyteAtMost(t *testing.T) {
	r := newStream(t)
	probe := r.stream(t.Context(), "/events?types=status")
	event(probe)
	r.events.Publish("status", 0)
	first, _ := whole(probe)
	for range 40 {
		r.events.Publish("flow.alert", strings.Repeat("x", 100<<10))
	}
	back := r.stream(t.Context(), "/events?last_event_id="+first)
	event(back)
	if got := event(back); !strings.HasPrefix(got, "resync ") {
		t.Errorf("4 MB are kept: %.80q", got)
	}
}

func TestAReaderChoosesItsEvents(t *testing.T) {
	for name, c := range map[string]struct{ types, want string }{
		"one name":        {"flow.alert", "flow.alert"},
		"several":         {"flow.alert,config.reloaded", "config.reloaded flow.alert"},
		"a beginning":     {"activity.*", "activity.policy_decision activity.tool_call.started"},
		"all":             {"*", "activity.policy_decision config.reloaded activity.tool_call.started flow.alert"},
		"none named":      {"", "activity.policy_decision config.reloaded activity.tool_call.started flow.alert"},
		"a repeated flag": {"flow.alert&types=config.*", "config.reloaded flow.alert"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newStream(t)
			lines := r.stream(t.Context(), "/events?types="+c.types)
			event(lines)
			for _, n := range []string{"activity.policy_decision", "config.reloaded", "activity.tool_call.started", "flow.alert"} {
				r.events.Publish(n, 1)
			}
			r.events.Close()
			var got []string
			for e := event(lines); e != ""; e = event(lines) {
				n, _, _ := strings.Cut(e, " ")
				got = append(got, n)
			}
			if strings.Join(got, " ") != c.want+" dropped" {
				t.Errorf("got %v", got)
			}
		})
	}
	r := newStream(t)
	a := r.ask("/events?types=flow.alrt", nil)
	if a.status != 400 ||
		!strings.Contains(a.failure(t), `did you mean \"flow.alert\"`) &&
			!strings.Contains(a.failure(t), `did you mean "flow.alert"`) {
		t.Errorf("a name that does not exist: %d %s", a.status, a.body)
	}
}

func TestTooManyReadersAreTurnedAway(t *testing.T) {
	r := newStream(t)
	for range 128 {
		event(r.stream(t.Context(), "/events"))
	}
	if a := r.ask("/events", nil); a.status != 503 {
		t.Errorf("one more reader gets %d", a.status)
	}
}
