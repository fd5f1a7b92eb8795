package sqlite_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
)

// If the disk is full, nothing is written. Once there is space again, the log continues by itself and records what is
// missing.
func TestAFullDiskLeavesAGapRecord(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "activity.db"))
	log := ledger.NewLog(s)
	defer log.Close()
	if err := sqlite.LimitPages(t.Context(), s, 60); err != nil {
		t.Fatal(err)
	}
	body, _ := json.Marshal(strings.Repeat("a long answer ", 1000))
	written, lost := 0, 0
	for i := range 200 {
		r := ledgertest.Record(fmt.Sprintf("%03d", i))
		r.Response = body
		switch err := log.Append(t.Context(), r); {
		case err == nil:
			written++
		case errors.Is(err, ledger.ErrUnwritable), strings.Contains(err.Error(), "full"):
			lost++
		default:
			t.Fatal(err)
		}
	}
	f := log.Failure()
	if f == nil || written == 0 || lost == 0 || log.Lost() != int64(lost) {
		t.Fatalf("%d written, %d lost, %d counted as lost, failure %v", written, lost, log.Lost(), f)
	}
	if err := sqlite.LimitPages(t.Context(), s, 0); err != nil {
		t.Fatal(err)
	}
	eventually.SucceedsWithin(t, 10*ledger.RetryEvery, "the log recovers", func() error {
		if f := log.Failure(); f != nil {
			return fmt.Errorf("it has failed: %+v", f)
		}
		return nil
	})
	if err := log.Append(t.Context(), ledgertest.Record("after")); err != nil {
		t.Fatal(err)
	}
	rep, err := s.Verify(t.Context())
	if err != nil || !rep.OK || rep.Gaps == 0 || rep.Records != written+rep.Gaps+1 {
		t.Errorf("%d written and one after; verify says %+v, %v", written, rep, err)
	}
	missing := int64(0)
	err = s.Scan(
		t.Context(),
		ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordGap}},
		func(r *mcpproxy.Record) error {
			gap, _ := mcpproxy.GapOf(r)
			missing += gap.Lost
			return nil
		},
	)
	if err != nil || missing != int64(lost) {
		t.Errorf("the gaps say that %d records are missing, %v; want %d", missing, err, lost)
	}
}
