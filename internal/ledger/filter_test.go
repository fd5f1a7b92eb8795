package ledger_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/ledger"
)

func TestParseFilter(t *testing.T) {
	yes, no := true, false
	for query, want := range map[string]ledger.Filter{
		"":                                  {Limit: 50},
		"limit=1&offset=7":                  {Limit: 1, Offset: 7},
		"limit=100":                         {Limit: 100},
		"detection_type=ssn":                {Limit: 50, DetectionType: "us_ssn"},
		"detection_type=github_token":       {Limit: 50, DetectionType: "github_token"},
		"type=tool_call":                    {Limit: 50, Types: []mcpproxy.RecordType{"tool_call"}},
		"type=hook_evaluation,flow_summary": {Limit: 50, Types: []mcpproxy.RecordType{"hook_evaluation", "flow_summary"}},
		"type=hook_evaluation,+,tool_call+": {Limit: 50, Types: []mcpproxy.RecordType{"hook_evaluation", "tool_call"}},
		"server=s&tool=t&session_id=x": {
			Limit:       50,
			Server:      "s",
			Tool:        "t",
			Session:     "x",
			OldestFirst: true,
		},
		"session_id=x&order=desc&cursor=01JTEST0000000000000000001": {Limit: 50, Session: "x", Before: "01JTEST0000000000000000001"},
		"session_id=x&cursor=01JTEST0000000000000000001": {
			Limit:       50,
			Session:     "x",
			OldestFirst: true,
			After:       "01JTEST0000000000000000001",
		},
		"order=asc&cursor=01JTEST0000000000000000001": {Limit: 50, OldestFirst: true, After: "01JTEST0000000000000000001"},
		"decision=deny&rule=r&principal=p": {
			Limit:     50,
			Decision:  mcpproxy.Deny,
			Rule:      "r",
			Principal: "p",
		},
		"request_id=r&parent_id=p&cursor=01JTEST0000000000000000001": {
			Limit:     50,
			RequestID: "r",
			ParentID:  "p",
			Before:    "01JTEST0000000000000000001",
		},
		"detection_type=email":            {Limit: 50, DetectionType: "email"},
		"status=blocked":                  {Limit: 50, Status: mcpproxy.StatusBlocked},
		"risk_level=high&severity=low":    {Limit: 50, RiskLevel: mcpproxy.RiskHigh, Severity: mcpproxy.SeverityLow},
		"flow_type=internal→external":     {Limit: 50, FlowType: mcpproxy.InternalToExternal},
		"flow_type=internal->external":    {Limit: 50, FlowType: mcpproxy.InternalToExternal},
		"sensitive_data=true":             {Limit: 50, Sensitive: &yes},
		"sensitive_data=false":            {Limit: 50, Sensitive: &no},
		"start_time=2026-01-31T15:04:05Z": {Limit: 50, Start: time.Date(2026, 1, 31, 15, 4, 5, 0, time.UTC)},
		"end_time=2026-01-31T15:04:05.5Z": {Limit: 50, End: time.Date(2026, 1, 31, 15, 4, 5, 5e8, time.UTC)},
	} {
		t.Run(query, func(t *testing.T) {
			values, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ledger.ParseFilter(values)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseFilterRefuses(t *testing.T) {
	for name, c := range map[string]struct{ query, says string }{
		"an unknown type":              {"type=tool_cal", "tool_call"},
		"one unknown type among known": {"type=tool_call,nonsense", "nonsense"},
		"a type in capitals":           {"type=TOOL_CALL", "tool_call"},
		"an unknown status":            {"status=ok", "success"},
		"an unknown risk level":        {"risk_level=severe", "critical"},
		"an unknown flow type":         {"flow_type=inside-out", "internal→external"},
		"an unknown severity":          {"severity=none", "low"},
		"an unknown decision":          {"decision=block", "deny"},
		"an unknown order":             {"order=random", "asc, desc"},
		"a start that is no time":      {"start_time=yesterday", "RFC 3339"},
		"a start without a zone":       {"start_time=2026-01-31T15:04:05", "RFC 3339"},
		"an end that is only a date":   {"end_time=2026-01-31", "RFC 3339"},
		"an end that does not exist":   {"end_time=2026-02-30T00:00:00Z", "RFC 3339"},
		"sensitive_data that is maybe": {"sensitive_data=maybe", "true"},
		"a limit of zero":              {"limit=0", "1 to 100"},
		"a limit above the maximum":    {"limit=101", "1 to 100"},
		"a limit below zero":           {"limit=-1", "1 to 100"},
		"a limit that is no number":    {"limit=ten", "1 to 100"},
		"a limit with a fraction":      {"limit=1.5", "1 to 100"},
		"an offset below zero":         {"offset=-1", "0 to"},
		"an offset that is no number":  {"offset=first", "0 to"},
		"an offset beyond any log":     {"offset=99999999999999999999", "0 to"},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := url.ParseQuery(c.query)
			if err != nil {
				t.Fatal(err)
			}
			_, err = ledger.ParseFilter(values)
			if err == nil {
				t.Fatal("accepted")
			}
			parameter, _, _ := strings.Cut(c.query, "=")
			if !strings.Contains(err.Error(), parameter) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error names not %q and %q: %v", parameter, c.says, err)
			}
		})
	}
}

func TestParseFilterNamesEveryMistake(t *testing.T) {
	_, err := ledger.ParseFilter(url.Values{"limit": {"0"}, "status": {"ok"}, "sensitive_data": {"x"}})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, name := range []string{"limit", "status", "sensitive_data"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name %s: %v", name, err)
		}
	}
}

// A filter name that is listed but not parsed would have no effect.
// Shows: FR-092.
func TestEveryFilterNameHasAnEffect(t *testing.T) {
	value := map[string]string{
		"type":           "tool_call",
		"status":         "error",
		"flow_type":      "internal->external",
		"risk_level":     "low",
		"start_time":     "2026-01-31T15:04:05Z",
		"end_time":       "2026-01-31T15:04:05Z",
		"sensitive_data": "true",
		"severity":       "low",
		"limit":          "7",
		"offset":         "7",
		"decision":       "deny",
		"order":          "asc",
		"cursor":         "01JTEST0000000000000000001",
	}
	none, err := ledger.ParseFilter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range ledger.FilterNames {
		v := value[name]
		if v == "" {
			v = "x"
		}
		got, err := ledger.ParseFilter(url.Values{name: {v}})
		if err != nil || cmp.Equal(none, got) {
			t.Errorf("%s=%s has no effect (%v)", name, v, err)
		}
	}
}

func ExampleParseFilter() {
	q, err := ledger.ParseFilter(url.Values{"risk_level": {"high"}, "limit": {"5"}})
	fmt.Println(q.RiskLevel, q.Limit, err)
	_, err = ledger.ParseFilter(url.Values{"limit": {"many"}})
	fmt.Println(err)
	// Output:
	// high 5 <nil>
	// limit: "many" is not a whole number from 1 to 100
}
