package page

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/sqlite"
)

// long returns the log of a busy month: PAGE_RECORDS records (20,000 by default), of which the newest is an hour old.
// The log is in a temporary folder. If PAGE_LOG is set, it is in that folder instead, and stays there for the next
// run.
func long(t *testing.T) (folder string, records int) {
	t.Helper()
	records = 20_000
	if n, err := strconv.Atoi(os.Getenv("PAGE_RECORDS")); err == nil {
		records = n
	}
	if folder = os.Getenv("PAGE_LOG"); folder == "" {
		folder = t.TempDir()
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), filepath.Join(folder, "activity.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n, err := s.Count(t.Context(), ledger.Filter{}); err != nil || n > 0 {
		t.Logf("the log in %s has %d records already, %v", folder, n, err)
		return folder, records
	}
	end, group := time.Now().Add(-time.Hour), []*mcpproxy.Record(nil)
	for i := range records {
		group = append(group, busy(i, end.Add(time.Duration(i-records)*2*time.Second)))
		if len(group) < 512 && i < records-1 {
			continue
		}
		if err := s.Append(t.Context(), group); err != nil {
			t.Fatal(err)
		}
		group = group[:0]
	}
	return folder, records
}

// busy returns the record with a number. The record's reason contains the number.
func busy(i int, at time.Time) *mcpproxy.Record {
	server := i % 20
	r := &mcpproxy.Record{
		ID:            ulid.MustNew(ulid.Timestamp(at), ulid.DefaultEntropy()).String(),
		Type:          mcpproxy.RecordToolCall,
		Source:        "mcp",
		Principal:     "local",
		Timestamp:     at,
		SessionID:     fmt.Sprint("session-", i/2000),
		FlowSessionID: fmt.Sprint("flow-", i/5000),
		RequestID:     strconv.Itoa(i),
		ServerName:    fmt.Sprint("server-", server),
		ToolName:      fmt.Sprint("tool-", i/20%6),
		Status:        mcpproxy.StatusSuccess,
		Decision:      mcpproxy.Allow,
		RiskLevel:     mcpproxy.RiskNone,
		DurationMS:    3,
		Arguments:     json.RawMessage(fmt.Sprintf(`{"text":"%0100d"}`, i)),
		Response:      json.RawMessage(fmt.Sprintf(`"%0200d"`, i)),
		Metadata: mcpproxy.Metadata{
			Facts:  mcpproxy.Facts{Operation: mcpproxy.Read},
			Kind:   mcpproxy.KindTool,
			Reason: fmt.Sprint("record ", i),
		},
	}
	switch {
	case i%200 == 0:
		r.Type = mcpproxy.RecordPolicyDecision
		r.Status = mcpproxy.StatusBlocked
		r.Decision = mcpproxy.Deny
		r.Rule = "security.flow_policy.sensitive_data_external"
		r.RiskLevel = mcpproxy.RiskCritical
		r.RiskScore = 90
		r.FlowType = mcpproxy.InternalToExternal
	case i%21 == 0:
		r.Decision = mcpproxy.Warn
		r.Rule = "security.flow_policy.internal_to_external"
		r.RiskLevel = mcpproxy.RiskMedium
		r.FlowType = mcpproxy.InternalToExternal
	}
	return r
}

// However long the log is, the page's table can be scrolled to every row and does not use more memory. With -v the
// test prints the measurements.
func TestALongLogInABrowser(t *testing.T) {
	t.Parallel()
	lookFor(t)
	folder, records := long(t)
	play(t, "test/long.mjs", 7, "DATA="+folder, "RECORDS="+strconv.Itoa(records))
}
