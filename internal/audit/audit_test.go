package audit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/audit"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/sqlite"
)

// rig is a set of tools over a real log.
type rig struct {
	*audit.Toolset
	store    *sqlite.Store
	recorded []*mcpproxy.Record
	suggest  func(context.Context, time.Time) (any, error)
}

func newRig(t testing.TB, records ...*mcpproxy.Record) *rig {
	t.Helper()
	store, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "activity.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if err := store.Append(context.Background(), records); err != nil {
		t.Fatal(err)
	}
	r := &rig{store: store}
	r.Toolset, err = audit.New(audit.Sources{Store: store,
		Session: func(id string) (string, flow.Graph, bool) { return id, flow.Graph{}, id == "live" },
		Now:     func() audit.Now { return audit.Now{Coverage: mcpproxy.CoverageProxyOnly, Sessions: 1} },
		Suggest: func(ctx context.Context, since time.Time) (any, error) { return r.suggest(ctx, since) },
		Record:  func(rec *mcpproxy.Record) { r.recorded = append(r.recorded, rec) },
		Mask:    func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const body = "what the call said"

// made returns n records of one session, a second apart. The last one has the current time.
func made(n int) []*mcpproxy.Record {
	var out []*mcpproxy.Record
	for i := range n {
		r := &mcpproxy.Record{
			ID:            fmt.Sprintf("01JTEST%019d", i),
			Type:          mcpproxy.RecordToolCall,
			Source:        "mcp",
			Timestamp:     time.Now().UTC().Add(time.Duration(i-n) * time.Second),
			FlowSessionID: "mcp:ci:1",
			Principal:     "ci",
			ServerName:    "notes",
			ToolName:      "read_note",
			Status:        mcpproxy.StatusSuccess,
			Decision:      mcpproxy.Allow,
			RiskLevel:     mcpproxy.RiskNone,
			Arguments:     json.RawMessage(`{"text":"` + body + `"}`),
			Response:      json.RawMessage(`"` + body + `"`),
		}
		if i%10 == 9 {
			r.Type = mcpproxy.RecordPolicyDecision
			r.Status = mcpproxy.StatusBlocked
			r.Decision = mcpproxy.Deny
			r.Rule = "security.flow_policy.sensitive_data_external"
			r.RiskScore = 95
			r.RiskLevel = mcpproxy.RiskCritical
			r.ServerName = "slack"
			r.ToolName = "post"
			r.FlowType = mcpproxy.InternalToExternal
			r.Metadata = mcpproxy.Metadata{
				Facts: mcpproxy.Facts{
					Edges: []mcpproxy.Edge{{
						From:      mcpproxy.Origin{Server: "vault", CallID: "c"},
						To:        "slack",
						Type:      mcpproxy.InternalToExternal,
						Risk:      mcpproxy.RiskCritical,
						Sensitive: []string{"api_token"},
					}},
				},
				Reason: "Sensitive data\u202e flowing",
				Sensitive: &mcpproxy.SensitiveData{
					Detected:   true,
					Detections: []mcpproxy.Detection{{Type: "github_token"}},
				},
			}
		}
		out = append(out, r)
	}
	return out
}

// ask asks a question and checks the answer against the tool's output schema.
func (r *rig) ask(t testing.TB, tool, arguments string, into any) {
	t.Helper()
	raw, err := r.Ask(context.Background(), "eve", tool, json.RawMessage(arguments))
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	if len(raw) > audit.MaxAnswer || strings.Contains(string(raw), body) ||
		strings.ContainsRune(string(raw), '\u202e') {
		t.Fatalf("%s answers %d bytes: %.400s", tool, len(raw), raw)
	}
	for _, d := range r.Tools() {
		var def struct {
			Name         string
			InputSchema  *jsonschema.Schema
			OutputSchema *jsonschema.Schema
			Annotations  struct{ ReadOnlyHint bool }
		}
		if err := json.Unmarshal(d, &def); err != nil || !def.Annotations.ReadOnlyHint {
			t.Fatalf("%v: %s", err, d)
		}
		if def.Name != tool {
			continue
		}
		for what, c := range map[string]struct {
			schema *jsonschema.Schema
			value  string
		}{"input": {def.InputSchema, arguments}, "output": {def.OutputSchema, string(raw)}} {
			resolved, err := c.schema.Resolve(nil)
			if err != nil {
				t.Fatalf("%s: its %s schema: %v", tool, what, err)
			}
			var v any
			if err := json.Unmarshal([]byte(c.value), &v); err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(v); err != nil {
				t.Errorf("%s: its %s is not what it promises: %v", tool, what, err)
			}
		}
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

func TestRecordsAreFoundPageByPage(t *testing.T) {
	r := newRig(t, made(200)...)
	seen, cursor := map[string]bool{}, ""
	for pages := 0; ; pages++ {
		var found audit.Found
		r.ask(t, "search_activity", fmt.Sprintf(`{"limit":100,"cursor":%q,"server":"notes"}`, cursor), &found)
		for _, e := range found.Records {
			if seen[e.ID] || e.Server != "notes" {
				t.Fatalf("%s comes twice, or is of %s", e.ID, e.Server)
			}
			seen[e.ID] = true
		}
		if cursor = found.Next; cursor == "" {
			break
		}
		if pages > 50 {
			t.Fatal("the pages do not end")
		}
	}
	if len(seen) != 180 {
		t.Errorf("%d records are found", len(seen))
	}
	var few audit.Found
	r.ask(t, "search_activity", `{"risk_level":"critical","status":"blocked","limit":5}`, &few)
	if len(few.Records) != 5 || few.Total != 20 || few.Next == "" ||
		few.Records[0].Reason != "Sensitive data· flowing" ||
		few.Records[0].Flows[0].From != "vault" {
		t.Errorf("%+v", few)
	}
	r.ask(t, "search_activity", `{"sensitive_data":true,"limit":20}`, &few)
	if len(few.Records) != 20 {
		t.Errorf("%d with sensitive data", len(few.Records))
	}
}

func TestASessionsRecordsAreListedInOrder(t *testing.T) {
	r := newRig(t, made(200)...)
	at, cursor := 0, ""
	for {
		var told audit.Investigation
		r.ask(t, "investigate_session", fmt.Sprintf(`{"session":"mcp:ci:1","cursor":%q}`, cursor), &told)
		for _, e := range told.Timeline {
			if want := fmt.Sprintf("01JTEST%019d", at); e.ID != want {
				t.Fatalf("after %d records comes %s", at, e.ID)
			}
			at++
		}
		if told.Records != 200 || told.Statuses[mcpproxy.StatusBlocked] != 20 || told.Stopped[0].Count != 20 ||
			told.Tools[0].Name != "notes:read_note" ||
			told.Live ||
			len(told.Flows) == 0 ||
			told.Sensitive[0].Name != "github_token" {
			t.Fatalf("%+v", told)
		}
		if cursor = told.Next; cursor == "" {
			break
		}
	}
	if at != 200 {
		t.Errorf("%d records are told", at)
	}
	var live audit.Investigation
	if r.ask(
		t,
		"investigate_session",
		`{"session":"live"}`,
		&live,
	); !live.Live || live.Legs == nil ||
		live.Records != 0 {
		t.Errorf("%+v", live)
	}
}

func TestAReportCountsRecords(t *testing.T) {
	r := newRig(t, made(100)...)
	var got audit.Report
	r.ask(t, "security_report", `{"since":"7d"}`, &got)
	if got.Records != 100 || got.Decisions[mcpproxy.Deny] != 10 || got.Risks[mcpproxy.RiskCritical] != 10 ||
		len(got.HighestRisk) != 10 ||
		got.HighestRisk[0].RiskLevel != mcpproxy.RiskCritical ||
		got.Stopped[0].Name != "security.flow_policy.sensitive_data_external" ||
		got.Principals[0].Count != 100 ||
		got.FlowTypes[mcpproxy.InternalToExternal] != 10 ||
		got.Now.Sessions != 1 {
		t.Errorf("%+v", got)
	}
	r.ask(t, "security_report", `{"since":"`+time.Now().UTC().Add(time.Hour).Format(time.RFC3339)+`"}`, &got)
	if got.Records != 0 {
		t.Errorf("%d records of a time to come", got.Records)
	}
}

func TestAnAuditorsOwnQuestionsAreRecordedAndNotReported(t *testing.T) {
	r := newRig(t)
	var got audit.Report
	r.ask(t, "security_report", `{"since":"1h"}`, &got)
	if _, err := r.Ask(
		context.Background(),
		"eve",
		"search_activity",
		json.RawMessage(`{"tool":"hunter2","limit":0}`),
	); err == nil {
		t.Error("a limit of 0 is taken")
	}
	if len(r.recorded) != 2 {
		t.Fatalf("%d questions are recorded", len(r.recorded))
	}
	first, second := r.recorded[0], r.recorded[1]
	if first.Principal != "eve" || first.Source != "api" || first.ToolName != "audit/security_report" ||
		first.Status != mcpproxy.StatusSuccess ||
		first.FlowSessionID != "" ||
		first.SessionID != "" {
		t.Errorf("%+v", first)
	}
	raw, _ := json.Marshal(second)
	if strings.Contains(string(raw), "hunter2") || second.Status != mcpproxy.StatusError {
		t.Errorf("%s", raw)
	}
	if err := r.store.Append(context.Background(), r.recorded); err != nil {
		t.Fatal(err)
	}
	if r.ask(t, "security_report", `{}`, &got); got.Records != 0 {
		t.Errorf("the questions are counted: %+v", got)
	}
}

func TestSuggestionsAreAskedForSinceATime(t *testing.T) {
	r := newRig(t)
	r.suggest = func(_ context.Context, since time.Time) (any, error) {
		if ago := time.Since(since); ago < 47*time.Hour || ago > 49*time.Hour {
			t.Errorf("asked since %s", since)
		}
		return []string{"allow WebSearch"}, nil
	}
	var got audit.Suggestions
	if r.ask(
		t,
		"suggest_policies",
		`{"since":"48h"}`,
		&got,
	); fmt.Sprint(got.Suggestions) != "[allow WebSearch]" ||
		got.Omitted != 0 {
		t.Errorf("%+v", got)
	}
	r.suggest = func(context.Context, time.Time) (any, error) {
		var many []string
		for range 1000 {
			many = append(many, strings.Repeat("x", 100))
		}
		return many, nil
	}
	if r.ask(t, "suggest_policies", `{"since":"48h"}`, &got); got.Omitted == 0 {
		t.Error("all of 100 KB fit")
	}
	r.suggest = func(context.Context, time.Time) (any, error) {
		return nil, errors.New("/home/me/activity.db is locked")
	}
	if _, err := r.Ask(
		context.Background(),
		"eve",
		"suggest_policies",
		nil,
	); err == nil ||
		err.Error() != "the activity log cannot be read" {
		t.Error(err)
	}
	r.Suggest = nil
	if _, err := r.Ask(context.Background(), "eve", "suggest_policies", nil); err == nil {
		t.Error("suggestions come from nowhere")
	}
}

func TestWrongQuestionsAreExplained(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct{ tool, arguments, want string }{
		{"search_activity", `{"risk":"high"}`, `no filter "risk"`},
		{"search_activity", `{"risk_level":"huge"}`, "huge"},
		{"search_activity", `{"limit":1000}`, "1 to 100"},
		{"search_activity", `{"type":["a"]}`, "single value"},
		{"search_activity", `{"type":"a","type":"b"}`, "not valid"},
		{"search_activity", `[]`, "not valid"},
		{"security_report", `{"since":"soon"}`, "soon"},
		{"security_report", `{"since":"9999d"}`, "a year"},
		{"security_report", `{"Since":"1d"}`, "not valid"},
		{"investigate_session", `{}`, "session"},
		{"investigate_session", `{"session":"ghost"}`, "ghost"},
		{"investigate_session", `{"session":"x","cursor":"-1"}`, "cursor"},
		{"no_tool", `{}`, "no_tool"},
	} {
		_, err := r.Ask(context.Background(), "eve", c.tool, json.RawMessage(c.arguments))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v", c.tool, c.arguments, err)
		}
	}
}

// heap is a store that keeps a session's records in memory, oldest first.
type heap struct {
	ledger.Store
	all []*mcpproxy.Record
}

func (h heap) CountUpTo(context.Context, ledger.Filter, int) (int, error) { return len(h.all), nil }

func (h heap) Scan(_ context.Context, q ledger.Filter, f func(*mcpproxy.Record) error) error {
	all := slices.Clone(h.all)
	if !q.OldestFirst {
		slices.Reverse(all)
	}
	for _, r := range all {
		if q.Before != "" && r.ID >= q.Before {
			continue
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// Whatever servers and agents have written, an answer stays within its limit and contains no control characters, and
// its pages continue.
func TestAnswersAreBoundedWhateverIsInTheLog(t *testing.T) {
	text := rapid.SampledFrom(
		[]string{
			"",
			"a",
			strings.Repeat("ü", 400),
			strings.Repeat("\"\\", 3000),
			strings.Repeat("\U0001F600", 5000),
			"\x1b[31m\u202e\x00",
			"\xff\xfe",
		},
	)
	rapid.Check(t, func(rt *rapid.T) {
		var records heap
		for i := range 12 {
			r := made(10)[9]
			r.ID = fmt.Sprintf("01JTEST%019d", i)
			r.ServerName = text.Draw(rt, "server")
			r.ToolName = text.Draw(rt, "tool")
			r.Rule = text.Draw(rt, "rule")
			r.Principal = text.Draw(rt, "principal")
			r.Metadata.Reason, r.FlowSessionID = text.Draw(rt, "reason"), "s"
			for range 12 {
				w := text.Draw(rt, "word")
				r.Metadata.Signals = append(
					r.Metadata.Signals,
					mcpproxy.Signal{Kind: w + fmt.Sprint(len(r.Metadata.Signals))},
				)
				r.Metadata.Edges = append(
					r.Metadata.Edges,
					mcpproxy.Edge{To: w, From: mcpproxy.Origin{Server: w}, Sensitive: []string{w, w + "1", w + "2"}},
				)
			}
			records.all = append(records.all, r)
		}
		tools, err := audit.New(audit.Sources{
			Store:   records,
			Session: func(string) (string, flow.Graph, bool) { return "", flow.Graph{}, false },
			Now:     func() audit.Now { return audit.Now{} },
			Record:  func(*mcpproxy.Record) {},
			Mask:    func(s string) string { return s },
		})
		if err != nil {
			rt.Fatal(err)
		}
		for tool, arguments := range map[string]string{"search_activity": `{"cursor":%q}`, "investigate_session": `{"session":"s","cursor":%q}`} {
			seen, cursor := 0, ""
			for {
				raw, err := tools.Ask(context.Background(), "eve", tool, json.RawMessage(fmt.Sprintf(arguments, cursor)))
				if err != nil || len(raw) > audit.MaxAnswer || strings.ContainsAny(string(raw), "\x1b\u202e") {
					rt.Fatalf("%s: %v, %d bytes", tool, err, len(raw))
				}
				var page struct {
					Activities, Timeline []struct{ ID string }
					Next                 string `json:"next_cursor"`
				}
				if err := json.Unmarshal(raw, &page); err != nil {
					rt.Fatal(err)
				}
				if seen += len(page.Activities) + len(page.Timeline); len(page.Activities)+len(page.Timeline) == 0 {
					rt.Fatalf("%s: a page is empty after %d records", tool, seen)
				}
				if cursor = page.Next; cursor == "" {
					break
				}
			}
			if seen != 12 {
				rt.Fatalf("%s shows %d records", tool, seen)
			}
		}
		if raw, err := tools.Ask(
			context.Background(),
			"eve",
			"security_report",
			nil,
		); err != nil ||
			len(raw) > audit.MaxAnswer {
			rt.Fatalf("security_report: %v, %d bytes", err, len(raw))
		}
	})
}

func FuzzQuestions(f *testing.F) {
	f.Add("search_activity", `{"limit":5,"type":"tool_call"}`)
	f.Add("security_report", `{"since":"7d"}`)
	f.Add("investigate_session", `{"session":"mcp:ci:1","cursor":"1"}`)
	r := newRig(f, made(5)...)
	asked := 0
	f.Fuzz(func(t *testing.T, tool, arguments string) {
		r.recorded = nil
		asked++
		auditor := fmt.Sprint("eve-", asked/50) // one principal alone must not ask that many questions
		raw, err := r.Ask(context.Background(), auditor, tool, json.RawMessage(arguments))
		if err == nil && (!json.Valid(raw) || len(raw) > audit.MaxAnswer) {
			t.Errorf("%s", raw)
		}
		if len(r.recorded) != 1 {
			t.Errorf("%d records", len(r.recorded))
		}
	})
}

// Each question adds a record. Without a limit, an auditor could push unwanted records out of the log.
func TestQuestionsBeyondTheLimitAreNotRecorded(t *testing.T) {
	r := newRig(t)
	var last error
	for range 200 {
		_, last = r.Ask(context.Background(), "eve", "search_activity", json.RawMessage(`{"limit":0}`))
	}
	if last == nil || !strings.Contains(last.Error(), "too many questions") ||
		!strings.Contains(last.Error(), "ask again in") {
		t.Errorf("the last question is answered with %v", last)
	}
	if n := len(r.recorded); n < 100 || n > 150 {
		t.Errorf("%d questions are recorded", n)
	}
	var found audit.Found
	raw, err := r.Ask(context.Background(), "adam", "search_activity", nil)
	if err != nil || json.Unmarshal(raw, &found) != nil {
		t.Errorf("another auditor is kept from asking: %v", err)
	}
}
