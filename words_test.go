package mcpproxy_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
)

func ExampleErrorf() {
	err := mcpproxy.Errorf(
		mcpproxy.CodeTimeout,
		errors.New("dial 10.0.0.7:443"),
		"the server %s did not answer",
		"github",
	)
	fmt.Println("operator:", err)
	fmt.Println("agent:", mcpproxy.AgentMessage(err))
	// Output:
	// operator: the server github did not answer: dial 10.0.0.7:443
	// agent: the server github did not answer
}

func TestTheAgentReadsNoCause(t *testing.T) {
	cause := errors.New("password hunter2 refused")
	cases := []struct {
		name string
		err  error
		code mcpproxy.Code
		want string
	}{
		{
			"a typed error shows its message",
			mcpproxy.Errorf(mcpproxy.CodeUpstream, cause, "it failed"),
			mcpproxy.CodeUpstream,
			"it failed",
		},
		{
			"a wrapped one too",
			fmt.Errorf("secret context: %w", mcpproxy.Errorf(mcpproxy.CodeDenied, cause, "denied")),
			mcpproxy.CodeDenied,
			"denied",
		},
		{
			"any other error shows nothing",
			cause,
			mcpproxy.CodeInternal,
			"internal error; the operator's log has the details",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := mcpproxy.AgentMessage(c.err); got != c.want {
				t.Errorf("the agent reads %q", got)
			}
			if got := mcpproxy.CodeOf(c.err); got != c.code {
				t.Errorf("the code is %s", got)
			}
			if !errors.Is(c.err, cause) {
				t.Error("the cause is lost to the operator")
			}
		})
	}
	if got := mcpproxy.Errorf(mcpproxy.CodeInternal, nil, "alone").Error(); got != "alone" {
		t.Errorf("without a cause: %q", got)
	}
}

func TestDecisionsAreOrderedByStrictness(t *testing.T) {
	order := []mcpproxy.Decision{mcpproxy.Allow, mcpproxy.Warn, mcpproxy.Redact, mcpproxy.Ask, mcpproxy.Deny}
	for i, d := range order {
		if d.Rank() != i {
			t.Errorf("%s ranks %d, want %d", d, d.Rank(), i)
		}
		if want := d == mcpproxy.Ask || d == mcpproxy.Deny; d.Stops() != want {
			t.Errorf("%s stops: %v", d, d.Stops())
		}
	}
}

func TestRiskLevelsAreOrdered(t *testing.T) {
	want := []mcpproxy.RiskLevel{"none", "low", "medium", "high", "critical"}
	if diff := cmp.Diff(want, mcpproxy.RiskLevels); diff != "" {
		t.Fatal(diff)
	}
	for i, l := range want {
		if l.Rank() != i {
			t.Errorf("%s ranks %d", l, l.Rank())
		}
	}
	if got := mcpproxy.RiskLevel("severe").Rank(); got != -1 {
		t.Errorf("an unknown level ranks %d", got)
	}
}

func TestSeveritiesAreOrdered(t *testing.T) {
	for i, s := range []mcpproxy.Severity{"low", "medium", "high", "critical"} {
		if s.Rank() != i || mcpproxy.Severities[i] != s {
			t.Errorf("%s ranks %d, and %s is number %d", s, s.Rank(), mcpproxy.Severities[i], i)
		}
	}
	if got := mcpproxy.Severity("severe").Rank(); got != -1 {
		t.Errorf("an unknown severity ranks %d", got)
	}
}

func TestAnOriginIsNamedAfterItsServer(t *testing.T) {
	if got := (mcpproxy.Origin{Server: "github", Tool: "get"}).Name(); got != "github" {
		t.Errorf("got %q", got)
	}
	if got := (mcpproxy.Origin{Tool: "Read"}).Name(); got != "Read" {
		t.Errorf("got %q", got)
	}
}

// The names in the activity log are a contract. Fields may be added, but not renamed.
func TestTheNamesInARecordAreThoseOfTheContract(t *testing.T) {
	want := []string{
		"id",
		"type",
		"source",
		"timestamp",
		"session_id",
		"flow_session_id",
		"request_id",
		"parent_id",
		"principal",
		"server_name",
		"tool_name",
		"status",
		"error_message",
		"duration_ms",
		"decision",
		"rule",
		"risk_score",
		"risk_level",
		"flow_type",
		"coverage_mode",
		"arguments",
		"response",
		"response_truncated",
		"metadata",
		"trace_id",
		"span_id",
		"prev_hash",
		"hash",
	}
	got := names(reflect.TypeFor[mcpproxy.Record]())
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("the record has no %s, only %v", name, got)
		}
	}
	for typ, want := range map[reflect.Type][]string{
		reflect.TypeFor[mcpproxy.Detection](): {
			"type", "category", "severity", "location", "is_likely_example", "confidence", "sample",
		},
		reflect.TypeFor[mcpproxy.SensitiveData](): {"detected", "detections", "scan_duration_ms", "truncated"},
		reflect.TypeFor[mcpproxy.Class](): {
			"classification", "confidence", "method", "can_read_data", "can_exfiltrate", "returns_untrusted", "unknown",
		},
	} {
		if diff := cmp.Diff(want, names(typ)); diff != "" {
			t.Errorf("%s: %s", typ, diff)
		}
	}
}

func names(typ reflect.Type) []string {
	var out []string
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		out = append(out, name)
	}
	return out
}

func TestTheRecordTypesAreThoseOfTheContract(t *testing.T) {
	want := []mcpproxy.RecordType{
		"tool_call",
		"policy_decision",
		"quarantine_change",
		"server_change",
		"system_start",
		"system_stop",
		"config_change",
		"hook_evaluation",
		"flow_summary",
		"security_scan",
		"approval",
		"probe_run",
		"gap",
		"auditor_finding",
	}
	if diff := cmp.Diff(
		slices.Sorted(slices.Values(want)),
		slices.Sorted(slices.Values(mcpproxy.RecordTypes)),
	); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]mcpproxy.Status{"success", "error", "blocked", "rejected"}, mcpproxy.Statuses); diff != "" {
		t.Error(diff)
	}
}

func TestARecordKeepsRawArguments(t *testing.T) {
	const args = `{"n":12345678901234567890,"f":1.0}`
	b, err := json.Marshal(mcpproxy.Record{Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	var back mcpproxy.Record
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if string(back.Arguments) != args {
		t.Errorf("%s came back as %s", args, back.Arguments)
	}
}

// Every other package imports this one, so it must not import any of them.
func TestTheVocabularyImportsTheStandardLibraryOnly(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			imports[path] = name
		}
	}
	if len(imports) == 0 {
		t.Fatal("no imports read")
	}
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		first, _, _ := strings.Cut(path, "/")
		if strings.Contains(first, ".") || first == "mcpproxy" {
			t.Errorf("%s imports %s", imports[path], path)
		}
	}
}

func TestWhichCallsLeaveAndWhichSend(t *testing.T) {
	for name, c := range map[string]struct {
		class         mcpproxy.Class
		op            mcpproxy.Operation
		leaves, sends bool
	}{
		"a message to the outside":        {mcpproxy.Class{Side: mcpproxy.External}, mcpproxy.Write, true, true},
		"a search outside":                {mcpproxy.Class{Side: mcpproxy.External}, mcpproxy.Read, true, false},
		"something outside":               {mcpproxy.Class{Side: mcpproxy.Hybrid}, mcpproxy.UnknownOperation, true, true},
		"an internal tool that shares":    {mcpproxy.Class{Side: mcpproxy.Internal, CanExfiltrate: true}, mcpproxy.Write, true, true},
		"a note inside":                   {mcpproxy.Class{Side: mcpproxy.Internal}, mcpproxy.Write, false, false},
		"an unknown tool without a class": {mcpproxy.Class{Side: mcpproxy.Unknown}, mcpproxy.Write, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if c.class.Leaves() != c.leaves || c.class.Sends(c.op) != c.sends {
				t.Errorf("leaves %v, sends %v", c.class.Leaves(), c.class.Sends(c.op))
			}
		})
	}
}

func TestOnlyAStopBetweenGroupsHasACode(t *testing.T) {
	for _, c := range []struct {
		decision mcpproxy.Decision
		rule     string
		want     mcpproxy.Code
	}{
		{mcpproxy.Deny, "groups.inner", mcpproxy.CodeGroupDenied},
		{mcpproxy.Allow, "groups.inner", ""},
		{mcpproxy.Deny, "security.kill_switch", ""},
		{mcpproxy.Allow, "", ""},
	} {
		if got := (mcpproxy.Verdict{Decision: c.decision, Rule: c.rule}).Code(); got != c.want {
			t.Errorf("%s by %q: %q, want %q", c.decision, c.rule, got, c.want)
		}
	}
}

func TestABareRecordKeepsWhatHappenedAndNotWhatWasSaid(t *testing.T) {
	r := &mcpproxy.Record{
		ID:        "x",
		Arguments: json.RawMessage(`1`),
		Response:  json.RawMessage(`2`),
		Metadata:  mcpproxy.Metadata{Reason: "why", Detail: map[string]any{mcpproxy.DetailText: "3", "by": "me"}},
	}
	bare := r.Bare()
	if bare.Arguments != nil || bare.Response != nil || bare.Metadata.Detail[mcpproxy.DetailText] != nil ||
		bare.Metadata.Detail["by"] != "me" ||
		bare.Metadata.Reason != "why" ||
		bare.ID != "x" {
		t.Errorf("%+v", bare)
	}
	if r.Arguments == nil || r.Metadata.Detail[mcpproxy.DetailText] != "3" {
		t.Errorf("the record itself was changed: %+v", r)
	}
}
