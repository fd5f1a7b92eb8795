package mcpproxy

import (
	"encoding/json"
	"time"
)

// RecordType is the kind of a record in the activity log.
type RecordType string

// The record types. A call that the gate stopped is a policy_decision, because it never reached its tool.
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
	RecordGap            RecordType = "gap"             // a period for which records are missing; see [Gap]
	RecordAuditorFinding RecordType = "auditor_finding" // reserved
)

// RecordTypes lists every record type.
var RecordTypes = []RecordType{
	RecordToolCall, RecordPolicyDecision, RecordServerChange, RecordSystemStart,
	RecordSystemStop, RecordConfigChange, RecordHookEvaluation, RecordFlowSummary,
	RecordQuarantine, RecordSecurityScan, RecordApproval, RecordProbeRun, RecordGap, RecordAuditorFinding,
}

// Status says how the recorded call or event ended.
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

// Record is one entry of the activity log. The gate masks the secrets in it before it passes the
// record on.
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
	Redacted      bool            `json:"redacted,omitempty"` // the ledger removed arguments and response because of the record's age
	Metadata      Metadata        `json:"metadata"`
	TraceID       string          `json:"trace_id,omitempty"`
	SpanID        string          `json:"span_id,omitempty"`
	PrevHash      string          `json:"prev_hash,omitempty"` // hex SHA-256; set by the ledger
	Hash          string          `json:"hash,omitempty"`      // hex SHA-256; set by the ledger
}

// Metadata is the part of a record that explains the decision: the facts about the call and the
// conclusions from them.
type Metadata struct {
	Facts

	Kind      Kind           `json:"kind,omitempty"`
	Reason    string         `json:"reason,omitempty"`
	Intent    *Intent        `json:"intent,omitempty"`
	Sensitive *SensitiveData `json:"sensitive_data_detection,omitempty"`
	Detail    map[string]any `json:"detail,omitempty"`   // for records that are not calls
	Approval  string         `json:"approval,omitempty"` // id of the approval request that let the call through or refused it

	InspectionMS float64 `json:"inspection_ms,omitempty"`   // time that the gate spent on call and result
	ParentSpan   string  `json:"parent_span_id,omitempty"`  // the span that span_id belongs to
	ServerTrace  string  `json:"server_trace_id,omitempty"` // the trace id that the server got, if it differs from trace_id

	// Flagged says that the risk score reached security.risk_assessment.auto_flag_threshold.
	Flagged bool `json:"flagged,omitempty"`
	// ErrorRedacted says that the agent got a shorter error than the record holds.
	ErrorRedacted bool `json:"error_redacted,omitempty"`
	// Ruled is the policy's decision about the call; nil if the policy was not consulted.
	Ruled *Ruled `json:"ruled,omitempty"`
	// Boundary is the set of calls that an answer about this call covers; nil if no rule asks
	// about the call.
	Boundary *Boundary `json:"boundary,omitempty"`
	// Remembered says for how long the earlier answer that decided about the call holds; "" if no earlier answer
	// decided. Approval is then the id of the earlier request or of the stored rule.
	Remembered Remembered `json:"remembered,omitempty"`
	// PersonalMasked says that personal data of the record is masked. The owner can get the record from the log with
	// that data.
	PersonalMasked bool `json:"personal_masked,omitempty"`
	// Agent is the agent of the session and the folder where it works. It is nil if the agent is unknown, and in
	// records of early versions.
	Agent *SessionAgent `json:"agent,omitempty"`
}

// Ruled is the policy's decision about a call. The verdict can differ from it: a person may have answered, nobody may
// have been available to answer, or the gate may have refused the result.
type Ruled struct {
	Decision Decision `json:"decision"`
	Rule     string   `json:"rule,omitempty"`
	// Also lists the other rules that would have stopped the call, in the order of their precedence.
	Also []string `json:"also,omitempty"`
	// Bundle is the name and version of the managed machine's bundle that decided; "" if the user's own configuration
	// decided.
	Bundle string `json:"bundle,omitempty"`
}

// SensitiveData is what the detectors found in a call and its result.
type SensitiveData struct {
	Detected       bool        `json:"detected"`
	Detections     []Detection `json:"detections,omitempty"`
	ScanDurationMS float64     `json:"scan_duration_ms"`
	Truncated      bool        `json:"truncated,omitempty"`
}

// Detection describes one secret or one piece of personal data, without its value.
type Detection struct {
	Type            string   `json:"type"`
	Category        string   `json:"category"`
	Severity        Severity `json:"severity"`
	Location        string   `json:"location"` // JSON path below arguments or response
	IsLikelyExample bool     `json:"is_likely_example,omitempty"`

	// Confidence is from 0 to 1. Sample describes the value: its kind and, for a long value, a few characters of its
	// beginning or end. Records of early versions have neither.
	Confidence float64 `json:"confidence,omitempty"`
	Sample     string  `json:"sample,omitempty"`
}
