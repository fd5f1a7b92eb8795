package journal

import (
	"fmt"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
)

// tally bounds the number of records about events that an outsider can cause any number of times. Within a window,
// each key gets limit records. Further events are counted, and their number is passed to add when the window ends.
type tally[K comparable] struct {
	limit  int
	window time.Duration
	most   int // keys that are counted separately; all others share the zero key
	add    func(K, leftOut)

	mu sync.Mutex
	by map[K]*count[K]
}

// count is the counter of one key.
type count[K comparable] struct {
	key      K
	since    time.Time
	recorded int
	leftOut  int64
	timer    *time.Timer // passes leftOut to add; nil while nothing is left out
}

// leftOut is the number of records that were left out since a point in time.
type leftOut struct {
	n     int64
	since time.Time
}

// admit reports whether another event of a key is recorded.
func (t *tally[K]) admit(key K, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.of(key, now)
	if n.recorded < t.limit {
		n.recorded++
		return true
	}
	if n.leftOut++; n.timer == nil {
		n.timer = time.AfterFunc(t.window-now.Sub(n.since), func() { t.expire(n) })
	}
	return false
}

// of returns the counter of a key, and resets it if its window has passed. Counters with omitted records are kept
// until their number is recorded.
func (t *tally[K]) of(key K, now time.Time) *count[K] {
	if t.by == nil {
		t.by = map[K]*count[K]{}
	}
	n := t.by[key]
	if n == nil && len(t.by) >= t.most {
		for k, old := range t.by {
			if old.timer == nil && now.Sub(old.since) >= t.window {
				delete(t.by, k)
			}
		}
		if len(t.by) >= t.most {
			key = *new(K)
			n = t.by[key]
		}
	}
	if n == nil || n.timer == nil && now.Sub(n.since) >= t.window {
		n = &count[K]{key: key, since: now}
		t.by[key] = n
	}
	return n
}

// expire ends the window of n.
func (t *tally[K]) expire(n *count[K]) {
	t.mu.Lock()
	current := t.by[n.key] == n
	if current {
		delete(t.by, n.key)
	}
	t.mu.Unlock()
	if current {
		t.add(n.key, leftOut{n.leftOut, n.since})
	}
}

// flush ends the windows of all keys.
func (t *tally[K]) flush() {
	t.mu.Lock()
	all := t.by
	t.by = nil
	t.mu.Unlock()
	for _, n := range all {
		if n.timer != nil {
			n.timer.Stop()
			t.add(n.key, leftOut{n.leftOut, n.since})
		}
	}
}

// record returns a record with the number of omitted records. format takes the number and two times.
func (l leftOut) record(format string) *mcpproxy.Record {
	now := time.Now().UTC()
	r := &mcpproxy.Record{
		ID:           ulid.Make().String(),
		Type:         mcpproxy.RecordPolicyDecision,
		Source:       "system",
		Timestamp:    now,
		Status:       mcpproxy.StatusRejected,
		CoverageMode: mcpproxy.CoverageProxyOnly,
	}
	r.ErrorMessage = fmt.Sprintf(format, l.n, l.since.UTC().Format(time.RFC3339), now.Format(time.RFC3339))
	r.Metadata.Reason = r.ErrorMessage
	r.Metadata.Detail = map[string]any{
		"left_out": l.n,
		"from":     l.since.UTC().Format(time.RFC3339Nano),
		"to":       now.Format(time.RFC3339Nano),
	}
	return r
}
