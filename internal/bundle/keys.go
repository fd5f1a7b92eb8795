package bundle

import (
	"maps"
	"slices"
)

// Order is the way to tell which of two values of a key is stricter.
type Order int

// The orders of keys.
const (
	// Fixed keys have no order: the bundle's value holds.
	Fixed Order = iota
	// Local keys describe one machine. A bundle cannot have them.
	Local
	// Choice is an enumeration, the weakest value first; see [Key.Values].
	Choice
	// True is the stricter boolean.
	True
	// False is the stricter boolean.
	False
	// Lower is the stricter number.
	Lower
	// LowerLimit is Lower where 0 means no limit.
	LowerLimit
	// Higher is the stricter number.
	Higher
	// Shorter is the stricter duration, such as 10m.
	Shorter
	// Intersected lists allow something: the entries that are in both lists hold.
	Intersected
	// United lists forbid or look for something: the entries of both lists hold. If both have an
	// object with the same name, the bundle's holds.
	United
	// UnitedOrAll is United, except that the empty list means everything.
	UnitedOrAll
	// PerName is an object of decisions by name: for each name, the stricter decision holds.
	PerName
	// Beside values are not merged: each call is decided with the bundle's value and with the
	// user's, and the stricter decision holds.
	Beside
)

// orderNames are the texts of the orders in the documentation.
var orderNames = map[Order]string{
	Fixed:       "the bundle's value",
	Local:       "not in a bundle",
	Choice:      "the later of",
	True:        "true",
	False:       "false",
	Lower:       "the lower number",
	LowerLimit:  "the lower number; 0 means unlimited",
	Higher:      "the higher number",
	Shorter:     "the shorter time",
	Intersected: "what is in both lists",
	United:      "what is in either list",
	UnitedOrAll: "what is in either list; an empty list is everything",
	PerName:     "of each name the later of",
	Beside:      "both, and the stricter decision",
}

// String returns which of two values holds, in words.
func (o Order) String() string { return orderNames[o] }

// Key is a key of the configuration and how two values of it are merged.
type Key struct {
	Name   string
	Order  Order
	Values []string // values of a [Choice], the weakest first
	// Open is the value with which the key forbids nothing. If the bundle does not set a key that
	// decides about calls, the bundle counts as if it had this value. Nil for other keys.
	Open any
}

// decisions are the decisions that a key can have, the weakest first.
var decisions = []string{"allow", "warn", "redact", "ask", "deny"}

func decision(name string) Key {
	k := choice(name, decisions...)
	k.Open = "allow"
	return k
}

func choice(name string, weakestFirst ...string) Key {
	return Key{Name: name, Order: Choice, Values: weakestFirst}
}

func keys(o Order, names ...string) []Key {
	var out []Key
	for _, name := range names {
		out = append(out, Key{Name: name, Order: o})
	}
	return out
}

func deciding(names ...string) []Key {
	var out []Key
	for _, name := range names {
		out = append(out, decision(name))
	}
	return out
}

// never is a score that no call reaches.
const never = 101

// Keys returns every key of the configuration, sorted by name.
func Keys() []Key {
	all := slices.Concat(
		keys(Local,
			"listen", "api_key", "data_dir", "enable_socket", "autostart", "mcpServers", "state.store", "state.key",
			"state.advertise", "activity.store",
			"secrets.command_timeout_secs", "secrets.command_cache_secs", "tls.cert", "tls.key", "tls.local",
			"tls.client_ca", "tls.client_auth", "auth.oidc.page.url", "auth.oidc.page.client_secret"),
		keys(Fixed,
			"auth.oidc.issuer", "auth.oidc.audience", "auth.oidc.resource", "auth.oidc.claims.principal",
			"auth.oidc.claims.groups", "auth.oidc.groups", "auth.oidc.page.name", "auth.oidc.page.client_id",
			"auth.oidc.page.scopes", "auth.oidc.page.owners", "auth.oidc.page.auditors", "auth.certificates",
			"registry.url", "activity.retention_days", "activity.max_records", "activity.max_size_mb",
			"activity.max_response_size", "ship.hub", "ship.bucket", "ship.s3.endpoint", "ship.s3.region",
			"telemetry.otlp_endpoint", "telemetry.otlp_headers", "telemetry.service_name",
			"telemetry.syslog.address", "telemetry.syslog.network", "telemetry.syslog.format",
			"security.pii_detection.auto_redact_after_days", "security.tool_policy.log_level",
			"security.alerts.webhook_url", "security.alerts.webhook_secret", "security.classification.default_unknown",
			"security.classification.server_overrides", "security.classification.tool_overrides",
			"security.hooks.correlation_ttl_seconds", "security.approvals.elicitation", "security.approvals.wait"),
		keys(True,
			"require_mcp_auth", "activity.mask_personal", "code_execution.require_confinement", "telemetry.enabled", "security.pii_detection.enabled",
			"security.tool_quarantine.enabled", "security.tool_quarantine.auto_quarantine_new_tools",
			"security.tool_quarantine.rug_pull_detection", "security.tool_quarantine.quarantine_server_on_rug_pull",
			"security.alerts.exfiltration_detection", "security.alerts.pii_exposure", "security.flow_tracking.enabled",
			"security.flow_policy.require_justification", "security.hooks.enabled", "security.kill_switch"),
		keys(False, "code_execution.enabled", "security.hooks.fail_open", "security.hooks.explicit_allow"),
		keys(Lower,
			"code_execution.timeout_secs", "code_execution.heap_mb", "code_execution.max_concurrent",
			"code_execution.max_tool_calls", "code_execution.max_parallel", "code_execution.max_code_bytes",
			"code_execution.max_args_bytes", "code_execution.max_output_bytes", "code_execution.max_frame_mb",
			"code_execution.stash_ttl_secs", "security.flow_tracking.hash_min_length"),
		keys(LowerLimit,
			"security.exfiltration.max_external_calls_per_minute", "security.exfiltration.max_sensitive_sends",
			"security.exfiltration.max_bytes", "security.exfiltration.max_destinations"),
		keys(Higher,
			"ship.max_unsent_mb",
			"security.exfiltration.window_minutes", "security.flow_tracking.session_timeout_minutes",
			"security.flow_tracking.max_origins_per_session", "security.flow_tracking.max_response_hash_bytes"),
		keys(Shorter, "auth.oidc.page.recheck", "security.approvals.expiry"),
		keys(Intersected, "security.home", "security.classification.internal_domains"),
		keys(United, "security.pii_detection.custom_patterns", "security.pii_detection.sensitive_keywords"),
		keys(UnitedOrAll, "security.pii_detection.patterns"),
		keys(Beside, "groups", "security.policies", "security.suppressions"),
		deciding(
			"security.tool_policy.read", "security.tool_policy.write", "security.tool_policy.destructive",
			"security.tool_policy.contradiction", "security.exfiltration.action",
			"security.flow_policy.internal_to_external", "security.flow_policy.sensitive_data_external",
			"security.flow_policy.declared_destination", "security.flow_policy.untrusted_destination",
			"security.flow_policy.injected_destination", "security.flow_policy.dictated_act",
			"security.flow_policy.unrequested_act", "security.flow_policy.metadata_destination",
			"security.flow_policy.session_taint", "security.flow_policy.opaque_payload"),
		[]Key{
			choice("activity.durability", "stops", "all"),
			choice("activity.on_failure", "allow", "deny"),
			choice("ship.mask", "none", "bodies"),
			choice("state.on_outage", "local", "deny"),
			choice("security.content_scan.results", "warn", "clean", "withhold"),
			choice("security.tool_quarantine.program_change", "off", "warn", "quarantine"),
			choice("security.error_redaction", "off", "on"),
			choice("security.hooks.nested_agents", "allow", "deny"),
			choice("security.hooks.ask_fallback", "warn", "deny"),
			{Name: "security.flow_policy.suspicious_endpoints", Order: United, Open: []any{}},
			{Name: "security.flow_policy.tool_overrides", Order: PerName, Values: decisions},
			{Name: "security.risk_assessment.enabled", Order: True},
			{Name: "security.risk_assessment.auto_flag_threshold", Order: Lower, Open: float64(never)},
			{Name: "security.risk_assessment.require_approval_threshold", Order: Lower, Open: float64(never)},
			{Name: "security.risk_assessment.block_on_critical", Order: True, Open: false},
		},
	)
	slices.SortFunc(all, func(a, b Key) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return all
}

// table has the keys by name.
var table = func() map[string]Key {
	out := map[string]Key{}
	for _, k := range Keys() {
		out[k.Name] = k
	}
	return out
}()

// Permissive returns a part of a configuration in which the keys that decide about calls forbid nothing.
func Permissive() map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if v := table[name].Open; v != nil {
			put(out, name, v)
		}
	}
	return out
}
