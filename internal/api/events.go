package api

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"mcpproxy"
)

const (
	eventBacklog = 256     // events queued for a slow reader
	ringEvents   = 1024    // events kept for readers that reconnect
	ringBytes    = 1 << 20 // approximate total size of these events
	maxReaders   = 128     // concurrent streams
)

// EventNames are the events of /events. The stream also has "dropped" and "resync", which concern
// the stream itself.
var EventNames = []string{
	"status",
	"servers.changed",
	"config.reloaded",
	"activity.tool_call.started",
	"activity.tool_call.completed",
	"activity.policy_decision",
	"activity.quarantine_change",
	"activity.hook_evaluation.completed",
	"activity.flow_summary.completed",
	"activity.received",
	"sensitive_data.detected",
	"flow.alert",
	"approval.requested",
	"approval.resolved",
	"security.integrity_alert",
}

// Events distributes events to all readers, and keeps the newest ones for readers that reconnect. A
// reader that is too slow is disconnected and told so.
type Events struct {
	run string // distinguishes this run's ids from those of other runs

	mu      sync.Mutex
	last    uint64
	ring    []*event // newest last
	weight  int      // size of the ring
	readers map[*reader]bool
	pages   int // open streams of the pages of logged-in people
	dropped uint64
	closed  bool
}

// event is one event. It is encoded when a reader needs it.
type event struct {
	seq    uint64
	name   string
	data   any
	weight int
	wire   []byte // nil until it is encoded
}

// reader is one open stream.
type reader struct {
	events chan []byte
	wants  func(name string) bool
}

// NewEvents returns Events without readers.
func NewEvents() *Events {
	var run [6]byte
	_, _ = rand.Read(run[:]) // never fails
	return &Events{run: hex.EncodeToString(run[:]), readers: map[*reader]bool{}}
}

// Publish sends an event to every reader. It never blocks. The caller must not change data
// afterwards.
func (e *Events) Publish(name string, data any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.last++
	ev := &event{seq: e.last, name: name, data: data}
	if ev.weight = weigh(data); ev.weight == 0 {
		ev.weight = len(e.encode(ev))
	}
	e.keep(ev)
	for r := range e.readers {
		if !r.wants(name) {
			continue
		}
		select {
		case r.events <- e.encode(ev):
		default:
			e.dropped++
			e.end(r)
		}
	}
}

// weigh estimates the size of a record without encoding it, or returns 0 for other data. A call has
// three events, and usually nobody reads them.
func weigh(data any) int {
	r, ok := data.(mcpproxy.Record)
	if !ok {
		return 0
	}
	n := 1024 + len(
		r.Arguments,
	) + len(
		r.Response,
	) + 256*(len(r.Metadata.Signals)+len(r.Metadata.Contradictions)) + 512*len(
		r.Metadata.Edges,
	)
	if s := r.Metadata.Sensitive; s != nil {
		n += 128 * len(s.Detections)
	}
	return n
}

// keep adds an event to the ring and removes the oldest ones.
func (e *Events) keep(ev *event) {
	e.ring = append(e.ring, ev)
	e.weight += ev.weight
	gone := 0
	for len(e.ring)-gone > 1 && (len(e.ring)-gone > ringEvents || e.weight > ringBytes) {
		e.weight -= e.ring[gone].weight
		e.ring[gone] = nil
		gone++
	}
	e.ring = e.ring[gone:]
}

// encode returns the event in the format of the stream.
func (e *Events) encode(ev *event) []byte {
	if ev.wire == nil {
		body, err := json.Marshal(ev.data)
		if err != nil {
			body = []byte(`{"error":"the event could not be written"}`)
		}
		ev.wire = fmt.Appendf(nil, "id: %s-%d\nevent: %s\ndata: %s\n\n", e.run, ev.seq, ev.name, body)
		ev.data = nil
	}
	return ev.wire
}

// subscribe opens a stream that begins after the event with the id after, or now if after is "".
// The reader is nil if there are too many readers.
func (e *Events) subscribe(after string, wants func(string) bool) (r *reader, missed []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.readers) >= maxReaders {
		return nil, nil
	}
	r = &reader{events: make(chan []byte, eventBacklog), wants: wants}
	if e.closed {
		close(r.events)
		return r, nil
	}
	e.readers[r] = true
	return r, e.since(after, wants)
}

// since returns the events that a reconnecting reader has missed, or a resync event if they are no
// longer available.
func (e *Events) since(after string, wants func(string) bool) []byte {
	if after == "" {
		return nil
	}
	run, number, _ := strings.Cut(after, "-")
	seq, err := strconv.ParseUint(number, 10, 64)
	if run != e.run || err != nil || seq > e.last {
		return resync("the id does not belong to this run of the daemon: read the present state again")
	}
	if oldest := e.last + 1 - uint64(len(e.ring)); seq+1 < oldest {
		return resync(fmt.Sprintf("%d events are too old to be sent again: read the present state again", oldest-seq-1))
	}
	var missed bytes.Buffer
	for _, ev := range e.ring {
		if ev.seq > seq && wants(ev.name) {
			missed.Write(e.encode(ev))
		}
	}
	return missed.Bytes()
}

func resync(reason string) []byte {
	return fmt.Appendf(nil, "event: resync\ndata: {\"reason\":%q}\n\n", reason)
}

func (e *Events) unsubscribe(r *reader) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.end(r)
}

func (e *Events) end(r *reader) {
	if e.readers[r] {
		delete(e.readers, r)
		close(r.events)
	}
}

// pageOpened counts the stream of a page until closed is called.
func (e *Events) pageOpened() (closed func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pages++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.pages--
	}
}

// Pages returns how many open streams belong to pages of logged-in people.
func (e *Events) Pages() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pages
}

// Followed reports whether anybody reads events.
func (e *Events) Followed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.readers) > 0
}

// Close ends every reader's stream.
func (e *Events) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	for r := range e.readers {
		e.end(r)
	}
}

// Readers returns the number of open streams, and of streams that were closed because their readers
// were too slow.
func (e *Events) Readers() (open int, dropped uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.readers), e.dropped
}
