package daemon

import (
	"database/sql"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/ledger"
)

// changed runs SQL on a log's file, without the log's own code.
func changed(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

// A log that is too large for a complete check at the start is checked from its last checkpoint on.
func TestALargeLogIsCheckedAtTheStartToo(t *testing.T) {
	w := newAudited(t)
	w.d.log.monitor.record(mcpproxy.RecordConfigChange, "", map[string]any{"file": "x"})
	everything := ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordConfigChange}}
	eventually.True(
		w.t,
		"the record is there",
		func() bool { n, err := w.d.log.store.Count(t.Context(), everything); return err == nil && n == 1 },
	)
	changed(
		t,
		w.d.Config().LogPath(),
		`UPDATE pieces SET bodies = CAST(replace(CAST(bodies AS TEXT), '"file":"x"', '"file":"y"') AS BLOB)`,
	)
	w.d.log.upkeep.check(t.Context(), 0)
	alarms := ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordSecurityScan}}
	eventually.True(
		w.t,
		"the alarm is written down",
		func() bool { n, err := w.d.log.store.Count(t.Context(), alarms); return err == nil && n == 1 },
	)
}
