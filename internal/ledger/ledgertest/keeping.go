package ledgertest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

// year returns a log of n records, one for each day, in which every third contains a secret. The
// last record is from yesterday.
func year(t *testing.T, s ledger.Store, n int) (now time.Time, all []string) {
	t.Helper()
	now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	var batch []*mcpproxy.Record
	for i := range n {
		r := Record(fmt.Sprintf("day-%03d", i))
		r.Timestamp = now.AddDate(0, 0, i-n)
		r.Arguments, r.Response = fmt.Appendf(nil, `{"day":%d}`, i), []byte(`"fine"`)
		r.Metadata.Reason = "because"
		if i%3 == 0 {
			r.Metadata.Sensitive = detected(mcpproxy.SeverityHigh, "github_token")
		}
		batch, all = append(batch, r), append(all, r.ID)
	}
	add(t, s, batch...)
	return now, all
}

func tidy(t *testing.T, s ledger.Store, now time.Time, rules ledger.Rules) ledger.Tidied {
	t.Helper()
	done, err := s.Tidy(t.Context(), now, rules)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func retention(t *testing.T, s ledger.Store) {
	now, all := year(t, s, 40)
	oldest := ledger.Filter{OldestFirst: true}
	for _, step := range []struct {
		name  string
		rules ledger.Rules
		left  int
	}{
		{"no rules", ledger.Rules{}, 40},
		{"bounds that are far away", ledger.Rules{MaxAge: 1000 * 24 * time.Hour, MaxRecords: 1000, MaxBytes: 1 << 30}, 40},
		{"age", ledger.Rules{MaxAge: 30 * 24 * time.Hour}, 30},
		{"age once more", ledger.Rules{MaxAge: 30 * 24 * time.Hour}, 30},
		{"number", ledger.Rules{MaxRecords: 20}, 20},
		{"both, number first", ledger.Rules{MaxAge: 19 * 24 * time.Hour, MaxRecords: 10}, 10},
	} {
		before, err := s.Count(t.Context(), ledger.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		done := tidy(t, s, now, step.rules)
		if got := ids(t, s, oldest); !slices.Equal(got, all[40-step.left:]) || done.Removed != before-step.left {
			t.Errorf("by %s: %d were removed, left are %v", step.name, done.Removed, got)
		}
		verified(t, s, step.left)
		n, err := s.Count(t.Context(), ledger.Filter{Severity: mcpproxy.SeverityHigh})
		if err != nil || n != (step.left+2)/3 && n != step.left/3 {
			t.Errorf("by %s: %d records with secrets are counted, %v", step.name, n, err)
		}
	}
	if rep := verified(t, s, 10); rep.Removed != 30 {
		t.Errorf("the report says that %d were removed", rep.Removed)
	}
	// All records are removed, and the chain continues.
	last, err := s.Get(t.Context(), all[39])
	if err != nil {
		t.Fatal(err)
	}
	tidy(t, s, now.AddDate(0, 0, 2), ledger.Rules{MaxAge: time.Hour})
	verified(t, s, 0)
	add(t, s, Record("next"))
	if next, err := s.Get(t.Context(), "next"); err != nil || next.PrevHash != last.Hash {
		t.Errorf("the next record follows %+v, %v", next, err)
	}
	verified(t, s, 1)
}

func redaction(t *testing.T, s ledger.Store) {
	now, all := year(t, s, 12)
	rules := ledger.Rules{RedactAfter: 6 * 24 * time.Hour}
	if done := tidy(t, s, now, rules); done.Redacted != 2 || done.Removed != 0 {
		t.Errorf("tidied %+v", done)
	}
	if done := tidy(t, s, now, rules); done.Redacted != 0 {
		t.Errorf("tidied twice: %+v", done)
	}
	for i, id := range all {
		r, err := s.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		gone := i == 0 || i == 3
		if r.Redacted != gone || (r.Arguments == nil) != gone || (r.Response == nil) != gone ||
			r.Metadata.Reason != "because" ||
			r.Hash == "" {
			t.Errorf("%s is now %+v", id, r)
		}
	}
	if rep := verified(t, s, 12); rep.Redacted != 2 {
		t.Errorf("the report says that %d were redacted", rep.Redacted)
	}
	if done := tidy(t, s, now.AddDate(0, 0, 3), rules); done.Redacted != 1 {
		t.Errorf("three days later: %+v", done)
	}
	tidy(t, s, now, ledger.Rules{MaxRecords: 7})
	if rep := verified(t, s, 7); rep.Redacted != 1 {
		t.Errorf("after a cut the report says that %d were redacted", rep.Redacted)
	}
}

func breakdown(t *testing.T, s ledger.Store) {
	records := cast()
	add(t, s, records...)
	sum, err := s.Summarize(t.Context(), ledger.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	slack := ledger.Value{Value: "slack", Records: 2}
	if sum.Total != 5 || sum.Blocked != 1 || sum.Sensitive != 3 || sum.Status[mcpproxy.StatusError] != 1 ||
		sum.AtLeastRisk[mcpproxy.RiskMedium] != 3 ||
		sum.Risk[mcpproxy.RiskHigh] != 1 || len(sum.Servers) != 2 || sum.Servers[0] != slack ||
		len(sum.Buckets) != 1 ||
		sum.Buckets[0].Total != 5 ||
		sum.Buckets[0].Risky != 2 {
		t.Errorf("%+v", sum)
	}
	for name, c := range map[string]struct {
		q    ledger.Filter
		want int
	}{
		"server":       {ledger.Filter{Server: "slack"}, 2},
		"session":      {ledger.Filter{Session: "mcp-1"}, 2},
		"start":        {ledger.Filter{Start: records[2].Timestamp}, 3},
		"a page of it": {ledger.Filter{Limit: 1, Offset: 1, Before: "hook"}, 5},
		"nothing":      {ledger.Filter{Server: "none"}, 0},
	} {
		sum, err := s.Summarize(t.Context(), c.q)
		in := 0
		for _, b := range sum.Buckets {
			in += b.Total
		}
		if err != nil || sum.Total != c.want || in != c.want {
			t.Errorf("by %s: %d in all, %d over time, %v; want %d", name, sum.Total, in, err, c.want)
		}
	}
}

func values(t *testing.T, s ledger.Store) {
	add(t, s, cast()...)
	for field, want := range map[string][]ledger.Value{
		"server":         {{Value: "slack", Records: 2}, {Value: "github", Records: 1}},
		"session_id":     {{Value: "hook-1", Records: 2}, {Value: "mcp-1", Records: 2}, {Value: "hook-2", Records: 1}},
		"principal":      {{Value: "alice", Records: 1}},
		"detection_type": {{Value: "email", Records: 1}, {Value: "github_token", Records: 1}, {Value: "github_token_old", Records: 1}, {Value: "phone", Records: 1}},
	} {
		got, err := s.Values(t.Context(), field, 100)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", field, diff)
		}
	}
	if got, err := s.Values(t.Context(), "server", 1); err != nil || len(got) != 1 {
		t.Errorf("one of them: %v, %v", got, err)
	}
	if _, err := s.Values(t.Context(), "hash", 1); !errors.Is(err, ledger.ErrNoSuchField) {
		t.Errorf("a field without values: %v", err)
	}
	n, err := s.CountUpTo(t.Context(), ledger.Filter{Session: "mcp-1", Start: time.Unix(0, 0)}, 1)
	if n != 1 || err != nil {
		t.Errorf("counted up to 1: %d, %v", n, err)
	}
}

// A brief record has no bodies and must not count as redacted.
func brief(t *testing.T, s ledger.Store) {
	add(t, s, Full())
	err := s.Scan(t.Context(), ledger.Filter{Brief: true}, func(r *mcpproxy.Record) error {
		if r.Arguments != nil || r.Response != nil || r.Redacted || r.Metadata.Reason != "because" {
			t.Errorf("%+v", r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// beside removes old records while other goroutines write new ones.
func beside(t *testing.T, s ledger.Store) {
	now := Full().Timestamp.Add(time.Hour)
	done := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < 100 && err == nil; i++ {
			r := Full()
			r.ID = fmt.Sprint("r", i)
			err = s.Append(t.Context(), []*mcpproxy.Record{r})
		}
		done <- err
	}()
	for running := true; running; {
		tidy(t, s, now, ledger.Rules{MaxRecords: 20, RedactAfter: time.Minute})
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			running = false
		default:
		}
	}
	tidy(t, s, now, ledger.Rules{MaxRecords: 20, RedactAfter: time.Minute})
	if rep := verified(t, s, 20); rep.Removed != 80 || rep.Redacted != 20 {
		t.Errorf("%+v", rep)
	}
}
