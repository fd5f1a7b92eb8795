package config

import (
	"time"

	"mcpproxy"
)

// Security is the section security, which decides about calls.
type Security struct {
	PIIDetection   PIIDetection   `json:"pii_detection" jsonschema:"Detection of secrets and personal data"`
	RiskAssessment RiskAssessment `json:"risk_assessment" jsonschema:"Thresholds of the risk score"`
	ToolQuarantine ToolQuarantine `json:"tool_quarantine" jsonschema:"What happens to the tools, prompts and instructions that servers declare, when they are new and when they change"`
	ToolPolicy     ToolPolicy     `json:"tool_policy" jsonschema:"What happens to calls by what they do"`
	Alerts         Alerts         `json:"alerts" jsonschema:"Where alerts are sent"`
	Exfiltration   Exfiltration   `json:"exfiltration" jsonschema:"How much one session may send out; 0 means no limit"`
	FlowTracking   FlowTracking   `json:"flow_tracking" jsonschema:"Following data from call to call"`
	Classification Classification `json:"classification" jsonschema:"Which servers and tools are internal or external"`
	Home           []string       `json:"home" jsonschema:"What belongs to your own organisation: domains (acme.example), addresses (me@acme.example), owners and repositories (github.com/acme, github.com/acme/app), account:NAME, workspace:ID"`
	FlowPolicy     FlowPolicy     `json:"flow_policy" jsonschema:"What happens to data on its way out"`
	Hooks          Hooks          `json:"hooks" jsonschema:"Agents' hooks"`
	Policies       []Policy       `json:"policies" jsonschema:"Rules of your own in CEL; the first that matches settles a call"`
	Suppressions   []Suppression  `json:"suppressions" jsonschema:"Rules that do not hold for one server or tool"`
	Approvals      Approvals      `json:"approvals" jsonschema:"Who is asked when a decision is ask"`
	ContentScan    ContentScan    `json:"content_scan" jsonschema:"Instructions hidden in results"`
	ErrorRedaction string         `json:"error_redaction" jsonschema:"on: agents read errors without credentials, URLs, addresses, paths of the host and stack traces, which stand in the log; off: they read what the server wrote"`
	KillSwitch     bool           `json:"kill_switch" jsonschema:"Deny every call"`
}

// PIIDetection is security.pii_detection.
type PIIDetection struct {
	Enabled             bool            `json:"enabled" jsonschema:"Whether calls and results are read for secrets and personal data"`
	Patterns            []string        `json:"patterns" jsonschema:"Kinds of personal data to look for, by name or category; all when empty. Secrets are always looked for"`
	CustomPatterns      []CustomPattern `json:"custom_patterns" jsonschema:"Patterns of your own"`
	SensitiveKeywords   []string        `json:"sensitive_keywords" jsonschema:"Words of your own, such as the names of secret projects; found as whole words in any case"`
	AutoRedactAfterDays int             `json:"auto_redact_after_days" jsonschema:"Days after which arguments and responses with secrets or personal data are removed from the log; what was decided, and why, stays. 0 is never"`
}

// CustomPattern is a pattern of personal data that the user has defined.
type CustomPattern struct {
	Name     string            `json:"name" jsonschema:"Name of the kind"`
	Regex    string            `json:"regex" jsonschema:"Pattern in RE2 syntax"`
	Severity mcpproxy.Severity `json:"severity" jsonschema:"low, medium, high or critical"`
}

// RiskAssessment is security.risk_assessment.
type RiskAssessment struct {
	Enabled                  bool `json:"enabled" jsonschema:"Whether the score decides anything"`
	AutoFlagThreshold        int  `json:"auto_flag_threshold" jsonschema:"Score from 0 to 100 from which calls are flagged: logged for review and alerted; 101 is never reached"`
	RequireApprovalThreshold int  `json:"require_approval_threshold" jsonschema:"Score from 0 to 100 from which somebody is asked; 101 is never reached"`
	BlockOnCritical          bool `json:"block_on_critical" jsonschema:"Whether calls of critical risk are denied"`
}

// ToolQuarantine is security.tool_quarantine.
type ToolQuarantine struct {
	Enabled                   bool   `json:"enabled" jsonschema:"Whether new and changed definitions are held; when false, only what a human has blocked is held"`
	AutoQuarantineNewTools    bool   `json:"auto_quarantine_new_tools" jsonschema:"Whether what is seen for the first time waits for approval; when not, it is approved unless a scan finds something dangerous in it"`
	RugPullDetection          bool   `json:"rug_pull_detection" jsonschema:"Whether what has changed since it was approved waits for approval"`
	QuarantineServerOnRugPull bool   `json:"quarantine_server_on_rug_pull" jsonschema:"Whether a server of which one definition has changed is held as a whole"`
	ProgramChange             string `json:"program_change" jsonschema:"What happens when the code that a stdio server is started with has changed: off, the code is not looked at; warn, it is noted in the log and by doctor; quarantine, everything of the server is held as well until it is approved"`
}

// ToolPolicy is security.tool_policy.
type ToolPolicy struct {
	Read          mcpproxy.Decision `json:"read" jsonschema:"What happens to reading calls"`
	Write         mcpproxy.Decision `json:"write" jsonschema:"What happens to writing calls"`
	Destructive   mcpproxy.Decision `json:"destructive" jsonschema:"What happens to destructive calls that the user did not ask for; deny stops those that he asked for, too"`
	Contradiction mcpproxy.Decision `json:"contradiction" jsonschema:"What happens at most when claims about a call contradict each other, such as an agent that says it reads and a name that says delete: allow, warn, ask or deny"`
	LogLevel      string            `json:"log_level" jsonschema:"Which decisions the daemon writes to its own log. error: denied calls; warn: calls that were warned or asked about as well; info and debug: all"`
}

// Alerts is security.alerts.
type Alerts struct {
	ExfiltrationDetection bool   `json:"exfiltration_detection" jsonschema:"Whether signs of exfiltration and unusual behaviour count for the risk score and stand in the log; what stops calls does not depend on it"`
	PIIExposure           bool   `json:"pii_exposure" jsonschema:"Whether secrets and personal data in calls and results are posted as alerts too, when nothing was stopped"`
	WebhookURL            string `json:"webhook_url" jsonschema:"Where alerts are posted as JSON: https, or http on this machine"`
	WebhookSecret         string `json:"webhook_secret" jsonschema:"Signs what is posted (header X-Mcpproxy-Signature), so that the receiver can tell it from forgeries"`
}

// Exfiltration is security.exfiltration.
type Exfiltration struct {
	MaxExternalCallsPerMinute int               `json:"max_external_calls_per_minute" jsonschema:"External calls within a minute beyond which more are suspicious"`
	MaxSensitiveSends         int               `json:"max_sensitive_sends" jsonschema:"External calls with secrets or personal data within the window beyond which more are critical"`
	MaxBytes                  int               `json:"max_bytes" jsonschema:"Bytes sent out within the window"`
	MaxDestinations           int               `json:"max_destinations" jsonschema:"Different destinations within the window"`
	WindowMinutes             int               `json:"window_minutes" jsonschema:"Length of the window"`
	Action                    mcpproxy.Decision `json:"action" jsonschema:"What happens beyond max_bytes or max_destinations once the session has read sensitive data: allow, warn, ask or deny"`
}

// FlowTracking is security.flow_tracking.
type FlowTracking struct {
	Enabled               bool `json:"enabled" jsonschema:"Whether data is followed"`
	SessionTimeoutMinutes int  `json:"session_timeout_minutes" jsonschema:"Minutes without a call after which a session ends"`
	MaxOriginsPerSession  int  `json:"max_origins_per_session" jsonschema:"Results remembered in one session"`
	HashMinLength         int  `json:"hash_min_length" jsonschema:"Characters below which a text is not followed"`
	MaxResponseHashBytes  int  `json:"max_response_hash_bytes" jsonschema:"Bytes of one result that are followed"`
}

// Classification is security.classification.
type Classification struct {
	DefaultUnknown  mcpproxy.Side            `json:"default_unknown" jsonschema:"Class of servers that no rule matches: internal, external, hybrid or unknown"`
	ServerOverrides map[string]mcpproxy.Side `json:"server_overrides" jsonschema:"Classes by server name"`
	ToolOverrides   map[string]mcpproxy.Side `json:"tool_overrides" jsonschema:"Classes by server:tool, or by an agent's own tool"`
	InternalDomains []string                 `json:"internal_domains" jsonschema:"Domains whose hosts, and those of their subdomains, count as internal in URLs and recipients, such as corp.example"`
}

// FlowPolicy is security.flow_policy.
type FlowPolicy struct {
	InternalToExternal    mcpproxy.Decision            `json:"internal_to_external" jsonschema:"What happens to internal data on its way out"`
	SensitiveDataExternal mcpproxy.Decision            `json:"sensitive_data_external" jsonschema:"What happens to secrets on their way out"`
	DeclaredDestination   mcpproxy.Decision            `json:"declared_destination" jsonschema:"What happens to internal data on its way to where the user said"`
	UntrustedDestination  mcpproxy.Decision            `json:"untrusted_destination" jsonschema:"What happens to internal data on its way to where content of strangers said"`
	InjectedDestination   mcpproxy.Decision            `json:"injected_destination" jsonschema:"What happens to a call that goes where an instruction hidden in content said, with or without data"`
	DictatedAct           mcpproxy.Decision            `json:"dictated_act" jsonschema:"What happens to an act that a result spelled first, when the user's words do not ask for it: allow, warn, ask or deny"`
	UnrequestedAct        mcpproxy.Decision            `json:"unrequested_act" jsonschema:"What happens to payments, to acts that let somebody in and to acts that take a protection away, when the user's words do not ask for them and the session has read what strangers may have written: allow, warn, ask or deny"`
	MetadataDestination   mcpproxy.Decision            `json:"metadata_destination" jsonschema:"What happens to a request to the metadata service of a cloud or to another link-local address, which may hand out the credentials of this machine: allow, warn, ask or deny"`
	SessionTaint          mcpproxy.Decision            `json:"session_taint" jsonschema:"What happens to external sends once the session has read sensitive data, unless the user named the destination: allow, warn, ask or deny"`
	OpaquePayload         mcpproxy.Decision            `json:"opaque_payload" jsonschema:"What happens to external calls with a payload that cannot be read, or with addresses that hold more than anything explains, once the session has read something private: allow, warn, ask or deny"`
	RequireJustification  bool                         `json:"require_justification" jsonschema:"Whether internal data that leaves without a reason given counts as a higher risk"`
	SuspiciousEndpoints   []string                     `json:"suspicious_endpoints" jsonschema:"Hosts, with their subdomains, to which nothing is sent"`
	ToolOverrides         map[string]mcpproxy.Decision `json:"tool_overrides" jsonschema:"Decisions by server:tool, server, or an agent's own tool; they override everything except suspicious endpoints and walls between groups"`
}

// Hooks is security.hooks.
type Hooks struct {
	Enabled               bool              `json:"enabled" jsonschema:"Whether agents' hooks are answered; when not, they have no objection to anything"`
	FailOpen              bool              `json:"fail_open" jsonschema:"Whether the agent may go on when an event cannot be read or evaluated, or when its hook finds no daemon"`
	NestedAgents          mcpproxy.Decision `json:"nested_agents" jsonschema:"Whether the hooks of an agent that another agent's shell has started are accepted: deny or allow"`
	CorrelationTTLSeconds int               `json:"correlation_ttl_seconds" jsonschema:"Seconds in which an MCP call without a tool-call id may follow its hook"`
	ExplicitAllow         bool              `json:"explicit_allow" jsonschema:"Whether the hook answers allow explicitly, which skips the agent's own prompt"`
	AskFallback           mcpproxy.Decision `json:"ask_fallback" jsonschema:"What an ask becomes where the agent cannot ask its user: deny or warn"`
}

// Policy is a rule that the user has written.
type Policy struct {
	Name   string            `json:"name" jsonschema:"Name of the rule, of letters, digits, dash and underscore"`
	When   string            `json:"when" jsonschema:"Condition in CEL"`
	Then   mcpproxy.Decision `json:"then" jsonschema:"What happens to a call for which the condition holds"`
	Reason string            `json:"reason" jsonschema:"Reason shown with the decision"`
}

// Suppression turns one rule off for one server or tool.
type Suppression struct {
	Rule   string `json:"rule" jsonschema:"The rule: a key such as security.flow_policy.internal_to_external, the name of a rule of your own, or a kind or category of signals such as email"`
	Server string `json:"server,omitempty" jsonschema:"The server; empty for an agent's own tool"`
	Tool   string `json:"tool,omitempty" jsonschema:"The tool; all of the server when empty"`
	Reason string `json:"reason,omitempty" jsonschema:"Why, for whoever reads the file"`
	Until  string `json:"until,omitempty" jsonschema:"When it ends: a day such as 2026-12-31, of which it holds to the end in UTC, or a time such as 2026-12-31T12:00:00Z; never when empty"`
}

// End returns when the suppression ends; the zero time if it has no end.
func (s Suppression) End() (time.Time, error) {
	if s.Until == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, s.Until); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	return time.Parse(time.RFC3339, s.Until)
}

// Approvals is security.approvals.
type Approvals struct {
	Elicitation bool   `json:"elicitation" jsonschema:"Whether a client that can is to ask its user"`
	Wait        string `json:"wait" jsonschema:"How long a call of another client waits for an answer from the command line or the page, such as 45s; when empty it waits up to 45s while somebody is logged in at the page, and otherwise goes on logged and alerted; 0 never waits"`
	Expiry      string `json:"expiry" jsonschema:"How long a question can be answered, and an approval be used, such as 10m"`
}

// Waits returns how long a call waits for an answer, or 0 if it does not wait.
func (a Approvals) Waits() time.Duration { return duration(a.Wait) }

// watchedWait is the default wait while a person has the page open. It is shorter than the 60
// seconds after which many clients give up.
const watchedWait = 45 * time.Second

// WaitsWatched returns how long a call waits while a person has the page open and Wait is not set,
// or 0 if it does not wait.
func (a Approvals) WaitsWatched() time.Duration {
	if a.Wait != "" {
		return 0
	}
	return min(watchedWait, a.Lasts())
}

// Lasts returns the lifetime of a question and of an approval.
func (a Approvals) Lasts() time.Duration { return duration(a.Expiry) }

// duration converts a validated value.
func duration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0
	}
	return d
}

// check validates the durations against each other.
func (a Approvals) check() error {
	if d, err := time.ParseDuration(a.Expiry); err != nil || d < time.Second || d > 24*time.Hour {
		return bad("security.approvals.expiry", "%q is not a duration from 1s to 24h; write 10m or 2h", a.Expiry)
	}
	if a.Wait == "" {
		return nil
	}
	if d, err := time.ParseDuration(a.Wait); err != nil || d < 0 {
		return bad("security.approvals.wait", "%q is not a duration; write 60s or 5m", a.Wait)
	}
	if a.Waits() > a.Lasts() {
		return bad(
			"security.approvals.wait",
			"%s is longer than the question can be answered (security.approvals.expiry, %s)",
			a.Wait,
			a.Expiry,
		)
	}
	return nil
}

// ContentScan is security.content_scan.
type ContentScan struct {
	Results string `json:"results" jsonschema:"What happens to a result that carries an instruction to the agent: warn delivers and logs it, clean takes the instruction out, withhold does not deliver it"`
}
