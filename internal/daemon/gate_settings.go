package daemon

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/config"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/risk"
	"mcpproxy/internal/suggest"
)

// lastDetector is the newest detector with its settings. Compiling the rules takes a third of a
// second, and most changes of a configuration do not affect them.
var lastDetector struct {
	sync.Mutex
	settings config.PIIDetection
	detector *detect.Detector
}

// DetectorFor returns the detector for a configuration, or nil if detection is off. Equal settings
// share one detector. The user's patterns are compiled at once, so that a mistake in one is an
// error here, with its line in the file.
func DetectorFor(file string, c *config.Config) (*detect.Detector, error) {
	p := c.Security.PIIDetection
	if !p.Enabled {
		return nil, nil
	}
	last := &lastDetector
	last.Lock()
	defer last.Unlock()
	if last.detector != nil && reflect.DeepEqual(last.settings, p) {
		return last.detector, nil
	}
	d, err := newDetector(file, &p)
	if err != nil {
		return nil, err
	}
	last.settings, last.detector = p, d
	return d, nil
}

func newDetector(file string, p *config.PIIDetection) (*detect.Detector, error) {
	var own []detect.Rule
	for _, custom := range p.CustomPatterns {
		own = append(own, detect.Custom(custom.Name, custom.Regex, custom.Severity))
	}
	if len(p.SensitiveKeywords) > 0 {
		own = append(own, detect.Keywords(p.SensitiveKeywords))
	}
	if len(own) > 0 {
		if err := detect.New(own).Warm(); err != nil {
			const key = "security.pii_detection.custom_patterns"
			return nil, config.At(file, key, fmt.Errorf("%s: %w", key, err))
		}
	}
	for _, kind := range p.Patterns {
		if err := knownKind(kind); err != nil {
			return nil, config.At(file, "security.pii_detection.patterns."+kind, err)
		}
	}
	return detect.New(append(detect.Rules(), own...), kindsOf(p.Patterns)...), nil
}

// namesOfTheRFC maps names of RFC-004 to kinds. Names of secrets map to themselves: secrets are
// always searched for.
var namesOfTheRFC = map[string]string{"ssn": "us_ssn", "api_key": "api_key", "jwt": "jwt"}

// kindsOf converts the names of kinds of personal data.
func kindsOf(patterns []string) []string {
	out := slices.Clone(patterns)
	for i, name := range out {
		out[i] = cmp.Or(namesOfTheRFC[name], name)
	}
	return out
}

// knownKind refuses a name that is neither a kind of personal data nor a category.
func knownKind(name string) error {
	var known []string
	for _, r := range detect.PersonalRules() {
		known = append(known, r.ID, r.Category)
	}
	if slices.Contains(known, name) || namesOfTheRFC[name] != "" {
		return nil
	}
	known = slices.AppendSeq(known, maps.Keys(namesOfTheRFC))
	slices.Sort(known)
	known = slices.Compact(known)
	hint := "there are " + strings.Join(known, ", ")
	if near := suggest.Nearest(name, known); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return fmt.Errorf("security.pii_detection.patterns: unknown kind of personal data %q: %s", name, hint)
}

// GateSettings returns the part of the gate's settings that depends on the configuration alone.
func GateSettings(c *config.Config, d *detect.Detector) gate.Settings {
	s := c.Security
	return gate.Settings{
		Classifier: classify.Classifier{
			DefaultUnknown:  s.Classification.DefaultUnknown,
			ServerOverrides: s.Classification.ServerOverrides,
			ToolOverrides:   s.Classification.ToolOverrides,
			InternalDomains: s.Classification.InternalDomains,
		},
		Tables: policy.Tables{
			InternalToExternal:    s.FlowPolicy.InternalToExternal,
			SensitiveDataExternal: s.FlowPolicy.SensitiveDataExternal,
			DeclaredDestination:   s.FlowPolicy.DeclaredDestination,
			UntrustedDestination:  s.FlowPolicy.UntrustedDestination,
			InjectedDestination:   s.FlowPolicy.InjectedDestination,
			DictatedAct:           s.FlowPolicy.DictatedAct,
			UnrequestedAct:        s.FlowPolicy.UnrequestedAct,
			MetadataDestination:   s.FlowPolicy.MetadataDestination,
			SessionTaint:          s.FlowPolicy.SessionTaint,
			OpaquePayload:         s.FlowPolicy.OpaquePayload,
			Budget:                s.Exfiltration.Action,
			Groups:                Walls(c),
			SuspiciousEndpoints:   s.FlowPolicy.SuspiciousEndpoints,
			ToolOverrides:         s.FlowPolicy.ToolOverrides,
			Operations: map[mcpproxy.Operation]mcpproxy.Decision{mcpproxy.Read: s.ToolPolicy.Read,
				mcpproxy.Write: s.ToolPolicy.Write, mcpproxy.Destructive: s.ToolPolicy.Destructive},
			Contradiction: s.ToolPolicy.Contradiction,
			Risk:          riskTable(s.RiskAssessment),
			Suppressions:  suppressions(s.Suppressions),
		},
		MaxResponseSize: c.Activity.MaxResponseSize,
		Kill:            s.KillSwitch,
		Limits:          sendLimits(s.Exfiltration),
		Quiet:           !s.Alerts.ExfiltrationDetection,
		Detector:        d,
		Content:         gate.ContentMode(s.ContentScan.Results),
		RawErrors:       s.ErrorRedaction == "off",
	}
}

// riskTable returns the settings of the risk score.
func riskTable(r config.RiskAssessment) policy.Risk {
	return policy.Risk{
		Enabled: r.Enabled,
		Flag:    r.AutoFlagThreshold,
		Approve: r.RequireApprovalThreshold,
		Block:   r.BlockOnCritical,
	}
}

// sendLimits returns the limits of outgoing data.
func sendLimits(e config.Exfiltration) risk.Limits {
	return risk.Limits{
		CallsPerMinute: e.MaxExternalCallsPerMinute,
		SensitiveSends: e.MaxSensitiveSends,
		Bytes:          e.MaxBytes,
		Destinations:   e.MaxDestinations,
		Window:         time.Duration(e.WindowMinutes) * time.Minute,
	}
}

// Walls returns the strict groups.
func Walls(c *config.Config) policy.Groups {
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

// warnOf logs settings that look like protection but have no effect yet, and files with keys that
// other users can read.
func warnOf(c *config.Config) {
	for _, exposed := range c.Exposed {
		slog.Warn("keys are exposed: " + exposed)
	}
	if by := c.Company; by != nil {
		if by.Closed != "" {
			slog.Warn(by.Closed)
		}
		if by.Stale {
			slog.Warn("your company's bundle has expired and stays in force until there is a newer one", "bundle", by.Label)
		}
		for _, name := range by.Unlisted {
			slog.Warn("your company's bundle does not allow this server, so it is not started", "bundle", by.Label, "server", name)
		}
	}
	for _, key := range c.Idle() {
		slog.Warn("this setting has no effect in this version", "key", key)
	}
}
