package ledger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	os.Exit(m.Run())
}

// file returns a log in a new file, and a second reader of that file.
func file(t *testing.T) (*ledger.Log, *sqlite.Store) {
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
	l := ledger.NewLog(open())
	t.Cleanup(l.Close)
	return l, open()
}

func has(t *testing.T, s ledger.Store, id string) bool {
	t.Helper()
	_, err := s.Get(context.Background(), id)
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func TestAnAppendedRecordIsInTheFile(t *testing.T) {
	l, reader := file(t)
	for i := range 20 {
		id := fmt.Sprint("r", i)
		if err := l.Append(t.Context(), ledgertest.Record(id)); err != nil {
			t.Fatal(err)
		}
		if !has(t, reader, id) {
			t.Fatalf("Append returned before %s was in the file", id)
		}
	}
}

// A record whose writer waits is not delayed by records whose writers do not wait.
func TestAppendDoesNotLinger(t *testing.T) {
	l, reader := file(t)
	l.Add(ledgertest.Record("before"))
	start := time.Now()
	if err := l.Append(t.Context(), ledgertest.Record("urgent")); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("Append took %s", d)
	}
	if !has(t, reader, "before") || !has(t, reader, "urgent") {
		t.Error("the record added before is not in the file with it")
	}
}

// Shows: SC-006.
func TestAnAddedRecordFollowsWithinASecond(t *testing.T) {
	l, reader := file(t)
	l.Add(ledgertest.Record("a"))
	eventually.TrueWithin(t, time.Second, "the record is in the file", func() bool { return has(t, reader, "a") })
}

func TestADurableLogWaitsForEveryRecord(t *testing.T) {
	l, reader := file(t)
	l.SetDurable(true)
	for i := range 20 {
		id := fmt.Sprint("r", i)
		if l.Add(ledgertest.Record(id)); !has(t, reader, id) {
			t.Fatalf("Add returned before %s was in the file", id)
		}
	}
	l.Close()
	l.Add(ledgertest.Record("late")) // must not panic
}

func TestCloseWritesWhatIsLeft(t *testing.T) {
	l, reader := file(t)
	const n = 3000
	for i := range n {
		l.Add(ledgertest.Record(fmt.Sprint("r", i)))
	}
	l.Close()
	if got, err := reader.Count(t.Context(), ledger.Filter{}); got != n || err != nil {
		t.Errorf("%d records in the file, %v; want %d", got, err, n)
	}
	if err := l.Append(t.Context(), ledgertest.Record("late")); !errors.Is(err, ledger.ErrClosed) {
		t.Errorf("after Close, Append says %v", err)
	}
	l.Add(ledgertest.Record("later")) // must not panic
	l.Close()
	if has(t, reader, "late") || has(t, reader, "later") {
		t.Error("a record came into a closed log")
	}
}

// If one record cannot be written, the others are still written.
func TestAnUnwritableRecordIsAlone(t *testing.T) {
	for name, spoil := range map[string]func(*mcpproxy.Record){
		"arguments that are no JSON": func(r *mcpproxy.Record) { r.Arguments = json.RawMessage("{oops") },
		"a response that is no JSON": func(r *mcpproxy.Record) { r.Response = json.RawMessage("\xff") },
		"details that have no JSON":  func(r *mcpproxy.Record) { r.Metadata.Detail = map[string]any{"f": func() {}} },
		"an id that is taken":        func(r *mcpproxy.Record) { r.ID = "first" },
	} {
		t.Run(name, func(t *testing.T) {
			l, reader := file(t)
			l.Add(ledgertest.Record("first"))
			bad := ledgertest.Record("bad")
			spoil(bad)
			l.Add(bad) // lingers, so that it shares a group with the records around it
			l.Add(ledgertest.Record("second"))
			if err := l.Append(t.Context(), ledgertest.Record("third")); err != nil {
				t.Errorf("the good record was refused: %v", err)
			}
			if err := l.Append(t.Context(), bad); err == nil {
				t.Error("the bad record was not refused")
			}
			l.Close()
			for _, id := range []string{"first", "second", "third"} {
				if !has(t, reader, id) {
					t.Errorf("%s is lost", id)
				}
			}
			rep, err := reader.Verify(t.Context())
			if err != nil || !rep.OK || rep.Records != 3+rep.Gaps || rep.Gaps == 0 {
				t.Errorf("the chain: %+v, %v", rep, err)
			}
		})
	}
}

// Watchers read a record while it is being written. (Without synchronisation, the race detector would fail this test.)
func TestARecordMayBeReadWhileItIsWritten(t *testing.T) {
	l, reader := file(t)
	r := ledgertest.Record("a")
	before, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	l.Add(r)
	for end := time.Now().Add(4 * ledger.FlushInterval); time.Now().Before(end); {
		if now, err := json.Marshal(r); err != nil || string(now) != string(before) {
			t.Fatalf("the caller's record changed under its hands: %s, %v", now, err)
		}
	}
	l.Close()
	if !has(t, reader, "a") {
		t.Error("the record is not in the file")
	}
}

func TestManyWritersAndAClose(t *testing.T) {
	l, reader := file(t)
	var mu sync.Mutex
	var kept []string
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 100 {
				id := fmt.Sprintf("w%d-%d", w, i)
				err := l.Append(context.Background(), ledgertest.Record(id))
				if errors.Is(err, ledger.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				kept = append(kept, id)
				mu.Unlock()
			}
		})
	}
	eventually.TrueWithin(t, 10*time.Second, "more than 50 records are kept", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(kept) > 50
	})
	l.Close()
	wg.Wait()
	for _, id := range kept {
		if !has(t, reader, id) {
			t.Errorf("Append promised %s, and it is not in the file", id)
		}
	}
	if rep, err := reader.Verify(t.Context()); err != nil || !rep.OK || rep.Records < len(kept) {
		t.Errorf("the chain after %d records: %+v, %v", len(kept), rep, err)
	}
}

func TestACallerThatLeavesGetsItsOwnError(t *testing.T) {
	l, _ := file(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Append(ctx, ledgertest.Record("a")); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func ExampleLog() {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store, err := sqlite.Open(context.Background(), filepath.Join(dir, "activity.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	log := ledger.NewLog(store)
	log.Add(&mcpproxy.Record{ID: "1", Type: mcpproxy.RecordToolCall})
	log.Close()
	report, err := store.Verify(context.Background())
	fmt.Println(report.Records, report.OK, err)
	// Output: 1 true <nil>
}

// slowStore writes nothing until the test allows it.
type slowStore struct {
	ledger.Store
	let <-chan struct{}
}

func (s slowStore) AppendPrepared(ctx context.Context, r []*mcpproxy.Record, sealed []ledger.Sealed) error {
	<-s.let
	return s.Store.AppendPrepared(ctx, r, sealed)
}

// However large the records are, no more of them wait in memory than the disk can soon write, even after several were
// written together.
func TestLargeRecordsWaitForTheDisk(t *testing.T) {
	const before, records = 3, 20
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "activity.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	let := make(chan struct{})
	l := ledger.NewLog(slowStore{store, let})
	large := func(n int) *mcpproxy.Record {
		r := ledgertest.Record(fmt.Sprint("large", n))
		r.Arguments = json.RawMessage(`"` + strings.Repeat("x", 4<<20) + `"`)
		return r
	}
	for n := range before {
		l.Add(large(records + n))
	}
	written := make(chan error)
	go func() { written <- l.Append(t.Context(), ledgertest.Record("with them")) }()
	for waiting := true; waiting; {
		select {
		case let <- struct{}{}:
		case err := <-written:
			if waiting = false; err != nil {
				t.Fatal(err)
			}
		}
	}
	added := make(chan int, records)
	go func() {
		defer close(added)
		for n := range records {
			l.Add(large(n))
			added <- n
		}
	}()
	for range 4 { // 16 MB
		<-added
	}
	select {
	case n := <-added:
		t.Errorf("record %d did not wait", n)
	case <-time.After(100 * time.Millisecond):
	}
	close(let)
	for range added {
	}
	l.Close()
	for n := range records {
		if !has(t, store, fmt.Sprint("large", n)) {
			t.Errorf("record %d is lost", n)
		}
	}
}
