package ledgertest

import (
	"context"
	"slices"
	"sync"

	"mcpproxy"
)

// Memory is a log that keeps its records in memory, in the order in which they came. Its
// zero value is an empty log. Several goroutines may use it.
type Memory struct {
	mu      sync.Mutex
	records []*mcpproxy.Record
	durable []*mcpproxy.Record
	broken  error
}

// Append stores a record. It only fails after [Memory.Fail].
func (m *Memory) Append(_ context.Context, r *mcpproxy.Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken != nil {
		return m.broken
	}
	m.records = append(m.records, r)
	m.durable = append(m.durable, r)
	return nil
}

// Add stores a record.
func (m *Memory) Add(r *mcpproxy.Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = append(m.records, r)
}

// Fail makes Append fail with err from now on and store nothing; nil ends the failure.
func (m *Memory) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.broken = err
}

// Durable returns the records that were passed to Append, oldest first.
func (m *Memory) Durable() []*mcpproxy.Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.durable)
}

// Records returns all records, oldest first.
func (m *Memory) Records() []*mcpproxy.Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.records)
}

// Clear removes all records.
func (m *Memory) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records, m.durable = nil, nil
}

// Discard is a log that stores nothing, for benchmarks and for tests that read no records.
type Discard struct{}

// Append does nothing.
func (Discard) Append(context.Context, *mcpproxy.Record) error { return nil }

// Add does nothing.
func (Discard) Add(*mcpproxy.Record) {}
