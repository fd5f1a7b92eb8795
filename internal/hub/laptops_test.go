package hub_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ship"
)

// laptop is a machine whose log is in memory. With two hundred SQLite files, the test would mostly measure SQLite.
type laptop struct {
	t       *testing.T
	folder  string
	signer  *ledger.Signer
	shipper *ship.Shipper

	mu    sync.Mutex
	chain []ledger.Sealed
}

func newLaptop(t *testing.T, s *service) *laptop {
	t.Helper()
	l := &laptop{t: t, folder: t.TempDir()}
	var err error
	if l.signer, err = ledger.OpenSigner(l.folder); err != nil {
		t.Fatal(err)
	}
	e, err := ship.Enroll(t.Context(), s.url(), "", s.token(), "laptop", l.signer)
	if err == nil {
		err = e.Save(l.folder)
	}
	if err == nil {
		l.shipper, err = ship.New(t.Context(), ship.Options{
			Folder: l.folder,
			Source: l,
			Signer: l.signer,
			Bare:   func() bool { return false },
			Record: func(_ context.Context, r *mcpproxy.Record) error { return l.add(r) },

			Demanded: func() string { return "" },
			Every:    100 * time.Millisecond,
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// add appends records to the chain.
func (l *laptop) add(records ...*mcpproxy.Record) error {
	sealed, err := ledger.PrepareAll(records)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range sealed {
		prev := ""
		if n := len(l.chain); n > 0 {
			prev = l.chain[n-1].Hash
		}
		sealed[i].Follow(prev)
		l.chain = append(l.chain, sealed[i])
	}
	return nil
}

// write appends n small records.
func (l *laptop) write(n int) {
	l.t.Helper()
	for range n {
		err := l.add(&mcpproxy.Record{
			ID:         ulid.Make().String(),
			Type:       mcpproxy.RecordToolCall,
			Timestamp:  time.Now().UTC().Truncate(time.Microsecond),
			ServerName: "files",
			ToolName:   "read",
			Status:     mcpproxy.StatusSuccess,
			Arguments:  []byte(`{"path":"notes.txt"}`),
		})
		if err != nil {
			l.t.Fatal(err)
		}
	}
}

// SealedAfter implements [ship.Source].
func (l *laptop) SealedAfter(_ context.Context, after int64, records, _ int) (int64, []ledger.Sealed, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := min(int(after), len(l.chain))
	to := min(from+records, len(l.chain))
	return after + 1, append([]ledger.Sealed{}, l.chain[from:to]...), nil
}

func (l *laptop) written() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.chain))
}

func TestTwoHundredLaptopsShipToOneHubWhileItRestarts(t *testing.T) {
	const many, rounds = 200, 3
	s := newService(t)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	all := make([]*laptop, many)
	for i := range all {
		all[i] = newLaptop(t, s)
	}
	for _, l := range all {
		running.Go(func() { l.shipper.Keep(ctx) })
	}
	for round := range rounds {
		for _, l := range all {
			l.write(10)
		}
		if round < rounds-1 {
			time.Sleep(50 * time.Millisecond) // so that the hub is receiving records when it stops
			s.stop()
			s.start()
		}
	}
	want := int64(0)
	for i, l := range all {
		eventually.True(t, fmt.Sprintf("laptop %d has sent all its records", i), func() bool {
			return l.shipper.Cursor().Seq == l.written()
		})
		want += l.written()
	}
	if want < many*rounds*10 {
		t.Fatalf("only %d records were written", want)
	}
	if n := s.number("SELECT count(*) FROM mcpproxy_records"); n != want {
		t.Errorf("the hub has %d records, want %d", n, want)
	}
	if n := s.number("SELECT count(DISTINCT (writer, id)) FROM mcpproxy_records"); n != want {
		t.Errorf("the hub has %d different records, want %d", n, want)
	}
	disorder := s.number(`SELECT count(*) FROM (SELECT seq, row_number() OVER (PARTITION BY writer ORDER BY day, pos) AS n
		FROM mcpproxy_records) AS r WHERE seq <> n`)
	if disorder > 0 {
		t.Errorf("%d records are not in the order in which their machine wrote them", disorder)
	}
	if rep := s.verify(); !rep.OK || int64(rep.Records) != want {
		t.Errorf("verify: %+v", rep)
	}
}
