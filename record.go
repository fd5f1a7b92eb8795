package mcpproxy

import (
	"encoding/json"
	"time"
)

// RecordType names what a line of the activity log is about.
type RecordType string

// The record types. A stopped call is a policy_decision: it never became a
// tool call.
const (
	RecordToolCall       RecordType = "tool_call"
	RecordPolicyDecision RecordType = "policy_decision"
	RecordServerChange   RecordType = "server_change"
	RecordSystemStart    RecordType = "system_start"
	RecordSystemStop     RecordType = "system_stop"
	RecordConfigChange   RecordType = "config_change"
	RecordHookEvaluation RecordType = "hook_evaluation"
	RecordFlowSummary    RecordType = "flow_summary"
	RecordQuarantine     RecordType = "quarantine_change"
	RecordSecurityScan   RecordType = "security_scan"
	RecordApproval       RecordType = "approval"
	RecordProbeRun       RecordType = "probe_run"
	RecordGap            RecordType = "gap"             // a time of which the log does not say everything; see [Gap]
	RecordAuditorFinding RecordType = "auditor_finding" // reserved
)

// RecordTypes lists every record type.
var RecordTypes = []RecordType{
	RecordToolCall, RecordPolicyDecision, RecordServerChange, RecordSystemStart,
	RecordSystemStop, RecordConfigChange, RecordHookEvaluation, RecordFlowSummary,
	RecordQuarantine, RecordSecurityScan, RecordApproval, RecordProbeRun, RecordGap, RecordAuditorFinding,
}

// Status says how the recorded thing ended.
type Status string

// The statuses.
const (
	StatusSuccess  Status = "success"
	StatusError    Status = "error"
	StatusBlocked  Status = "blocked"
	StatusRejected Status = "rejected"
)

// Statuses lists every status.
var Statuses = []Status{StatusSuccess, StatusError, StatusBlocked, StatusRejected}

// Coverage says how much of the agent the proxy sees (spec-027, FR-029).
type Coverage string

// The coverage modes.
const (
	CoverageProxyOnly Coverage = "proxy_only"
	CoverageFull      Coverage = "full"
)

// Record is one line of the activity log. Secrets in it are masked before it
// leaves the gate.
type Record struct {
	ID            string          `json:"id"`
	Type          RecordType      `json:"type"`
	Source        string          `json:"source"` // mcp, hook, code, api, cli or system
	Timestamp     time.Time       `json:"timestamp"`
	SessionID     string          `json:"session_id,omitempty"`
	FlowSessionID string          `json:"flow_session_id,omitempty"`
	RequestID     string          `json:"request_id,omitempty"`
	ParentID      string          `json:"parent_id,omitempty"`
	Principal     string          `json:"principal,omitempty"`
	ServerName    string          `json:"server_name,omitempty"`
	ToolName      string          `json:"tool_name,omitempty"`
	Status        Status          `json:"status"`
	ErrorMessage  string          `json:"error_message,omitempty"`
	DurationMS    float64         `json:"duration_ms"`
	Decision      Decision        `json:"decision,omitempty"`
	Rule          string          `json:"rule,omitempty"`
	RiskScore     int             `json:"risk_score"`
	RiskLevel     RiskLevel       `json:"risk_level,omitempty"`
	FlowType      FlowType        `json:"flow_type,omitempty"`
	CoverageMode  Coverage        `json:"coverage_mode,omitempty"`
	Arguments     json.RawMessage `json:"arguments,omitempty"`
	Response      json.RawMessage `json:"response,omitempty"`
	Truncated     bool            `json:"response_truncated,omitempty"`
	Redacted      bool            `json:"redacted,omitempty"` // arguments and response were removed with age; set by the ledger
	Metadata      Metadata        `json:"metadata"`
	TraceID       string          `json:"trace_id,omitempty"`
	SpanID        string          `json:"span_id,omitempty"`
	PrevHash      string          `json:"prev_hash,omitempty"` // hex SHA-256; set by the ledger
	Hash          string          `json:"hash,omitempty"`      // hex SHA-256; set by the ledger
}

// Metadata is the part of a record that explains the decision: the facts that were known,
// and what was made of them.
type Metadata struct {
	Facts

	Kind      Kind           `json:"kind,omitempty"`
	Reason    string         `json:"reason,omitempty"`
	Intent    *Intent        `json:"intent,omitempty"`
	Sensitive *SensitiveData `json:"sensitive_data_detection,omitempty"`
	Detail    map[string]any `json:"detail,omitempty"`   // for records that are not calls
	Approval  string         `json:"approval,omitempty"` // id of the approval request that let the call through or refused it

	InspectionMS float64 `json:"inspection_ms,omitempty"`   // what the gate needed for call and result
	ParentSpan   string  `json:"parent_span_id,omitempty"`  // the span that span_id belongs to
	ServerTrace  string  `json:"server_trace_id,omitempty"` // the trace that the server was told of, where that is not trace_id

	// Flagged says that the risk score reached security.risk_assessment.auto_flag_threshold.
	Flagged bool `json:"flagged,omitempty"`
	// ErrorRedacted says that the agent read less of the error than stands here.
	ErrorRedacted bool `json:"error_redacted,omitempty"`
	// Ruled is what the policy said of the call; nil when no policy was asked.
	Ruled *Ruled `json:"ruled,omitempty"`
	// Boundary is what an answer about the call holds for; nil for a call that no rule asks
	// about.
	Boundary *Boundary `json:"boundary,omitempty"`
	// Remembered says that an earlier answer decided about the call, and how long it holds. Then
	// Approval is the id of that request, or of the rule that was kept.
	Remembered Remembered `json:"remembered,omitempty"`
}

// Ruled is the policy's own word about a call, before an ask found nobody to ask
// or its answer, and before the result was looked at.
type Ruled struct {
	Decision Decision `json:"decision"`
	Rule     string   `json:"rule,omitempty"`
	// Also are the other rules that would have stopped the call, in the order in
	// which they would have spoken.
	Also []string `json:"also,omitempty"`
}

// SensitiveData is what the detectors saw in a call and its result.
type SensitiveData struct {
	Detected       bool        `json:"detected"`
	Detections     []Detection `json:"detections,omitempty"`
	ScanDurationMS float64     `json:"scan_duration_ms"`
	Truncated      bool        `json:"truncated,omitempty"`
}

// Detection is one secret or personal datum, without its value.
type Detection struct {
	Type            string   `json:"type"`
	Category        string   `json:"category"`
	Severity        Severity `json:"severity"`
	Location        string   `json:"location"` // JSON path below arguments or response
	IsLikelyExample bool     `json:"is_likely_example,omitempty"`
}
