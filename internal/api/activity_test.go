package api_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/ledger"
)

// unchained removes the fields that the log adds to a record.
var unchained = cmpopts.IgnoreFields(mcpproxy.Record{}, "PrevHash", "Hash")

func ids(records []*mcpproxy.Record) string {
	var out []string
	for _, r := range records {
		out = append(out, strings.TrimLeft(strings.TrimPrefix(r.ID, "01JTEST"), "0"))
	}
	return strings.Join(out, " ")
}

// Shows: FR-072, story 7.
func TestFiltersSelectRecords(t *testing.T) {
	r := newRig(t, some()...)
	for query, want := range map[string]string{
		"":                               "4 3 2 1",
		"type=tool_call":                 "3 1",
		"type=tool_call,policy_decision": "3 2 1",
		"server=chat":                    "3 2",
		"server=chat&tool=post_message&status=blocked": "2",
		"session_id=s2":                                     "3",
		"flow_type=internal-%3Eexternal":                    "3 2",
		"flow_type=" + url.QueryEscape("internal→external"): "3 2",
		"risk_level=medium":                                 "3 2",
		"risk_level=critical":                               "2",
		"start_time=2026-03-01T12:02:00Z":                   "4 3",
		"end_time=2026-03-01T12:01:00Z":                     "2 1",
		"request_id=7":                                      "3",
		"sensitive_data=true":                               "1",
		"detection_type=github_token":                       "1",
		"severity=medium":                                   "1",
		"limit=1&offset=2":                                  "2",
		"limit=2&cursor=01JTEST0000000000000000003":         "2 1",
		"server=nobody":                                     "",
	} {
		t.Run(query, func(t *testing.T) {
			var page api.Page
			r.ask("/api/v1/activity?"+query, nil).data(t, &page)
			if got := ids(page.Records); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if strings.Contains(query, "limit") {
				return
			}
			if page.Total != len(page.Records) {
				t.Errorf("the total is %d", page.Total)
			}
			var sum ledger.Breakdown
			if r.ask("/api/v1/activity/summary?"+query, nil).data(t, &sum); sum.Total != page.Total {
				t.Errorf("the summary counts %d", sum.Total)
			}
			var exported []*mcpproxy.Record
			err := json.Unmarshal([]byte(r.ask("/api/v1/activity/export?"+query, nil).body), &exported)
			if err != nil || len(exported) != page.Total {
				t.Errorf("%d records are exported, %v", len(exported), err)
			}
		})
	}
}

func TestAPageLeadsToTheNext(t *testing.T) {
	r := newRig(t, some()...)
	var got []string
	cursor := ""
	for range 10 {
		var page api.Page
		r.ask("/api/v1/activity?limit=3&cursor="+cursor, nil).data(t, &page)
		got = append(got, ids(page.Records))
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if diff := cmp.Diff([]string{"4 3 2", "1"}, got); diff != "" {
		t.Error(diff)
	}
}

// A list contains no bodies; a single record contains them.
func TestBodiesAreShownOnlyForASingleRecord(t *testing.T) {
	records := some()
	r := newRig(t, records...)
	if a := r.ask("/api/v1/activity", nil); strings.Contains(a.body, "[masked]") {
		t.Error("the listing carries arguments")
	}
	var got mcpproxy.Record
	r.ask("/api/v1/activity/"+records[1].ID, nil).data(t, &got)
	if diff := cmp.Diff(records[1], &got, unchained); diff != "" {
		t.Errorf("the record reads differently (-stored +read):\n%s", diff)
	}
}

func TestAMalformedFilterIsRefusedByName(t *testing.T) {
	r := newRig(t, some()...)
	for parameter, value := range map[string]string{
		"type":           "tool_cal",
		"status":         "ok",
		"flow_type":      "nowhere",
		"risk_level":     "huge",
		"start_time":     "yesterday",
		"end_time":       "2026-13-01T00:00:00Z",
		"sensitive_data": "maybe",
		"severity":       "5",
		"limit":          "101",
		"offset":         "-1",
	} {
		for _, path := range []string{"/api/v1/activity", "/api/v1/activity/summary", "/api/v1/activity/export"} {
			if parameter == "limit" && strings.HasSuffix(path, "export") {
				continue // an export is not limited
			}
			a := r.ask(path+"?"+parameter+"="+url.QueryEscape(value), nil)
			if a.status != http.StatusBadRequest {
				t.Errorf("%s?%s=%s answers %d", path, parameter, value, a.status)
				continue
			}
			if msg := a.failure(t); !strings.Contains(msg, parameter) || !strings.Contains(msg, value) {
				t.Errorf("%s?%s=%s: the error does not name both: %s", path, parameter, value, msg)
			}
		}
	}
	for path, says := range map[string]string{
		"/api/v1/activity/export?format=xml":            "format",
		"/api/v1/activity/export?include_flows=perhaps": "include_flows",
		"/api/v1/tools?limit=none":                      "limit",
		"/api/v1/tools?limit=0":                         "limit",
	} {
		a := r.ask(path, nil)
		if a.status != http.StatusBadRequest || !strings.Contains(a.failure(t), says) {
			t.Errorf("%s answers %d: %s", path, a.status, a.body)
		}
	}
}

// If a misspelt filter were ignored, the request would select everything.
func TestAnUnknownFilterIsRefused(t *testing.T) {
	r := newRig(t, some()...)
	for _, path := range []string{"/api/v1/activity", "/api/v1/activity/summary", "/api/v1/activity/export"} {
		a := r.ask(path+"?statuss=blocked", nil)
		if a.status != http.StatusBadRequest || !strings.Contains(a.body, "statuss") {
			t.Errorf("%s answers %d to a filter that does not exist", path, a.status)
		}
	}
}

func TestExportFormats(t *testing.T) {
	records := some()
	r := newRig(t, records...)
	lines := strings.Split(
		strings.TrimSpace(r.ask("/api/v1/activity/export?format=jsonl&include_flows=true", nil).body),
		"\n",
	)
	if len(lines) != len(records) {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines {
		var got mcpproxy.Record
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(records[i], &got, unchained); diff != "" {
			t.Errorf("record %d, oldest first (-stored +exported):\n%s", i, diff)
		}
	}
	for path, want := range map[string]string{
		"json":  "application/json",
		"jsonl": "application/jsonl",
		"csv":   "text/csv; charset=utf-8",
		"":      "application/json",
	} {
		if a := r.ask("/api/v1/activity/export?format="+path, nil); a.header.Get("Content-Type") != want {
			t.Errorf("%q comes as %s", path, a.header.Get("Content-Type"))
		}
	}
	if a := r.ask("/api/v1/activity/export", nil); strings.Contains(a.body, "flow_edges") {
		t.Error("flows are exported without being asked for")
	}
	if a := r.ask("/api/v1/activity/export?server=nobody", nil); strings.TrimSpace(a.body) != "[]" {
		t.Errorf("an empty export is %q", a.body)
	}
}

// A spreadsheet treats a cell that begins like a formula as a formula.
func TestCSVCellsAreInert(t *testing.T) {
	evil := []string{
		"=1+1",
		"+1",
		"-1",
		"@SUM(A1)",
		"\t=1",
		"\r=1",
		"=HYPERLINK(\"http://evil.example\")",
		"plain, with \"quotes\"\nand lines",
	}
	var records []*mcpproxy.Record
	for i, text := range evil {
		rec := some()[2]
		rec.ID = rec.ID[:25] + string(rune('A'+i))
		rec.ErrorMessage, rec.ToolName = text, text
		records = append(records, rec)
	}
	a := newRig(t, records...).ask("/api/v1/activity/export?format=csv", nil)
	rows, err := csv.NewReader(bytes.NewReader([]byte(a.body))).ReadAll()
	if err != nil || len(rows) != len(evil)+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, row := range rows[1:] {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("row %d has the cell %q", i, cell)
			}
		}
		if !strings.Contains(strings.Join(row, "\x00"), strings.ReplaceAll(evil[i], "\r", "")) {
			t.Errorf("row %d lost its text: %q", i, row)
		}
	}
}

func TestOneSessionIsReadFromItsBeginning(t *testing.T) {
	records := some()
	for _, r := range records {
		r.SessionID = "one"
	}
	r := newRig(t, records...)
	for query, want := range map[string]string{
		"session_id=one":            "1 2 3 4",
		"session_id=one&order=desc": "4 3 2 1",
		"order=asc":                 "1 2 3 4",
		"session_id=one&limit=2&cursor=01JTEST0000000000000000001":            "2 3",
		"session_id=one&limit=2&order=desc&cursor=01JTEST0000000000000000003": "2 1",
	} {
		var page api.Page
		r.ask("/api/v1/activity?"+query, nil).data(t, &page)
		if got := ids(page.Records); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

func TestFilterOptionsAreWhatIsInTheLog(t *testing.T) {
	r := newRig(t, some()...)
	for field, want := range map[string]string{
		"server":         "chat=2 vault=1",
		"tool":           "post_message=2 read_secret=1",
		"status":         "success=2 blocked=1 error=1",
		"type":           "tool_call=2 policy_decision=1 system_start=1",
		"rule":           "security.flow_policy.sensitive_data_external=1",
		"decision":       "allow=1 deny=1 warn=1",
		"detection_type": "github_token=1",
		"severity":       "high=1",
		"session_id":     "s1=1 s2=1",
		"flow_type":      "internal→external=2",
		"principal":      "",
	} {
		var values []ledger.Value
		r.ask("/api/v1/activity/filter-options/"+field, nil).data(t, &values)
		got := []string{}
		for _, v := range values {
			got = append(got, fmt.Sprint(v.Value, "=", v.Records))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", field, got, want)
		}
	}
	if a := r.ask("/api/v1/activity/filter-options/hash", nil); a.status != http.StatusBadRequest {
		t.Errorf("a field without options answers %d", a.status)
	}
}

func TestTheSummaryCountsWhatIsInTheLog(t *testing.T) {
	var sum ledger.Breakdown
	newRig(t, some()...).ask("/api/v1/activity/summary?type=tool_call,policy_decision", nil).data(t, &sum)
	if got := fmt.Sprint(sum.Servers, sum.Tools, sum.Rules, sum.Detections, sum.Sensitive, sum.Width); got !=
		"[{chat 2} {vault 1}] [{chat:post_message 2} {vault:read_secret 1}] [{security.flow_policy.sensitive_data_external 1}] [{github_token 1}] 1 60" {
		t.Errorf("got %s", got)
	}
	if len(sum.Buckets) != 3 || !sum.Buckets[0].Start.Equal(start) || sum.Buckets[1].Blocked != 1 ||
		sum.Buckets[1].Risky != 1 ||
		sum.Buckets[2].Total != 1 {
		t.Errorf("over time: %+v", sum.Buckets)
	}
}

// A page of the log contains no bodies. To the owner, it says what agents' own tools ran or used.
func TestAListingContainsWhatOwnToolsRan(t *testing.T) {
	shell := *some()[0]
	shell.ID = "01JTEST0000000000000000009"
	shell.ServerName, shell.ToolName = "", "Bash"
	shell.Arguments = json.RawMessage(`{"command":"git status"}`)
	read := shell
	read.ID = "01JTEST0000000000000000008"
	read.ToolName, read.Arguments = "Read", json.RawMessage(`{"file_path":"/src/a.go"}`)
	r := newRig(t, append(some(), &read, &shell)...)
	var page api.Page
	r.ask("/api/v1/activity", nil).data(t, &page)
	if diff := cmp.Diff(map[string]string{shell.ID: "git status", read.ID: "/src/a.go"}, page.Ran); diff != "" {
		t.Error(diff)
	}
	for _, one := range page.Records {
		if one.Arguments != nil {
			t.Errorf("%s has its arguments", one.ID)
		}
	}
	if a := r.ask("/api/v1/activity", map[string]string{"X-API-Key": r.auditor}); strings.Contains(a.body, "git status") {
		t.Errorf("an auditor reads what was run: %s", a.body)
	}
}
