package telemetry

import (
	"context"
	"maps"
	"sync"
	"time"

	"mcpproxy"
)

// Settings are the configuration of the exports. They can change on reload.
type Settings struct {
	OTLP    OTLP
	Syslog  Syslog
	Service string // service.name
	Version string // version of this program
}

func (s Settings) equal(o Settings) bool {
	return s.Syslog == o.Syslog && s.Service == o.Service && s.Version == o.Version &&
		s.OTLP.Endpoint == o.OTLP.Endpoint && maps.Equal(s.OTLP.Headers, o.OTLP.Headers)
}

// Exporter sends records to the configured targets.
type Exporter struct {
	mu       sync.RWMutex
	settings Settings
	queues   []*queue
	leaving  sync.WaitGroup // the queues of an earlier configuration that are still being sent
	gone     []Target       // the final counts of such queues
}

// New returns an exporter. A target whose address is empty is not used.
func New(s Settings) *Exporter {
	e := &Exporter{settings: s}
	e.queues = open(s)
	return e
}

func open(s Settings) []*queue {
	var out []*queue
	if s.OTLP.Endpoint != "" {
		out = append(out, newQueue("otlp_logs", newLogs(s)), newQueue("otlp_traces", newSpans(s)))
	}
	if s.Syslog.Address != "" {
		out = append(out, newQueue("syslog", newSyslog(s.Syslog, s.Version)))
	}
	return out
}

// Hear exports a record, which must not be changed afterwards. It never blocks.
func (e *Exporter) Hear(r *mcpproxy.Record) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if len(e.queues) == 0 {
		return
	}
	r = r.Bare() // bodies are not exported, so they are not kept in memory
	for _, q := range e.queues {
		q.add(r)
	}
}

// Configure changes the targets of later records. Waiting records are still sent to the earlier targets.
func (e *Exporter) Configure(s Settings) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.settings.equal(s) {
		return
	}
	for _, q := range e.queues {
		e.leaving.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), drain)
			defer cancel()
			q.close(ctx)
			e.mu.Lock()
			e.gone = append(e.gone, q.stats())
			e.mu.Unlock()
		})
	}
	e.settings, e.queues = s, open(s)
}

// drain is the maximum time for sending the waiting records of an earlier configuration.
const drain = 5 * time.Second

// Spans reports whether spans are exported.
func (e *Exporter) Spans() bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.settings.OTLP.Endpoint != ""
}

// Close sends the waiting records, until ctx ends.
func (e *Exporter) Close(ctx context.Context) {
	e.mu.Lock()
	queues := e.queues
	e.queues = nil
	e.mu.Unlock()
	var all sync.WaitGroup
	for _, q := range queues {
		all.Go(func() { q.close(ctx) })
	}
	all.Wait()
	e.leaving.Wait()
}

// Target holds the counts of one target.
type Target struct {
	Name      string `json:"target"` // otlp_logs, otlp_traces or syslog
	Sent      uint64 `json:"sent"`
	Dropped   uint64 `json:"dropped" doc:"There was no room for them to wait, or the target did not take them"`
	Waiting   int    `json:"waiting"`
	LastError string `json:"last_error,omitempty"`
}

// Stats returns the counts since the start, by target.
func (e *Exporter) Stats() []Target {
	e.mu.RLock()
	defer e.mu.RUnlock()
	out := []Target{}
	for _, q := range e.queues {
		s := q.stats()
		for _, old := range e.gone {
			if old.Name == s.Name {
				s.Sent, s.Dropped = s.Sent+old.Sent, s.Dropped+old.Dropped
			}
		}
		out = append(out, s)
	}
	return out
}
