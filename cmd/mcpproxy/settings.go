package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/config"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	hookclient "mcpproxy/internal/hook/client"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/suggest"
)

// detectorFor is the detector that configuration asks for; nil when detection is
// off. It is compiled when it is not the standard one: then a mistake in a
// pattern shows at once.
func detectorFor(c *config.Config) (*detect.Detector, error) {
	p := c.Security.PIIDetection
	if !p.Enabled {
		return nil, nil
	}
	var own []detect.Rule
	for _, custom := range p.CustomPatterns {
		own = append(own, detect.Custom(custom.Name, custom.Regex, custom.Severity))
	}
	if len(p.SensitiveKeywords) > 0 {
		own = append(own, detect.Keywords(p.SensitiveKeywords))
	}
	if len(own) > 0 {
		if err := detect.New(own).Warm(); err != nil {
			return nil, fmt.Errorf("security.pii_detection.custom_patterns: %w", err)
		}
	}
	for _, kind := range p.Patterns {
		if err := knownKind(kind); err != nil {
			return nil, err
		}
	}
	return detect.New(append(detect.Rules(), own...), p.Patterns...), nil
}

// knownKind refuses what is neither a kind of personal data nor a category.
func knownKind(name string) error {
	var known []string
	for _, r := range detect.PersonalRules() {
		known = append(known, r.ID, r.Category)
	}
	if slices.Contains(known, name) {
		return nil
	}
	slices.Sort(known)
	return fmt.Errorf("security.pii_detection.patterns: %q is no kind of personal data: did you mean %q?", name, suggest.Nearest(name, slices.Compact(known)))
}

// gateSettings is what configuration means to the gate.
func gateSettings(c *config.Config, d *detect.Detector) gate.Settings {
	s := c.Security
	return gate.Settings{
		Classifier: classify.Classifier{DefaultUnknown: s.Classification.DefaultUnknown,
			ServerOverrides: s.Classification.ServerOverrides, ToolOverrides: s.Classification.ToolOverrides,
			InternalDomains: s.Classification.InternalDomains},
		Tables: policy.Tables{
			InternalToExternal: s.FlowPolicy.InternalToExternal, SensitiveDataExternal: s.FlowPolicy.SensitiveDataExternal,
			DeclaredDestination: s.FlowPolicy.DeclaredDestination, UntrustedDestination: s.FlowPolicy.UntrustedDestination,
			InjectedDestination: s.FlowPolicy.InjectedDestination,
			SessionTaint:        s.FlowPolicy.SessionTaint, OpaquePayload: s.FlowPolicy.OpaquePayload, Budget: s.Exfiltration.Action, Groups: walls(c),
			SuspiciousEndpoints: s.FlowPolicy.SuspiciousEndpoints, ToolOverrides: s.FlowPolicy.ToolOverrides,
			Operations: map[mcpproxy.Operation]mcpproxy.Decision{mcpproxy.Read: s.ToolPolicy.Read,
				mcpproxy.Write: s.ToolPolicy.Write, mcpproxy.Destructive: s.ToolPolicy.Destructive},
			Contradiction: s.ToolPolicy.Contradiction, Risk: riskTable(s.RiskAssessment), Suppressions: suppressions(s.Suppressions)},
		MaxResponseSize: c.Activity.MaxResponseSize, Kill: s.KillSwitch,
		Limits: sendLimits(s.Exfiltration), Quiet: !s.Alerts.ExfiltrationDetection,
		Detector: d, Content: gate.ContentMode(s.ContentScan.Results), RawErrors: s.ErrorRedaction == "off",
	}
}

// riskTable is what configuration means to the risk score.
func riskTable(r config.RiskAssessment) policy.Risk {
	return policy.Risk{Enabled: r.Enabled, Flag: r.AutoFlagThreshold, Approve: r.RequireApprovalThreshold, Block: r.BlockOnCritical}
}

// gateSettings is what configuration and approvals mean to the gate.
func (d *daemon) gateSettings(c *config.Config, detector *detect.Detector) gate.Settings {
	s := gateSettings(c, detector)
	if set := d.rules.Load(); set != nil && set.Len() > 0 {
		s.Tables.Rules = set
	}
	s.Held, s.Quarantine, s.Desk, s.Version = d.held, d.quarantine, d.desk, policyVersion(c)
	s.Scope, s.Operation = d.scope, d.permitsOperation
	s.Own = ownOf(d.path, c)
	return s
}

// ownFiles are the files of the data folder that say what agents may do, or what they
// did.
var ownFiles = []string{hookclient.KillFile, "trust.json", "tokens.json", "activity.db", "activity.db-wal", "mcpproxy.lock", ledger.KeyFile, ledger.PublicFile}

// ownOf is what agents must not change: the configuration, whatever the name by which
// it is reached, what is in the data folder, and the settings that have them watched and connected.
func ownOf(path string, c *config.Config) gate.Own {
	own := gate.Own{Listen: c.Listen}
	own.Home, _ = os.UserHomeDir()
	files := append(agentFiles(c), path, c.DataDir, hookBackups(c), connectBackups(c), c.SocketPath(), c.SocketPath()+hookclient.PIDSuffix)
	for _, name := range ownFiles {
		files = append(files, filepath.Join(c.DataDir, name))
	}
	for _, file := range files {
		file, err := filepath.Abs(file)
		if err != nil {
			continue
		}
		own.Paths = append(own.Paths, file)
		dir, err := filepath.EvalSymlinks(filepath.Dir(file))
		if real := filepath.Join(dir, filepath.Base(file)); err == nil && real != file {
			own.Paths = append(own.Paths, real)
		}
	}
	return own
}

// firstSettings is what the gate starts with.
func (d *daemon) firstSettings(c *config.Config, detector *detect.Detector) gate.Settings {
	s := d.gateSettings(c, detector)
	s.Kill = d.kill.State().On
	return s
}

// configureGate has a new configuration decide about the calls to come; the
// questions that were asked under another one end.
func (d *daemon) configureGate(c *config.Config, detector *detect.Detector) {
	s := d.gateSettings(c, detector)
	d.kill.configure(c, func(on bool) {
		s.Kill = on
		d.gate.Configure(s)
	})
	d.desk.Configure(askingRules(c))
}

// sendLimits is what configuration means to the watch over what leaves.
func sendLimits(e config.Exfiltration) risk.Limits {
	return risk.Limits{CallsPerMinute: e.MaxExternalCallsPerMinute, SensitiveSends: e.MaxSensitiveSends, Bytes: e.MaxBytes,
		Destinations: e.MaxDestinations, Window: time.Duration(e.WindowMinutes) * time.Minute}
}

// walls are the strict groups.
func walls(c *config.Config) policy.Groups {
	out := policy.Groups{}
	for name, g := range c.Groups {
		if g.Isolation != "strict" {
			continue
		}
		for _, server := range g.Servers {
			out[server] = name
		}
	}
	return out
}

// flowLimits is what configuration means to the flow tracker.
func flowLimits(c *config.Config) flow.Limits {
	f := c.Security.FlowTracking
	return flow.Limits{Enabled: f.Enabled, MaxOrigins: f.MaxOriginsPerSession, MinLength: f.HashMinLength, MaxBytes: f.MaxResponseHashBytes,
		Justify: c.Security.FlowPolicy.RequireJustification}
}

// correlationLife is how long equal arguments link a hook to an MCP call.
func correlationLife(c *config.Config) time.Duration {
	return time.Duration(c.Security.Hooks.CorrelationTTLSeconds) * time.Second
}

// warnIdle says which settings look like protection and are none yet.
func warnIdle(c *config.Config) {
	for _, key := range c.Idle() {
		slog.Warn("this setting has no effect in this version", "key", key)
	}
}
