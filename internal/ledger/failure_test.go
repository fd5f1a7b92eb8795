package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

// brittle is a store that fails while it is broken.
type brittle struct {
	ledger.Store
	broken   atomic.Bool
	attempts atomic.Int64 // while it was broken
}

var errBroken = errors.New("no space left")

func (b *brittle) try() error {
	if b.broken.Load() {
		b.attempts.Add(1)
		return fmt.Errorf("record 1: %w", errBroken)
	}
	return nil
}

func (b *brittle) Append(ctx context.Context, records []*mcpproxy.Record) error {
	if err := b.try(); err != nil {
		return err
	}
	return b.Store.Append(ctx, records)
}

func (b *brittle) AppendPrepared(ctx context.Context, records []*mcpproxy.Record, sealed []ledger.Sealed) error {
	if err := b.try(); err != nil {
		return err
	}
	return b.Store.AppendPrepared(ctx, records, sealed)
}

// witness records the calls of a log to its watcher.
type witness struct {
	mu        sync.Mutex
	written   []string
	failures  []ledger.Failure
	recovered chan *mcpproxy.Record
}

func (w *witness) Written(records []*mcpproxy.Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range records {
		w.written = append(w.written, r.ID)
	}
}

func (w *witness) Failed(f ledger.Failure) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures = append(w.failures, f)
}

func (w *witness) Recovered(gap *mcpproxy.Record) { w.recovered <- gap }

// brittleLog returns a watched log on a store that can be broken, and a reader of the store.
func brittleLog(t *testing.T) (*ledger.Log, *brittle, *witness, *sqlite.Store) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "activity.db")
	open := func() *sqlite.Store {
		s, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	b := &brittle{Store: open()}
	w := &witness{recovered: make(chan *mcpproxy.Record, 10)}
	l := ledger.NewLog(b)
	l.Watch(w)
	t.Cleanup(l.Close)
	return l, b, w, open()
}

// all returns the records in a store, oldest first.
func all(t *testing.T, s ledger.Store) (records []*mcpproxy.Record) {
	t.Helper()
	err := s.Scan(t.Context(), ledger.Filter{OldestFirst: true}, func(r *mcpproxy.Record) error {
		records = append(records, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestAfterAFailureTheFirstRecordSaysWhatIsMissing(t *testing.T) {
	l, store, w, reader := brittleLog(t)
	if err := l.Append(t.Context(), ledgertest.Record("before")); err != nil {
		t.Fatal(err)
	}
	store.broken.Store(true)
	first := ledgertest.Record("lost-0")
	first.Timestamp = first.Timestamp.Add(-time.Minute)
	l.Add(first)
	for i := range 20 {
		err := l.Append(t.Context(), ledgertest.Record(fmt.Sprint("lost-", i+1)))
		if !errors.Is(err, errBroken) {
			t.Fatalf("Append to a broken store says %v", err)
		}
	}
	f := l.Failure()
	if f == nil || f.Lost != 21 || l.Lost() != 21 || !errors.Is(f.Err, errBroken) || f.ID == "" {
		t.Fatalf("the log says of its failure %+v, lost %d; want 21 lost", f, l.Lost())
	}
	if n := store.attempts.Load(); n > 10 {
		t.Errorf("%d attempts at a broken store for 21 records: they are not bounded", n)
	}

	store.broken.Store(false)
	var gap *mcpproxy.Record
	select {
	case gap = <-w.recovered:
	case <-time.After(10 * ledger.RetryEvery):
		t.Fatal("the log does not try again by itself")
	}
	if l.Failure() != nil {
		t.Errorf("after it recovered the log still says %v", l.Failure())
	}
	if err := l.Append(t.Context(), ledgertest.Record("after")); err != nil {
		t.Fatal(err)
	}

	records := all(t, reader)
	if len(records) != 3 || records[0].ID != "before" || records[1].Type != mcpproxy.RecordGap ||
		records[2].ID != "after" {
		t.Fatalf("the log has %d records, want one before, the gap and one after", len(records))
	}
	got, ok := mcpproxy.GapOf(records[1])
	if !ok || got.Reason != mcpproxy.GapLogFailure || got.Lost != 21 || !got.From.Equal(first.Timestamp) ||
		got.To.Before(got.From) {
		t.Errorf("the gap is %+v, %v", got, ok)
	}
	if records[1].ID != f.ID || gap.ID != f.ID {
		t.Errorf("the gap has the id %s, the failure promised %s", records[1].ID, f.ID)
	}
	rep, err := reader.Verify(t.Context())
	if err != nil || !rep.OK || rep.Gaps != 1 || rep.LastGap == nil || rep.LastGap.Lost != 21 {
		t.Errorf("verify says %+v, %v", rep, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.failures) != 1 {
		t.Errorf("the watcher heard of %d failures, want 1", len(w.failures))
	}
	if fmt.Sprint(w.written) != fmt.Sprint([]string{"before", f.ID, "after"}) {
		t.Errorf("the watcher heard that %v were written", w.written)
	}
}

func TestARecordThatNoStoreTakesDoesNotStopTheLog(t *testing.T) {
	l, _, w, reader := brittleLog(t)
	bad := ledgertest.Record("bad")
	bad.Arguments = json.RawMessage("{oops")
	if err := l.Append(t.Context(), bad); err == nil {
		t.Fatal("a record that is not valid was taken")
	}
	if f := l.Failure(); f != nil {
		t.Errorf("because of one bad record the log says that it cannot be written: %v", f)
	}
	<-w.recovered
	if err := l.Append(t.Context(), ledgertest.Record("good")); err != nil {
		t.Error(err)
	}
	records := all(t, reader)
	if len(records) != 2 || records[0].Type != mcpproxy.RecordGap || l.Lost() != 1 {
		t.Errorf("%d records, %d lost; want a gap and the good record, 1 lost", len(records), l.Lost())
	}
}

func TestALogThatIsClosedWhileItFailsTriesOnceMore(t *testing.T) {
	l, store, _, reader := brittleLog(t)
	store.broken.Store(true)
	if err := l.Append(t.Context(), ledgertest.Record("lost")); err == nil {
		t.Fatal("the broken store took a record")
	}
	store.broken.Store(false)
	l.Close()
	if records := all(t, reader); len(records) != 1 || records[0].Type != mcpproxy.RecordGap {
		t.Errorf("after Close the log has %d records, want the gap", len(records))
	}
}
