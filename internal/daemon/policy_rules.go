package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"mcpproxy/internal/bundle"
	"mcpproxy/internal/config"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/policy/replay"
	"mcpproxy/internal/policy/rules"
	"mcpproxy/internal/suggest"
)

// Finding is a remark about a rule or a suppression, with the line in the file.
type Finding struct {
	Line    int    `json:"line,omitempty"`
	Warning bool   `json:"warning,omitempty"`
	Message string `json:"message"`
}

// RulesOf compiles the user's rules of a configuration. An error names the line in the file;
// warnings are logged.
func RulesOf(file string, c *config.Config) (*rules.Set, error) {
	if len(c.Security.Policies) == 0 && len(c.Security.Suppressions) == 0 {
		return &rules.Set{}, nil
	}
	raw, err := config.ReadFile(file)
	if err != nil {
		raw = nil // a configuration without a file has no lines
	}
	set, found := ExamineRules(raw, c, c)
	for _, f := range found {
		if !f.Warning {
			return nil, &config.Error{File: file, Line: f.Line, Msg: f.Message}
		}
		slog.Warn(f.Message, "file", file, "line", f.Line)
	}
	return set, nil
}

// ExamineRules compiles the rules of a configuration and returns what is wrong with them and with
// the suppressions. Around is the full configuration, which knows the servers.
func ExamineRules(raw []byte, c, around *config.Config) (*rules.Set, []Finding) {
	var servers []string
	for _, s := range around.Servers {
		servers = append(servers, s.Name)
	}
	var own []rules.Rule
	for _, p := range c.Security.Policies {
		own = append(own, rules.Rule{
			Name:   p.Name,
			When:   p.When,
			Then:   p.Then,
			Reason: p.Reason,
		})
	}
	set, problems := rules.Compile(own, rules.Known{Servers: servers})
	var out []Finding
	for _, p := range problems {
		message := "security.policies: " + own[p.Index].Name + ": " + p.Message
		switch {
		case p.Line > 1:
			message = fmt.Sprintf("%s (line %d, column %d of the condition)", message, p.Line, p.Column)
		case p.Line == 1:
			message = fmt.Sprintf("%s (column %d of the condition)", message, p.Column)
		}
		out = append(
			out,
			Finding{config.Line(raw, fmt.Sprintf("/security/policies/%d/when", p.Index)), p.Warning, message},
		)
	}
	for i, s := range c.Security.Suppressions {
		if warning, message := suspect(s, c, servers); message != "" {
			out = append(
				out,
				Finding{
					config.Line(raw, fmt.Sprintf("/security/suppressions/%d", i)),
					warning,
					"security.suppressions: " + message,
				},
			)
		}
	}
	return set, out
}

// suspect returns what is wrong with a suppression, or "".
func suspect(s config.Suppression, c *config.Config, servers []string) (warning bool, message string) {
	if !policy.Suppressible(s.Rule) {
		return false, fmt.Sprintf("%s holds for every tool and cannot be suppressed", s.Rule)
	}
	if s.Server != "" && len(servers) > 0 && !slices.Contains(servers, s.Server) {
		return true, fmt.Sprintf("there is no server %q, so the suppression of %s does nothing", s.Server, s.Rule)
	}
	if strings.HasPrefix(s.Rule, policy.RuleOverride) {
		return false, ""
	}
	known := suppressible(c)
	if slices.Contains(known, s.Rule) {
		return false, ""
	}
	message = fmt.Sprintf("%q is not a built-in rule, one of your rules or a kind of signal", s.Rule)
	if near := suggest.Nearest(s.Rule, known); near != "" {
		message += fmt.Sprintf("; did you mean %q?", near)
	}
	return false, message
}

// suppressible returns all names that a suppression can have.
func suppressible(c *config.Config) []string {
	out := slices.Clone(policy.SuppressibleRules)
	for _, p := range c.Security.Policies {
		out = append(out, p.Name, policy.RuleUser+p.Name)
	}
	for _, r := range append(detect.Rules(), detect.PersonalRules()...) {
		out = append(out, r.ID, r.Category)
	}
	for _, p := range c.Security.PIIDetection.CustomPatterns {
		out = append(out, p.Name, detect.Custom(p.Name, p.Regex, p.Severity).Category)
	}
	return out
}

// suppressions converts the suppressions of a valid configuration for the policy.
func suppressions(list []config.Suppression) []policy.Suppression {
	var out []policy.Suppression
	for _, s := range list {
		until, _ := s.End()
		out = append(out, policy.Suppression{
			Rule:   s.Rule,
			Server: s.Server,
			Tool:   s.Tool,
			Until:  until,
		})
	}
	return out
}

// policies is the daemon's policy for the API.
type policies struct {
	path   string // path of the configuration file, or ""
	rules  func() *rules.Set
	config func() *config.Config // returns the configuration in force
}

// file returns the content of the configuration file, or nil.
func (p policies) file() ([]byte, error) {
	if p.path == "" {
		return nil, nil
	}
	raw, err := config.ReadFile(p.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return raw, err
}

// With implements [api.Policies].
func (p policies) With(part []byte) (replay.Policy, error) {
	file, err := p.file()
	if err != nil {
		return replay.Policy{}, err
	}
	whole, err := config.Merge(file, part, config.Lookup)
	if err != nil {
		return replay.Policy{}, fmt.Errorf("policy: %w", err)
	}
	c, err := config.Parse("policy", whole, nil) // posted text must not refer to files
	if err != nil {
		return replay.Policy{}, err
	}
	if c, err = config.Under(c, whole, p.config().Company); err != nil {
		return replay.Policy{}, err
	}
	set, found := ExamineRules(part, c, c)
	for _, f := range found {
		if !f.Warning {
			return replay.Policy{}, errors.New(f.Message)
		}
	}
	return policyOf(c, set)
}

// WithBundle implements [api.Policies].
func (p policies) WithBundle(source []byte) (replay.Policy, error) {
	b, err := bundle.Build(source)
	if err != nil {
		return replay.Policy{}, fmt.Errorf("bundle: %w", err)
	}
	file, err := p.file()
	if err != nil {
		return replay.Policy{}, err
	}
	c, err := config.Parse(p.path, file, config.Lookup)
	if err != nil {
		return replay.Policy{}, err
	}
	if c, err = config.WithBundle(c, file, b); err != nil {
		return replay.Policy{}, fmt.Errorf("bundle: %w", err)
	}
	set, err := RulesOf(p.path, c)
	if err != nil {
		return replay.Policy{}, err
	}
	return policyOf(c, set)
}

// policyOf converts a configuration to a policy for replaying the log.
func policyOf(c *config.Config, set *rules.Set) (replay.Policy, error) {
	company, err := companyRules(c)
	if err != nil {
		return replay.Policy{}, err
	}
	s := GateSettings(c, nil)
	addRules(&s, c, set, company)
	return replay.Policy{
		Tables:    s.Tables,
		Kill:      s.Kill,
		Arguments: set.LooksAtArguments() || company.LooksAtArguments(),
	}, nil
}

// Rules implements [api.Policies].
func (p policies) Rules() []string { return p.rules().Names() }
