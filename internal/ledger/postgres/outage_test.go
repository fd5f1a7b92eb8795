package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/postgres/pgtest"
)

// The database stops and crashes while two gateways write. Afterwards, every confirmed record is in the log exactly
// once.
func TestNothingIsLostOrDoubledWhileTheDatabaseRestarts(t *testing.T) {
	server, err := pgtest.New()
	if err != nil {
		pgtest.Lacking(t, err.Error())
	}
	t.Cleanup(func() {
		if err := server.Remove(); err != nil {
			t.Error(err)
		}
	})
	var stop atomic.Bool
	var answered, lost atomic.Int64
	var writing sync.WaitGroup
	var stores []ledger.Guarded
	var logs []*ledger.Log
	for g := range 2 {
		s := open(t, server.URL, t.TempDir())
		log := ledger.NewLog(s)
		stores, logs = append(stores, s), append(logs, log)
		for w := range 4 {
			writing.Go(func() {
				for i := 0; !stop.Load(); i++ {
					r := ledgertest.Full()
					r.ID = fmt.Sprintf("%d-%d-%06d", g, w, i)
					if err := log.Append(context.Background(), r); err != nil {
						t.Errorf("%s: %v", r.ID, err)
						lost.Add(1)
						return
					}
					answered.Add(1)
				}
			})
		}
	}
	for _, end := range []func() error{server.Stop, server.Crash, server.Stop} {
		time.Sleep(300 * time.Millisecond)
		if err := end(); err != nil {
			t.Fatal(err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(300 * time.Millisecond)
	stop.Store(true)
	writing.Wait()
	for _, log := range logs {
		log.Close()
	}
	ids := map[string]bool{}
	err = stores[0].Scan(t.Context(), ledger.Filter{Brief: true}, func(r *mcpproxy.Record) error {
		if ids[r.ID] {
			t.Errorf("%s is there twice", r.ID)
		}
		ids[r.ID] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if answered.Load() == 0 || int64(len(ids)) != answered.Load() || lost.Load() > 0 {
		t.Errorf("%d records were answered for, %d lost, %d are there", answered.Load(), lost.Load(), len(ids))
	}
	if rep, err := stores[1].Verify(t.Context()); !rep.OK || err != nil {
		t.Errorf("%+v, %v", rep, err)
	}
	t.Logf("%d records", answered.Load())
}
