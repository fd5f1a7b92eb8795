package config

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mcpproxy"
	"mcpproxy/internal/bundle"
)

// Company is the managed machine's bundle, apart from its changes of the user's configuration.
type Company struct {
	Label string // name and version of the bundle, or "no bundle"
	// Closed says why every call is denied; "" if calls are decided normally.
	Closed string
	// Stale says that the bundle has expired and stays in force.
	Stale   bool
	Expires time.Time // zero if there is no bundle

	// Alone is the configuration that results from the bundle alone. Keys about decisions that the
	// bundle omits have their most permissive value. It is nil without a bundle.
	Alone *Config
	// Limited says that only the servers in Listed may be used.
	Limited bool
	Listed  []string
	// Unlisted are the servers of the user's file that are disabled because the bundle does not
	// allow them.
	Unlisted []string
	// Approvals are approvals that apply to every user.
	Approvals []mcpproxy.Boundary

	said []string // the keys that the bundle sets
	user *Config  // the user's configuration without the bundle
	file []byte   // the user's file

	bundle *bundle.Bundle // nil if the machine has no valid bundle
}

// Says reports whether the bundle sets a key. It may be called on nil.
func (c *Company) Says(key string) bool { return c != nil && slices.Contains(c.said, key) }

// BundleAlone returns the configuration that results from a bundle alone; see [Company.Alone].
func BundleAlone(b *bundle.Bundle) (*Config, error) {
	raw, err := b.Floor()
	if err != nil {
		return nil, err
	}
	c, _, err := decode("config", raw)
	if err != nil {
		return nil, unplaced(err)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Groups)) { // each machine has its own servers
		for _, server := range c.Groups[name].Servers {
			if !slices.ContainsFunc(c.Servers, func(s Server) bool { return s.Name == server }) {
				c.Servers = append(c.Servers, Server{Name: server, Command: "any"})
			}
		}
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	c.Servers = nil
	return c, nil
}

// unplaced returns the message of an error without its line number, which refers to no file.
func unplaced(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return fmt.Errorf("config: %s", e.Msg)
	}
	return err
}

// manage restricts the user's configuration c, read from raw, by the machine's bundle. It returns c
// if the machine is not managed.
func manage(ctx context.Context, c *Config, raw []byte) (*Config, error) {
	s, err := bundle.Stand(ctx, c.DataDir, time.Now())
	if s == nil || err != nil {
		return c, err
	}
	return under(c, raw, s)
}

// under restricts the user's configuration c, read from raw, by what applies on a managed machine.
func under(c *Config, raw []byte, s *bundle.Standing) (*Config, error) {
	if s.Bundle == nil {
		user := *c
		c.Company = &Company{
			Label:  s.Label(),
			Closed: s.Closed,
			user:   &user,
			file:   raw,
		}
		return c, nil
	}
	out, err := WithBundle(c, raw, s.Bundle)
	if err != nil {
		return nil, fmt.Errorf("applying your company's bundle %s: %w", s.Label(), err)
	}
	out.Company.Closed, out.Company.Stale = s.Closed, s.Stale
	return out, nil
}

// Renew restricts the user's configuration in c by the machine's current bundle. It is used when
// the user's file has become invalid, so that an invalid file does not keep an older bundle in
// force. If the bundle and the user's configuration are incompatible, every call is denied. Renew
// returns nil if c is not from a managed machine.
func Renew(ctx context.Context, c *Config) (*Config, error) {
	if c.Company == nil {
		return nil, nil
	}
	s, err := bundle.Stand(ctx, c.DataDir, time.Now())
	if s == nil || err != nil {
		return nil, err
	}
	user := *c.Company.user
	out, err := under(&user, c.Company.file, s)
	if err == nil {
		return out, nil
	}
	closed := *c
	by := *c.Company
	by.Label = s.Label()
	by.Closed = fmt.Sprintf("Your configuration conflicts with your company's bundle, so every call is denied: %v.", err)
	closed.Company = &by
	return &closed, nil
}

// Under returns the user's configuration c, read from raw, restricted as in by, which may be nil.
func Under(c *Config, raw []byte, by *Company) (*Config, error) {
	if by == nil {
		return c, nil
	}
	if by.bundle == nil {
		out := *c
		out.Company = by
		return &out, nil
	}
	out, err := WithBundle(c, raw, by.bundle)
	if err != nil {
		return nil, err
	}
	out.Company.Closed, out.Company.Stale = by.Closed, by.Stale
	return out, nil
}

// WithBundle returns the user's configuration c, read from raw, restricted by a bundle: if both set
// a key, the stricter value applies.
func WithBundle(c *Config, raw []byte, b *bundle.Bundle) (*Config, error) {
	by, err := BundleAlone(b)
	if err != nil {
		return nil, err
	}
	said, err := plainObject(raw)
	if err != nil {
		return nil, err
	}
	values, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	whole := map[string]any{}
	if err := json.Unmarshal(values, &whole); err != nil {
		return nil, err
	}
	if err := b.Merge(whole, bundle.Has(said)); err != nil {
		return nil, err
	}
	if values, err = json.Marshal(whole, json.Deterministic(true)); err != nil {
		return nil, err
	}
	out := Default()
	if err := json.Unmarshal(values, out, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	out.Exposed, out.InsecureListen = c.Exposed, c.InsecureListen
	out.Company = &Company{
		Label:     b.Label(),
		Expires:   b.Expires,
		Alone:     by,
		Approvals: b.Approvals,
		said:      b.Said(),
		user:      c,
		file:      raw,
		bundle:    b,
	}
	out.limitServers(b)
	out.dropSuppressions()
	// If the file is only checked, references to commands are not resolved.
	if err := out.check(); err != nil && !strings.Contains(err.Error(), "${"+commandKind+":") {
		return nil, err
	}
	return out, nil
}

// limitServers disables the servers that a bundle does not allow.
func (c *Config) limitServers(b *bundle.Bundle) {
	if b.Servers == nil {
		return
	}
	c.Company.Limited = true
	for _, s := range *b.Servers {
		c.Company.Listed = append(c.Company.Listed, s.Name)
	}
	off := false
	for i := range c.Servers {
		s := &c.Servers[i]
		if s.IsEnabled() && !b.Allows(s.Name, s.URL, s.Command, s.Args) {
			s.Enabled = &off
			c.Company.Unlisted = append(c.Company.Unlisted, s.Name)
		}
	}
}

// dropSuppressions removes the user's suppressions that would disable parts of the bundle: a rule
// of the bundle, or signals that its rules use.
func (c *Config) dropSuppressions() {
	by := c.Company
	looks := slices.ContainsFunc(by.said, func(key string) bool { return strings.HasPrefix(key, "security.") })
	c.Security.Suppressions = slices.DeleteFunc(slices.Clone(c.Security.Suppressions), func(s Suppression) bool {
		if strings.Contains(s.Rule, ".") {
			return by.Says(s.Rule)
		}
		isRule := slices.ContainsFunc(c.Security.Policies, func(p Policy) bool { return p.Name == s.Rule })
		return looks && !isRule
	})
}
