package api

import (
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"mcpproxy"
	"mcpproxy/internal/approval"
	rules "mcpproxy/internal/approval/store"
	"mcpproxy/internal/explain"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/home"
	"mcpproxy/internal/home/store"
	"mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/policy/replay"
	"mcpproxy/internal/probe"
	"mcpproxy/internal/token"
	"mcpproxy/internal/trust"
	"mcpproxy/internal/upstream"
)

// parameters are examples of parameters by name. A name has the same meaning in all operations.
var parameters = map[string]any{
	"type":           "tool_call,policy_decision",
	"server":         "notes",
	"tool":           "read_note",
	"session_id":     "mcp:local:one",
	"status":         "blocked",
	"flow_type":      "internal→external",
	"risk_level":     "high",
	"start_time":     "2026-03-01T00:00:00Z",
	"end_time":       "2026-04-01T00:00:00Z",
	"request_id":     "7",
	"parent_id":      "01JQ8Z3M5K7N9P2R4T6V8X0Y1B",
	"sensitive_data": true,
	"detection_type": "github_token",
	"severity":       "high",
	"decision":       "deny",
	"rule":           "security.kill_switch",
	"principal":      "ci",
	"order":          "asc",
	"limit":          20,
	"personal":       "show",
	"offset":         0,
	"cursor":         "01JQ8Z3M5K7N9P2R4T6V8X0Y1B",
	"id":             "01JQ8Z3M5K7N9P2R4T6V8X0Y1A",
	"least":          3,
	"name":           "notes",
	"field":          "status",
	"q":              "read a note",
	"kind":           "tool",
	"definitions":    false,
	"agent":          "codex",
	"event":          "PreToolUse",
	"async":          false,
	"since":          "7d",
	"types":          "flow.alert,activity.*",
	"last_event_id":  "5f3ac1e09b7d-7",
	"Last-Event-ID":  "5f3ac1e09b7d-7",
}

// example is an example of a request and its answer.
type example struct {
	path   map[string]string // parameters that differ from the common examples
	body   any
	answer any // data of the answer
	raw    any // or the whole answer
}

// show adds the example to the operation's documentation.
func (e example) show(op *huma.Operation) {
	for i, p := range op.Parameters {
		if value, ok := e.path[p.Name]; ok {
			own := *p
			own.Example = value
			op.Parameters[i] = &own
		}
	}
	if e.body != nil && op.RequestBody != nil {
		for _, media := range op.RequestBody.Content {
			media.Example = e.body
		}
	}
	whole := e.raw
	if whole == nil {
		whole = map[string]any{"success": true, "data": e.answer}
	}
	if media := op.Responses["200"].Content["application/json"]; media != nil {
		media.Example = whole
	}
	if media := op.Responses["200"].Content["text/event-stream"]; media != nil {
		media.Example = e.raw
	}
}

// when is the time of the examples.
var when = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func exampleRecord() *mcpproxy.Record {
	return &mcpproxy.Record{
		ID:            "01JQ8Z3M5K7N9P2R4T6V8X0Y1A",
		Type:          mcpproxy.RecordPolicyDecision,
		Source:        "mcp",
		Timestamp:     when,
		FlowSessionID: "mcp:ci:/mcp",
		Principal:     "ci",
		ServerName:    "slack",
		ToolName:      "post_message",
		Status:        mcpproxy.StatusBlocked,
		ErrorMessage:  "Sensitive data (api_token) flowing from internal source (vault) to external destination (slack).",
		Decision:      mcpproxy.Deny,
		Rule:          "security.flow_policy.sensitive_data_external",
		RiskScore:     100,
		RiskLevel:     mcpproxy.RiskCritical,
		FlowType:      mcpproxy.InternalToExternal,
		CoverageMode:  mcpproxy.CoverageProxyOnly,
		Metadata:      mcpproxy.Metadata{Facts: mcpproxy.Facts{Operation: mcpproxy.Write}, Kind: mcpproxy.KindTool},
	}
}

func exampleHome() home.Entry {
	return home.Entry{
		Kind:      home.Domain,
		Value:     "acme.example",
		Source:    home.GitUser,
		State:     home.Confirmed,
		From:      "/home/ana/app",
		FirstSeen: when,
		By:        LocalUser,
	}
}

func exampleFleet() FleetView {
	return FleetView{
		Machines: []FleetMachine{{
			Machine: ledger.Machine{
				ID:       "7cced0e58826acad",
				Name:     "laptop-17",
				Version:  "1.4.0",
				Enrolled: when,
				Seen:     when,
				Records:  9,
				Last:     when,
			},
			State: "sends",
		}},
		NewTools: []ledger.Sighting{{
			Server:   "slack",
			Tool:     "post_message",
			First:    when,
			Calls:    4,
			Machines: 1,
			By:       "laptop-17",
		}},
		Approvals: []ledger.Approvals{{
			Server:   "github",
			Tool:     "create_issue",
			Rule:     "security.tool_policy.write",
			Approved: 12,
			Machines: 3,
			Last:     when,
		}},
	}
}

func exampleStatus() upstream.Status {
	return upstream.Status{
		Name:     "notes",
		Protocol: upstream.HTTP,
		State:    upstream.Ready,
		Version:  "2025-11-25",
		Since:    when,
	}
}

func exampleClass() mcpproxy.Class {
	return mcpproxy.Class{
		Side:        mcpproxy.Internal,
		Confidence:  0.9,
		Method:      mcpproxy.ByHeuristic,
		CanReadData: true,
	}
}

func exampleSummary() flow.Summary {
	return flow.Summary{
		Started:      when,
		Last:         when.Add(time.Minute),
		Seconds:      60,
		Origins:      2,
		Edges:        1,
		FlowType:     map[mcpproxy.FlowType]int{mcpproxy.InternalToExternal: 1},
		Risk:         map[mcpproxy.RiskLevel]int{mcpproxy.RiskCritical: 1},
		Destinations: map[mcpproxy.DestinationSource]int{},
		Linked:       []string{},
		Tools:        []string{"vault:read_secret"},
	}
}

func exampleToken() Token {
	end := when.AddDate(0, 0, 30)
	return Token{
		Name:       "ci",
		Role:       token.Agent,
		Servers:    []string{"notes"},
		Tools:      []string{},
		Operations: []mcpproxy.Operation{mcpproxy.Read},
		Created:    when,
		Expires:    &end,
	}
}

// examples returns one example for each operation, by its id.
func examples() map[string]example {
	covered := evaluate.Coverage{
		Mode:   mcpproxy.CoverageFull,
		Active: true,
		Agents: []evaluate.AgentSeen{{Name: "codex", Sessions: 1, Last: when}},
	}
	record := exampleRecord()
	out := map[string]example{
		"standing": {
			answer: Standing{
				Reason: "this decision is the user's: mcpproxy (pid 4711) was started by the agent claude (pid 4242). Take it in a terminal that no agent has started, or on the page",
			},
		},
		"status": {answer: Overview{
			Version:  "1.0.0",
			Started:  when,
			Uptime:   3600,
			Listen:   "127.0.0.1:8080",
			Coverage: covered.Mode,
			Hooks:    true,
			Agents:   covered.Agents,
			Servers:  []upstream.Status{exampleStatus()},
			ByState:  map[upstream.State]int{upstream.Ready: 1},
			Tools:    3,
			Records:  1200,
		}},
		"diagnostics": {answer: Diagnostics{
			Coverage:        covered,
			Servers:         []upstream.Status{exampleStatus()},
			Log:             LogState{Readable: true, Records: 1200},
			Recommendations: []Recommendation{InstallHooks},
		}},
		"list-activity":  {answer: Page{Records: []*mcpproxy.Record{record}, Total: 1, Limit: 20}},
		"get-activity":   {answer: record},
		"filter-options": {answer: []ledger.Value{{Value: "blocked", Records: 1}}},
		"activity-summary": {answer: ledger.Breakdown{
			Total:       1,
			Status:      map[mcpproxy.Status]int{mcpproxy.StatusBlocked: 1},
			Blocked:     1,
			Risk:        map[mcpproxy.RiskLevel]int{mcpproxy.RiskHigh: 1},
			AtLeastRisk: map[mcpproxy.RiskLevel]int{mcpproxy.RiskLow: 1, mcpproxy.RiskHigh: 1},
			Types:       []ledger.Value{{Value: "policy_decision", Records: 1}},
			Servers:     []ledger.Value{{Value: "slack", Records: 1}},
		}},
		"export-activity": {raw: []*mcpproxy.Record{record}},
		"events":          {raw: "id: 7\nevent: flow.alert\ndata: {\"id\":\"01JQ8Z3M5K7N9P2R4T6V8X0Y1A\"}\n\n"},
		"list-sessions":   {answer: []Session{{"mcp:local:one", exampleSummary()}}},
		"session-flow": {
			path: map[string]string{"id": "mcp:local:one"},
			answer: SessionFlow{"mcp:local:one", flow.Graph{
				Summary:      exampleSummary(),
				Origins:      []mcpproxy.Origin{},
				Moves:        []flow.Move{},
				Destinations: []mcpproxy.Destination{},
			}},
		},
		"evaluate-hook": {body: map[string]any{
			"event":      "PreToolUse",
			"session_id": "s1",
			"tool_name":  "Read",
			"tool_input": map[string]any{"file_path": "/tmp/x"},
		},
			answer: evaluate.Answer{
				Decision:   mcpproxy.Ask,
				Reason:     "Private data would leave.",
				RiskLevel:  mcpproxy.RiskMedium,
				ActivityID: record.ID,
			}},
		"explain-activity": {answer: explain.Of(record)},
	}
	rest := []map[string]example{accessExamples(), serverExamples(), decisionExamples(), trialExamples()}
	for _, more := range rest {
		for id, e := range more {
			out[id] = e
		}
	}
	return out
}

// accessExamples returns the examples of tokens and logins.
func accessExamples() map[string]example {
	made := exampleToken()
	return map[string]example{
		"list-tokens": {answer: []Token{made}},
		"create-token": {body: NewToken{
			Name:       "nightly",
			Servers:    []string{"notes"},
			Operations: []mcpproxy.Operation{mcpproxy.Read},
			Expires:    "30d",
		},
			answer: MadeToken{token.Prefix + "…", made}},
		"login": {
			answer: LoginCode{"CODE", when.Add(2 * time.Minute), "http://127.0.0.1:8080/ui/#login=CODE"},
		},
		"exchange-login": {answer: PageSession{Half: "SECRET", Idle: 43200, Role: "owner"}},
		"login-ways":     {answer: SignInWays{&SignInProvider{"Acme", "https://mcp.acme.example/ui/"}}},
		"logout":         {answer: LoggedOut{Ended: true}},
		"revoke-token":   {path: map[string]string{"name": "ci"}, answer: Revoked{"ci"}},
	}
}

// requestID is the id of the approval request in the examples.
const requestID = "01JQ8Z3M5K7N9P2R4T6V8X0Y1C"

// exampleRequest returns an open approval request.
func exampleRequest() approval.Request {
	return approval.Request{
		ID:       requestID,
		Activity: "01JQ8Z3M5K7N9P2R4T6V8X0Y1A",
		Channel:  approval.Queue,
		Asked:    when,
		Expires:  when.Add(5 * time.Minute),
		ToolName: "post_message",
		Binding: approval.Binding{
			Principal: "ci",
			Server:    "slack",
			Tool:      "post_message",
			Arguments: approval.Digest(nil),
		},
		Operation:    mcpproxy.Write,
		Rule:         "security.flow_policy.internal_to_external",
		Reason:       "Internal data would leave.",
		RiskScore:    45,
		RiskLevel:    mcpproxy.RiskMedium,
		Data:         []string{},
		Origins:      []mcpproxy.Origin{},
		Destinations: []mcpproxy.Destination{},
		InWords:      []string{"You did not ask for: send.", "Seen by: your own organisation."},
		Excerpt:      "{}",
		Offers: []mcpproxy.Remembered{
			mcpproxy.RememberedOnce,
			mcpproxy.RememberedSession,
			mcpproxy.RememberedAlways,
		},
		Boundary: &mcpproxy.Boundary{
			Principal:    "ci",
			Server:       "slack",
			Tool:         "post_message",
			Effect:       mcpproxy.EffectSend,
			Audience:     mcpproxy.AudienceNamed,
			Destinations: []string{"channel #releases"},
			Data:         []string{"notes:read"},
			Rules:        []string{"security.flow_policy.internal_to_external"},
			Moves:        []mcpproxy.Movement{{What: "what notes:read brought", To: "#releases"}},
		},
		Text: "ci wants to call slack:post_message.",
	}
}

// exampleRule returns a permanent answer.
func exampleRule(b mcpproxy.Boundary) rules.Rule {
	return rules.Rule{
		ID:       "01JQ8Z3M5K7N9P2R4T6V8X0Y1D",
		Boundary: b,
		Request:  requestID,
		By:       "holder of the API key",
		Since:    when,
	}
}

// decisionExamples returns the examples of people's decisions.
func decisionExamples() map[string]example {
	const id = requestID
	asked := exampleRequest()
	one := map[string]string{"id": id}
	acme := shownHome(exampleHome())
	kept := shownRule(exampleRule(*asked.Boundary))
	return map[string]example{
		"list-home": {answer: []HomeEntry{acme}},
		"fleet":     {answer: exampleFleet()},
		"decide-home": {
			body:   map[string]any{"action": HomeConfirm, "entry": "acme.example"},
			answer: HomeChange{store.Confirmed, acme},
		},
		"list-approvals": {answer: []approval.Request{asked}},
		"decide-approval": {
			body:   map[string]any{"id": id, "approve": true, "for": "once"},
			answer: Decided{id, true, mcpproxy.RememberedOnce},
		},
		"approve-call": {
			path:   one,
			body:   Span{mcpproxy.RememberedOnce},
			answer: Decided{id, true, mcpproxy.RememberedOnce},
		},
		"deny-call":            {path: one, answer: Decided{ID: id}},
		"list-approval-rules":  {answer: []ApprovalRule{kept}},
		"keep-approval-rule":   {body: map[string]any{"activity_id": asked.Activity}, answer: kept},
		"revoke-approval-rule": {path: map[string]string{"id": kept.ID}, answer: kept},
		"kill-state":           {answer: KillState{}},
		"kill": {
			body:   map[string]any{"on": true},
			answer: KillState{On: true, Since: &when, By: "holder of the API key"},
		},
	}
}

// trialExamples returns the examples of running scripts, probing servers and trying policies.
func trialExamples() map[string]example {
	probed := map[string]any{"target_mode": modeMCP, "server": "notes", "suites": []string{"prompt_security"}}
	skipped := probe.Results{
		Tests:         []probe.Result{},
		SkippedSuites: []probe.SkippedSuite{{Suite: "prompt_security", Reason: "there is no such suite here"}},
	}
	return map[string]example{
		"run-code": {
			body: map[string]any{"code": "async () => 1"},
			answer: Ran{
				ActivityID: requestID,
				Decision:   "allow",
				Outcome:    []byte(`{"result":1,"console":[],"tool_calls":0,"duration_ms":3}`),
			},
		},
		"simulate-policy": {
			body: map[string]any{
				"policy": map[string]any{
					"security": map[string]any{"flow_policy": map[string]any{"internal_to_external": "deny"}},
				},
				"since": "7d",
			},
			answer: Simulation{replay.Sum{
				Calls:   120,
				Changed: 1,
				Table:   []replay.Count{},
				Notes:   []string{},
			}, []replay.Change{{
				ID:     exampleRequest().Activity,
				Time:   when,
				Server: "slack",
				Tool:   "post_message",
				Was:    mcpproxy.Ask,
				Would:  mcpproxy.Deny,
				Rule:   "security.flow_policy.internal_to_external",
			}}},
		},
		"run-probe": {body: probed, answer: ProbeReport{Results: skipped}},
		"run-tests": {body: probed, raw: ProbeReport{Results: skipped}},
		"suggest-policies": {answer: []replay.Suggestion{{
			Kind:     replay.KindApproved,
			Text:     "slack:post_message: 47 asks, all approved.",
			Server:   "slack",
			Tool:     "post_message",
			Asked:    47,
			Approved: 47,
		}}},
	}
}

// serverExamples returns the examples of servers and definitions.
func serverExamples() map[string]example {
	tool := Tool{
		Server:      "notes",
		Name:        "read_note",
		Description: "Reads a note",
		Class:       exampleClass(),
		Operation:   mcpproxy.Read,
		InputSchema: json.RawMessage(`{"type":"object"}`),
	}
	state := Trust{
		Kind:     trust.Tool,
		State:    trust.Quarantined,
		Reason:   "It is new.",
		By:       "mcpproxy",
		Since:    when,
		Hash:     "5f3a",
		Held:     true,
		Listed:   true,
		Findings: []trust.Finding{},
	}
	key := trust.Key{Server: "notes", Kind: trust.Tool, Name: "read_note"}
	held := trust.Change{
		Key:    trust.Key{Server: "notes"},
		To:     trust.Quarantined,
		By:     "local user",
		Reason: "looks odd",
		Time:   when,
	}
	one := map[string]any{"tools": []string{"read_note"}}
	return map[string]example{
		"list-servers": {answer: []Server{{
			Status: exampleStatus(),
			Class:  exampleClass(),
			Tools:  3,
			Held:   1,
		}}},
		"list-tools":   {answer: []Tool{tool}},
		"search-tools": {answer: []Tool{tool}},
		"show-tool": {
			answer: Declared{
				Tool:        tool,
				Fingerprint: trust.Fingerprint{ServerName: "notes", ToolName: "read_note", Kind: trust.Tool},
				Definition:  json.RawMessage(`{"name":"read_note"}`),
			},
			path: map[string]string{"tool": "read_note"},
		},
		"diff-tool": {answer: Comparison{
			Server: "notes",
			Name:   "read_note",
			Trust:  state,
			Differences: []trust.Difference{{
				Path:   "description",
				Part:   "description",
				Change: "changed",
				Before: "Reads a note",
				After:  "Reads all",
			}},
			Approved: true,
		}},
		"approve-tools": {body: one, answer: trust.Sweep{Approved: []trust.Key{key}, Skipped: []trust.Skip{}}},
		"block-tools": {
			body:   one,
			answer: trust.Sweep{Approved: []trust.Key{}, Blocked: []trust.Key{key}, Skipped: []trust.Skip{}},
		},
		"quarantine-server": {body: map[string]any{"reason": "looks odd"}, answer: held},
		"unquarantine-server": {answer: trust.Change{
			Key:  held.Key,
			From: trust.Quarantined,
			To:   trust.Approved,
			By:   "local user",
			Time: when,
		}},
		"restart-server": {answer: Restarted{Server: "slack"}},
		"server-logs":    {answer: []upstream.LogLine{{Time: when, Text: "listening"}}},
	}
}
