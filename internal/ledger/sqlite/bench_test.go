package sqlite_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"mcpproxy"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/sqlite"
)

// sample is a typical record, with about n bytes of arguments and of response.
func sample(i, n int, rng *rand.Rand) *mcpproxy.Record {
	server := rng.IntN(20)
	r := &mcpproxy.Record{
		ID:            fmt.Sprintf("01J%023d", i),
		Type:          mcpproxy.RecordToolCall,
		Source:        "mcp",
		Principal:     "local",
		Timestamp:     time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 3 * time.Second),
		SessionID:     fmt.Sprint("session-", i/2000),
		FlowSessionID: fmt.Sprint("flow-", i/5000),
		RequestID:     strconv.Itoa(i % 1_000_000),
		ServerName:    fmt.Sprint("server-", server),
		ToolName:      fmt.Sprint("tool-", server, "-", rng.IntN(6)),
		Status:        mcpproxy.StatusSuccess,
		Decision:      mcpproxy.Allow,
		RiskLevel:     mcpproxy.RiskNone,
		Arguments:     json.RawMessage(fmt.Sprintf(`{"text":"%0*d"}`, n, i)),
		Response:      json.RawMessage(fmt.Sprintf(`"%0*d"`, n, i)),
	}
	switch luck := rng.IntN(1000); {
	case luck < 5:
		r.Type = mcpproxy.RecordPolicyDecision
		r.Status = mcpproxy.StatusBlocked
		r.Decision = mcpproxy.Deny
		r.Rule = "security.flow_policy.sensitive_data_external"
		r.RiskLevel = mcpproxy.RiskCritical
		r.RiskScore = 90
		r.FlowType = mcpproxy.InternalToExternal
		r.Metadata.Sensitive = &mcpproxy.SensitiveData{
			Detected: true,
			Detections: []mcpproxy.Detection{
				{Type: "github_token", Category: "api_token", Severity: mcpproxy.SeverityCritical},
			},
		}
	case luck < 50:
		r.Decision = mcpproxy.Warn
		r.Rule = "security.flow_policy.internal_to_external"
		r.RiskLevel = mcpproxy.RiskMedium
		r.FlowType = mcpproxy.InternalToExternal
	case luck < 100:
		r.Metadata.Sensitive = &mcpproxy.SensitiveData{
			Detected:   true,
			Detections: []mcpproxy.Detection{{Type: "email", Category: "contact", Severity: mcpproxy.SeverityLow}},
		}
	case luck < 130:
		r.Status, r.ErrorMessage = mcpproxy.StatusError, "not found"
	case luck < 330:
		r.Type, r.ParentID = mcpproxy.RecordHookEvaluation, fmt.Sprintf("01J%023d", max(0, i-1))
	}
	return r
}

// fill appends records to a log in groups of 2,048.
func fill(tb testing.TB, s *sqlite.Store, from, to, size int) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(from)))
	for i := from; i < to; {
		group := make([]*mcpproxy.Record, 0, 2048)
		for ; i < to && len(group) < 2048; i++ {
			group = append(group, sample(i, size, rng))
		}
		if err := s.Append(tb.Context(), group); err != nil {
			tb.Fatal(err)
		}
	}
}

// BenchmarkAppend appends groups of records with 1 KB of bodies, each in one transaction. The result is the time for
// one record.
func BenchmarkAppend(b *testing.B) {
	for _, group := range []int{1, 64, 512, 2048} {
		b.Run(fmt.Sprintf("groups of %d", group), func(b *testing.B) {
			s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "activity.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			rng := rand.New(rand.NewPCG(1, 1))
			b.ResetTimer()
			for n := 0; n < b.N; n += group {
				b.StopTimer()
				records := make([]*mcpproxy.Record, min(group, b.N-n))
				for i := range records {
					records[i] = sample(n+i, 500, rng)
				}
				b.StartTimer()
				if err := s.Append(b.Context(), records); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

// large returns the log of BenchmarkPage: LEDGER_RECORDS records (100,000 by default) in the folder LEDGER_DIR, where
// the log stays for the next run.
func large(b *testing.B) (*sqlite.Store, int) {
	records := 100_000
	if n, err := strconv.Atoi(os.Getenv("LEDGER_RECORDS")); err == nil {
		records = n
	}
	dir := os.Getenv("LEDGER_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	s, err := sqlite.Open(b.Context(), filepath.Join(dir, "activity.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	have, err := s.Count(b.Context(), ledger.Filter{})
	if err != nil {
		b.Fatal(err)
	}
	begun := time.Now()
	fill(b, s, have, records, 100)
	if have < records {
		b.Logf(
			"%d records were written at %.0f a second",
			records-have,
			float64(records-have)/time.Since(begun).Seconds(),
		)
	}
	return s, records
}

// BenchmarkPage reads the first page of 50 and its total, as the API does.
func BenchmarkPage(b *testing.B) {
	s, records := large(b)
	yes, no := true, false
	day := func(n int) time.Time {
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).
			Add(time.Duration(records) * 3 * time.Second / 100 * time.Duration(n))
	}
	for _, c := range []struct {
		name string
		q    ledger.Filter
	}{
		{"none", ledger.Filter{}},
		{"type", ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordPolicyDecision}}},
		{"two types", ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordPolicyDecision, mcpproxy.RecordHookEvaluation}}},
		{"server", ledger.Filter{Server: "server-7"}},
		{"tool", ledger.Filter{Tool: "tool-7-3"}},
		{"session", ledger.Filter{Session: fmt.Sprint("session-", records/4000), OldestFirst: true}},
		{"flow session", ledger.Filter{Session: fmt.Sprint("flow-", records/10000), OldestFirst: true}},
		{"status", ledger.Filter{Status: mcpproxy.StatusBlocked}},
		{"decision", ledger.Filter{Decision: mcpproxy.Deny}},
		{"rule", ledger.Filter{Rule: "security.flow_policy.internal_to_external"}},
		{"principal", ledger.Filter{Principal: "local"}},
		{"flow type", ledger.Filter{FlowType: mcpproxy.InternalToExternal}},
		{"risk level", ledger.Filter{RiskLevel: mcpproxy.RiskMedium}},
		{"start", ledger.Filter{Start: day(99)}},
		{"end", ledger.Filter{End: day(50)}},
		{"a span in the middle", ledger.Filter{Start: day(40), End: day(41)}},
		{"request", ledger.Filter{RequestID: "777"}},
		{"parent", ledger.Filter{ParentID: fmt.Sprintf("01J%023d", records/2)}},
		{"sensitive", ledger.Filter{Sensitive: &yes}},
		{"not sensitive", ledger.Filter{Sensitive: &no}},
		{"detection type", ledger.Filter{DetectionType: "github_token"}},
		{"severity", ledger.Filter{Severity: mcpproxy.SeverityHigh}},
		{"server and status", ledger.Filter{Server: "server-7", Status: mcpproxy.StatusBlocked}},
		{"server and tool", ledger.Filter{Server: "server-7", Tool: "tool-7-3"}},
		{"type and status, never together", ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordToolCall}, Status: mcpproxy.StatusBlocked}},
		{"risk and span", ledger.Filter{RiskLevel: mcpproxy.RiskHigh, Start: day(40), End: day(60)}},
		{"server and span", ledger.Filter{Server: "server-7", Start: day(40), End: day(60)}},
		{"session and type", ledger.Filter{Session: fmt.Sprint("session-", records/4000), Types: []mcpproxy.RecordType{mcpproxy.RecordPolicyDecision}, OldestFirst: true}},
		{"the last page", ledger.Filter{Offset: records - 50}},
		{"the last page of a server", ledger.Filter{Server: "server-7", Offset: records/20 - records/1000}},
		{"the middle of a session", ledger.Filter{Session: fmt.Sprint("flow-", records/10000), Offset: 2500}},
		{"the middle of a server and span", ledger.Filter{
			Server: "server-7",
			Start:  day(10),
			End:    day(90),
			Offset: records / 50,
		}},
		{"cursor in the middle and status", ledger.Filter{Before: fmt.Sprintf("01J%023d", records/2), Status: mcpproxy.StatusBlocked}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.q.Limit, c.q.Brief = 50, true
			var took []time.Duration
			for b.Loop() {
				begun := time.Now()
				if err := s.Scan(b.Context(), c.q, func(*mcpproxy.Record) error { return nil }); err != nil {
					b.Fatal(err)
				}
				if _, err := s.CountUpTo(b.Context(), c.q, 10_000); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2])/1e6, "ms-median")
			b.ReportMetric(float64(took[len(took)*95/100])/1e6, "ms-p95")
		})
	}
	b.Run("summary", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Summarize(b.Context(), ledger.Filter{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("summary of a span", func(b *testing.B) {
		for b.Loop() {
			_, err := s.Summarize(b.Context(), ledger.Filter{Start: day(40).Add(time.Minute), End: day(60)})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkVerify verifies the large log. The result is the time for one record.
func BenchmarkVerify(b *testing.B) {
	s, records := large(b)
	for b.Loop() {
		if rep, err := s.Verify(b.Context()); err != nil || !rep.OK {
			b.Fatalf("%+v, %v", rep, err)
		}
	}
	b.ReportMetric(float64(records)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkLog writes records through the log as the daemon does: each group is sealed while the previous group is
// being written.
func BenchmarkLog(b *testing.B) {
	s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "activity.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	records := make([]*mcpproxy.Record, b.N)
	for i := range records {
		records[i] = sample(i, 500, rng)
	}
	b.ResetTimer()
	log := ledger.NewLog(s)
	for _, r := range records {
		log.Add(r)
	}
	log.Close()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
