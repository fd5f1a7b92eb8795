package config

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/home"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/registry"
	"mcpproxy/internal/state/valkey"
)

// valueError is an invalid value with its key.
type valueError struct{ key, msg string }

func (e *valueError) Error() string { return e.key + ": " + e.msg }

func bad(key, format string, args ...any) error {
	return &valueError{key, fmt.Sprintf(format, args...)}
}

// check validates every value.
func (c *Config) check() error {
	if err := CheckListen(c.Listen); err != nil {
		return err
	}
	if c.DataDir == "" {
		return bad("data_dir", "a folder is needed")
	}
	for _, check := range []func() error{c.checkServers, c.checkTLS, c.checkAuth, c.checkGroups, c.checkScripts,
		c.checkStores, c.Secrets.check, c.Registry.check, c.Telemetry.check, c.Security.Alerts.check,
		c.Security.check, c.checkOverrides} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// CheckListen returns an error if address is not host:port or :port.
func CheckListen(address string) error {
	if _, port, err := net.SplitHostPort(address); err != nil || !isPort(port) {
		return bad("listen", "%q is not an address with a port; write 127.0.0.1:8080", address)
	}
	return nil
}

func isPort(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 0 && n <= 65535
}

var serverName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// ownName is the name of this proxy in agents' configurations.
const ownName = "mcpproxy"

func (c *Config) checkServers() error {
	seen := map[string]bool{}
	for i := range c.Servers {
		s := &c.Servers[i]
		at := "mcpServers." + s.Name
		switch {
		case !serverName().MatchString(s.Name):
			return bad(
				"mcpServers",
				"%q is not a valid server name: use at most 64 letters, digits, dots, dashes and underscores",
				s.Name,
			)
		case strings.EqualFold(s.Name, ownName):
			return bad("mcpServers", "a server cannot be named %q: agents know this proxy by that name", s.Name)
		case seen[s.Name]:
			return bad("mcpServers", "two servers are named %q", s.Name)
		case s.Command == "" && s.URL == "":
			return bad(at, "needs a command or a url")
		case s.Command != "" && s.URL != "":
			return bad(at, "has both a command and a url; remove one of them")
		case s.TimeoutSecs < 0 || s.FailureThreshold < 0 || s.RecoveryTimeout < 0 || s.MaxConcurrent < 0 ||
			s.RatePerSecond < 0 || s.MaxQueued < 0 || s.QueueTimeoutSecs < 0 || s.MaxSessions < 0:
			return bad(at, "numbers must not be negative")
		}
		seen[s.Name] = true
		if err := s.settleProtocol(at); err != nil {
			return err
		}
		if err := s.checkTransport(at); err != nil {
			return err
		}
	}
	return nil
}

// settleProtocol derives the protocol of a server from its other keys.
func (s *Server) settleProtocol(at string) error {
	if s.Protocol == "" {
		s.Protocol = s.Type
	}
	switch s.Protocol {
	case "streamable-http", "streamable_http", "streamableHttp":
		s.Protocol = "http"
	case "":
		s.Protocol = "stdio"
		if s.URL != "" {
			s.Protocol = "http"
		}
	}
	if err := oneOf(at+".protocol", s.Protocol, "stdio", "http", "sse"); err != nil {
		return err
	}
	if (s.Protocol == "stdio") != (s.Command != "") {
		way := "a url"
		if s.Command != "" {
			way = "a command"
		}
		return bad(at, "the protocol %s cannot be combined with %s", s.Protocol, way)
	}
	if s.URL != "" {
		if u, err := url.Parse(s.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return bad(at+".url", "%q is not an http or https address", s.URL)
		}
	}
	return nil
}

func (r Registry) check() error {
	if _, err := registry.Address(r.URL); err != nil {
		return bad("registry.url", "%v", err)
	}
	return nil
}

// checkScripts validates the limits of code mode.
func (c *Config) checkScripts() error {
	e := c.CodeExecution
	if e.StashTTLSecs > 86400 {
		return bad("code_execution.stash_ttl_secs", "%d is more than a day (86400)", e.StashTTLSecs)
	}
	for name, n := range map[string]int{
		"timeout_secs":     e.TimeoutSecs,
		"heap_mb":          e.HeapMB,
		"max_concurrent":   e.MaxConcurrent,
		"max_tool_calls":   e.MaxToolCalls,
		"max_parallel":     e.MaxParallel,
		"max_code_bytes":   e.MaxCode,
		"max_args_bytes":   e.MaxArgs,
		"max_output_bytes": e.MaxOutput,
		"stash_ttl_secs":   e.StashTTLSecs,
	} {
		if err := atLeast("code_execution."+name, n, 1); err != nil {
			return err
		}
	}
	if e.TimeoutSecs > 86400 {
		return bad("code_execution.timeout_secs", "%d is more than a day (86400)", e.TimeoutSecs)
	}
	if e.MaxFrameMB < 1 || e.MaxFrameMB > 1024 {
		return bad("code_execution.max_frame_mb", "%d is out of range; use a number from 1 to 1024", e.MaxFrameMB)
	}
	return nil
}

func (c *Config) checkGroups() error {
	in := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Groups)) { // sorted, so that the same error is reported each time
		g, at := c.Groups[name], "groups."+name
		if err := oneOf(at+".isolation", g.Isolation, "strict", "open"); err != nil {
			return err
		}
		for _, s := range g.Servers {
			if !slices.ContainsFunc(c.Servers, func(x Server) bool { return x.Name == s }) {
				return bad(at+".servers", "there is no server %q", s)
			}
			if other, twice := in[s]; twice {
				return bad(at+".servers", "%q is in the group %q already", s, other)
			}
			in[s] = name
		}
		if g.Isolation == "strict" && !c.Security.FlowTracking.Enabled {
			return bad(
				at+".isolation",
				"what moves between groups is not seen while security.flow_tracking.enabled is false: set it to true, or the group to open",
			)
		}
	}
	return nil
}

// programChange are the values of security.tool_quarantine.program_change.
var programChange = []string{"off", "warn", "quarantine"}

// checkLogStore validates activity.store. Its errors do not quote an address, which may contain a
// password.
func (c *Config) checkLogStore() error {
	store := c.Activity.Store
	switch {
	case isPostgres(store), strings.HasPrefix(store, "${"): // a command that is not run during this check
		return nil
	case strings.Contains(store, ":"):
		return bad("activity.store", "this is not a PostgreSQL address; write postgres://user@host/database or sqlite")
	}
	return oneOf("activity.store", store, "sqlite")
}

// masks are the values of ship.mask.
var masks = []string{"none", "bodies"}

func (c *Config) checkShip() error {
	var address error
	if u, err := url.Parse(c.Ship.Hub); c.Ship.Hub != "" && (err != nil || u.Host == "" ||
		u.Scheme != "https" && (u.Scheme != "http" || !mcpproxy.LoopbackHost(u.Hostname()))) {
		address = bad("ship.hub", "%q is not an https address", c.Ship.Hub)
	}
	if place := c.Ship.Place(); c.Ship.Bucket != "" {
		if err := place.Check(); err != nil {
			address = errors.Join(address, bad("ship.bucket", "with ship.s3.endpoint: %v", err))
		}
	}
	return errors.Join(
		address,
		oneOf("ship.mask", c.Ship.Mask, masks...),
		atLeast("ship.max_unsent_mb", c.Ship.MaxUnsentMB, 1))
}

// onFailure are the values of activity.on_failure.
var onFailure = []string{"deny", "allow"}

// onOutage are the values of state.on_outage.
var onOutage = []string{"deny", "local"}

// checkState validates where session state is stored. It refuses settings that replicas cannot
// share.
func (c *Config) checkState() error {
	s := &c.State
	outage := oneOf("state.on_outage", s.OnOutage, onOutage...)
	if !s.Shared() {
		return outage
	}
	var errs []error
	if err := valkey.Check(s.Store, s.Key); err != nil {
		errs = append(errs, bad("state.store", "with state.key: %v", err))
	}
	if u, err := url.Parse(s.Advertise); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		errs = append(errs, bad("state.advertise", "must be the URL under which the other replicas reach this one, such as "+
			"http://10.0.0.5:8080"))
	}
	if c.TLS.ClientCA != "" {
		errs = append(errs, bad("state.store", "cannot be shared together with tls.client_ca: a replica cannot show another one "+
			"the certificate of a client"))
	}
	return errors.Join(append(errs, outage)...)
}

func (c *Config) checkStores() error {
	var failure error
	if c.Activity.OnFailure != "" {
		failure = oneOf("activity.on_failure", c.Activity.OnFailure, onFailure...)
	}
	return errors.Join(
		failure,
		c.checkLogStore(),
		c.checkShip(),
		oneOf("activity.durability", c.Activity.Durability, "stops", "all"),
		c.checkState(),
		atLeast("activity.retention_days", c.Activity.RetentionDays, 0),
		atLeast("activity.max_records", c.Activity.MaxRecords, 0),
		atLeast("activity.max_size_mb", c.Activity.MaxSizeMB, 0),
		atLeast("activity.max_response_size", c.Activity.MaxResponseSize, 0))
}

var (
	decisions = []mcpproxy.Decision{mcpproxy.Allow, mcpproxy.Warn, mcpproxy.Redact, mcpproxy.Ask, mcpproxy.Deny}
	sides     = []mcpproxy.Side{mcpproxy.Internal, mcpproxy.External, mcpproxy.Hybrid}
)

func (s *Security) check() error {
	tables := map[string]mcpproxy.Decision{
		"tool_policy.read":                    s.ToolPolicy.Read,
		"tool_policy.write":                   s.ToolPolicy.Write,
		"tool_policy.destructive":             s.ToolPolicy.Destructive,
		"flow_policy.internal_to_external":    s.FlowPolicy.InternalToExternal,
		"flow_policy.sensitive_data_external": s.FlowPolicy.SensitiveDataExternal,
		"flow_policy.declared_destination":    s.FlowPolicy.DeclaredDestination,
		"flow_policy.untrusted_destination":   s.FlowPolicy.UntrustedDestination,
		"flow_policy.injected_destination":    s.FlowPolicy.InjectedDestination,
	}
	for tool, d := range s.FlowPolicy.ToolOverrides {
		tables["flow_policy.tool_overrides."+tool] = d
	}
	for key, d := range tables {
		if err := oneOf("security."+key, d, decisions...); err != nil {
			return err
		}
	}
	return errors.Join(s.checkTaint(), s.checkClassification(), s.checkHome(), s.checkRules(), s.checkNumbers(),
		oneOf("security.hooks.ask_fallback", s.Hooks.AskFallback, mcpproxy.Deny, mcpproxy.Warn),
		oneOf("security.hooks.nested_agents", s.Hooks.NestedAgents, mcpproxy.Deny, mcpproxy.Allow),
		oneOf("security.content_scan.results", s.ContentScan.Results, "warn", "clean", "withhold"),
		oneOf("security.error_redaction", s.ErrorRedaction, "on", "off"),
		oneOf("security.tool_quarantine.program_change", s.ToolQuarantine.ProgramChange, programChange...),
		oneOf("security.tool_policy.log_level", s.ToolPolicy.LogLevel, "debug", "info", "warn", "error"))
}

// settling are decisions about a call as a whole, so redact is not one of them.
var settling = []mcpproxy.Decision{mcpproxy.Allow, mcpproxy.Warn, mcpproxy.Ask, mcpproxy.Deny}

func (s *Security) checkTaint() error {
	e := s.Exfiltration
	return errors.Join(
		oneOf("security.tool_policy.contradiction", s.ToolPolicy.Contradiction, settling...),
		oneOf("security.flow_policy.dictated_act", s.FlowPolicy.DictatedAct, settling...),
		oneOf("security.flow_policy.unrequested_act", s.FlowPolicy.UnrequestedAct, settling...),
		oneOf("security.flow_policy.metadata_destination", s.FlowPolicy.MetadataDestination, settling...),
		oneOf("security.flow_policy.session_taint", s.FlowPolicy.SessionTaint, settling...),
		oneOf("security.flow_policy.opaque_payload", s.FlowPolicy.OpaquePayload, settling...),
		oneOf("security.exfiltration.action", e.Action, settling...),
		atLeast("security.exfiltration.max_external_calls_per_minute", e.MaxExternalCallsPerMinute, 0),
		atLeast("security.exfiltration.max_sensitive_sends", e.MaxSensitiveSends, 0),
		atLeast("security.exfiltration.max_bytes", e.MaxBytes, 0),
		atLeast("security.exfiltration.max_destinations", e.MaxDestinations, 0),
		atLeast("security.exfiltration.window_minutes", e.WindowMinutes, 1))
}

func (s *Security) checkClassification() error {
	c := s.Classification
	err := oneOf("security.classification.default_unknown", c.DefaultUnknown, sides...)
	for name, side := range c.ServerOverrides {
		err = errors.Join(err, oneOf("security.classification.server_overrides."+name, side, sides...))
	}
	for name, side := range c.ToolOverrides {
		err = errors.Join(err, oneOf("security.classification.tool_overrides."+name, side, sides...))
	}
	for _, domain := range c.InternalDomains {
		if !isDomain(domain) {
			err = errors.Join(err, bad(
				"security.classification.internal_domains",
				"%q is not a domain with at least two labels; write corp.example, which includes its subdomains",
				domain,
			))
		}
	}
	return err
}

func (s *Security) checkHome() (err error) {
	for _, value := range s.Home {
		if _, wrong := home.Parse(value); wrong != nil {
			err = errors.Join(err, bad("security.home", "%v", wrong))
		}
	}
	return err
}

// isDomain reports whether s is a domain of two names or more.
func isDomain(s string) bool {
	_, err := netip.ParseAddr(s)
	return err != nil && strings.Contains(s, ".") && !strings.HasPrefix(s, ".") && !strings.HasSuffix(s, ".") &&
		!strings.Contains(s, "..") && !strings.ContainsAny(s, "/ :@*\\?#%")
}

func (s *Security) checkRules() error {
	if err := s.PIIDetection.checkPatterns(); err != nil {
		return err
	}
	if err := s.checkPolicies(); err != nil {
		return err
	}
	for _, host := range s.FlowPolicy.SuspiciousEndpoints {
		if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
			continue
		}
		if host == "" || strings.ContainsAny(host, "/ :@") {
			return bad("security.flow_policy.suspicious_endpoints", "%q is not a host name or an IP address", host)
		}
	}
	return s.Approvals.check()
}

func (s *Security) checkNumbers() error {
	f := s.FlowTracking
	return errors.Join(
		atLeast("security.flow_tracking.session_timeout_minutes", f.SessionTimeoutMinutes, 1),
		atLeast("security.flow_tracking.max_origins_per_session", f.MaxOriginsPerSession, 1),
		atLeast("security.flow_tracking.hash_min_length", f.HashMinLength, 8),
		atLeast("security.flow_tracking.max_response_hash_bytes", f.MaxResponseHashBytes, 1024),
		atLeast("security.hooks.correlation_ttl_seconds", s.Hooks.CorrelationTTLSeconds, 1),
		threshold("security.risk_assessment.auto_flag_threshold", s.RiskAssessment.AutoFlagThreshold),
		threshold("security.risk_assessment.require_approval_threshold", s.RiskAssessment.RequireApprovalThreshold))
}

// threshold validates a score. A threshold one above the maximum is never reached.
func threshold(key string, n int) error {
	if n < 0 || n > 101 {
		return bad(key, "%d is out of range; use a score from 0 to 100, or 101 to never reach it", n)
	}
	return nil
}

func atLeast(key string, n, least int) error {
	if n < least {
		return bad(key, "%d is too small; at least %d", n, least)
	}
	return nil
}

func oneOf[T ~string](key string, v T, all ...T) error {
	if slices.Contains(all, v) {
		return nil
	}
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = string(a)
	}
	return bad(key, "%q must be one of %s", string(v), strings.Join(names, ", "))
}
