package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"mcpproxy"
)

// File is the name of the store's file in the data directory.
const File = "approvals.json"

// maxRules is the maximum number of stored rules.
const maxRules = 2000

// Rule lets the calls within a boundary pass.
type Rule struct {
	ID       string            `json:"id" doc:"Names the rule in commands"`
	Boundary mcpproxy.Boundary `json:"boundary"`
	Request  string            `json:"request,omitempty" doc:"The request, or the activity, about which a person said always"`
	By       string            `json:"by" doc:"Who said so"`
	Since    time.Time         `json:"since"`
}

// Event is a change of a rule.
type Event string

// The events.
const (
	Kept    Event = "kept"
	Revoked Event = "revoked"
)

// Change is one event of one rule.
type Change struct {
	Event Event  `json:"event" enum:"kept,revoked"`
	Rule  Rule   `json:"rule"`
	By    string `json:"by" doc:"Who made the change"`
}

// Errors of the store. The errors that callers see wrap them and add what to do.
var (
	ErrUnknown = errors.New("there is no such rule; `mcpproxy approvals rules` lists them")
	ErrOnce    = errors.New("an answer about this call holds for this call alone")
	ErrFull    = fmt.Errorf("%d rules are kept already; revoke some of them", maxRules)
)

// Store keeps rules. It is safe for concurrent use.
type Store struct {
	path    string
	changed func(Change)
	publish func(Change) error // see [Store.Share]; nil for a single gateway

	mu    sync.RWMutex
	rules []Rule
	keys  map[string]string // rule ids by boundary key
}

// Open reads the rules from a file and removes temporary files that a crash left behind. The file
// is created when the first rule is stored. Only one store may be open at a time. Changed is called
// for every change after it is on disk; it must not change the store, and may be nil.
func Open(path string, changed func(Change)) (*Store, error) {
	s := &Store{path: path, changed: changed}
	if err := s.load(); err != nil {
		return nil, err
	}
	s.index()
	return s, nil
}

// index rebuilds the index. The caller holds the lock.
func (s *Store) index() {
	s.keys = make(map[string]string, len(s.rules))
	for _, r := range s.rules {
		s.keys[r.Boundary.Key()] = r.ID
	}
}

// Allows returns the rule that covers the calls within a boundary.
func (s *Store) Allows(b mcpproxy.Boundary) (id string, ok bool) {
	if b.Once != "" {
		return "", false
	}
	key := b.Key()
	s.mu.RLock()
	defer s.mu.RUnlock()
	id, ok = s.keys[key]
	return id, ok
}

// Rules returns the rules, oldest first.
func (s *Store) Rules() []Rule {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([]Rule, 0, len(s.rules))
	for _, r := range s.rules {
		r.Boundary = r.Boundary.Clone()
		out = append(out, r)
	}
	return out
}

// Keep stores a rule for a boundary and returns the rule's id. If a rule for the boundary exists,
// Keep returns its id.
func (s *Store) Keep(b mcpproxy.Boundary, request, by string) (id string, err error) {
	if b.Once != "" {
		return "", fmt.Errorf("%w: %s", ErrOnce, b.Once)
	}
	s.mu.Lock()
	if id, ok := s.keys[b.Key()]; ok {
		s.mu.Unlock()
		return id, nil
	}
	if len(s.rules) >= maxRules {
		s.mu.Unlock()
		return "", ErrFull
	}
	rule := Rule{
		ID:       ulid.Make().String(),
		Boundary: b.Clone(),
		Request:  request,
		By:       by,
		Since:    time.Now().UTC(),
	}
	if s.publish != nil {
		s.mu.Unlock()
		return s.keepForAll(rule)
	}
	before := s.rules
	s.rules = append(slices.Clone(s.rules), rule)
	if err := s.save(); err != nil {
		s.rules = before
		s.mu.Unlock()
		return "", err
	}
	s.index()
	s.mu.Unlock()
	s.notify(Change{Kept, rule, by})
	return rule.ID, nil
}

// Revoke deletes a rule. By is the name of the person, for the log.
func (s *Store) Revoke(id, by string) (Rule, error) {
	s.mu.Lock()
	i := slices.IndexFunc(s.rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		s.mu.Unlock()
		return Rule{}, fmt.Errorf("%q: %w", id, ErrUnknown)
	}
	rule := s.rules[i]
	if s.publish != nil {
		s.mu.Unlock()
		return rule, s.publish(Change{Revoked, rule, by})
	}
	before := s.rules
	s.rules = slices.Delete(slices.Clone(s.rules), i, i+1)
	if err := s.save(); err != nil {
		s.rules = before
		s.mu.Unlock()
		return Rule{}, err
	}
	s.index()
	s.mu.Unlock()
	s.notify(Change{Revoked, rule, by})
	return rule, nil
}

func (s *Store) notify(c Change) {
	if s.changed != nil {
		s.changed(c)
	}
}

// compare orders rules by age.
func compare(a, b Rule) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) }
