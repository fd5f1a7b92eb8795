package daemon

import (
	"fmt"
	"log/slog"
	"sync/atomic"

	"mcpproxy"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/config"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/policy/rules"
)

// companyRules compiles the rules of the bundle of a managed machine.
func companyRules(c *config.Config) (*rules.Set, error) {
	if c.Company == nil || c.Company.Alone == nil {
		return &rules.Set{}, nil
	}
	set, found := CompanyRules(c.Company.Alone)
	for _, f := range found {
		if !f.Warning {
			return nil, fmt.Errorf("your company's bundle %s: %s", c.Company.Label, f.Message)
		}
		slog.Warn(f.Message, "bundle", c.Company.Label)
	}
	return set, nil
}

// CompanyRules compiles the rules of a bundle and returns what is wrong with them and with the
// bundle's suppressions. Alone is the configuration that results from the bundle alone.
func CompanyRules(alone *config.Config) (*rules.Set, []Finding) {
	own := *alone
	own.Security.Policies = nil
	for _, p := range alone.Security.Policies {
		if p.Reason == "" {
			p.Reason = fmt.Sprintf("The rule says %s.", p.Then)
		}
		own.Security.Policies = append(own.Security.Policies, p)
	}
	return ExamineRules(nil, &own, &own)
}

// addRules adds the user's rules and the decisions of a managed machine's bundle to settings.
func addRules(s *gate.Settings, c *config.Config, own, company *rules.Set) {
	switch {
	case own.Len() > 0 && company.Len() > 0:
		// The user's rules run first, so they may be stricter than a rule of the bundle that
		// allows. The floor makes sure that they are not weaker.
		s.Tables.Rules = policy.InTurn{Before: own, After: company}
	case own.Len() > 0:
		s.Tables.Rules = own
	case company.Len() > 0:
		s.Tables.Rules = company
	}
	by := c.Company
	if by == nil {
		return
	}
	s.ContentFixed = by.Says(policy.RuleContent)
	floor := &policy.Floor{
		Label:   by.Label,
		Closed:  by.Closed,
		Limited: by.Limited,
		Servers: by.Listed,
	}
	if by.Alone != nil {
		tables := GateSettings(by.Alone, nil).Tables
		if company.Len() > 0 {
			tables.Rules = company
		}
		floor.Tables = &tables
	}
	s.Tables.Floor = floor
}

// companyApprovals combines the approvals of a managed machine's bundle with those of the user.
type companyApprovals struct {
	approval.RuleStore
	current atomic.Pointer[forEverybody]
}

// the bundle's approved boundaries, by key
type forEverybody struct {
	label string
	keys  map[string]bool
}

// configure applies the approvals of a configuration's bundle.
func (a *companyApprovals) configure(c *config.Config) {
	next := &forEverybody{keys: map[string]bool{}}
	if c.Company != nil {
		next.label = c.Company.Label
		for _, b := range c.Company.Approvals {
			next.keys[b.Key()] = true
		}
	}
	a.current.Store(next)
}

// Allows implements [approval.RuleStore].
func (a *companyApprovals) Allows(b mcpproxy.Boundary) (id string, ok bool) {
	if id, ok = a.RuleStore.Allows(b); ok {
		return id, ok
	}
	b.Principal = ""
	if all := a.current.Load(); all.keys[b.Key()] {
		return "bundle " + all.label, true
	}
	return "", false
}
