package store

import (
	"errors"
	"fmt"
	"slices"
)

// Share makes the store publish its changes to all gateways instead of applying them: publish must call
// [Store.Adopt] with the change before it returns. It may fail for a new rule, which then does not take effect;
// it must not fail for a rule that is revoked. Share must be called before the store is used.
func (s *Store) Share(publish func(Change) error) { s.publish = publish }

// Key identifies what a change is about: of several changes with the same key, the last one holds.
func (c Change) Key() string { return c.Rule.Boundary.Key() }

// keepForAll publishes a rule and returns the id of the rule that holds.
func (s *Store) keepForAll(rule Rule) (id string, err error) {
	if err := s.publish(Change{Kept, rule, rule.By}); err != nil {
		return "", fmt.Errorf("keeping an approval for all gateways: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	id, ok := s.keys[rule.Boundary.Key()]
	if !ok {
		return "", errors.New("keeping an approval: another gateway has revoked it, or it could not be written here")
	}
	return id, nil
}

// Adopt applies changes that this or another gateway has published, in their order. A rule that is revoked has
// no effect from then on, even if the file could not be written. An error says which changes are not on disk.
func (s *Store) Adopt(cs []Change) error {
	var failed []error
	for _, c := range cs {
		made, err := s.adopt(c)
		if err != nil {
			failed = append(failed, fmt.Errorf("the rule %s: %w", c.Rule.ID, err))
		}
		if made {
			s.notify(c)
		}
	}
	return errors.Join(failed...)
}

// adopt applies one change, and reports whether it made a difference.
func (s *Store) adopt(c Change) (made bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := c.Key()
	before := s.rules
	same := func(r Rule) bool { return r.Boundary.Key() == key || r.ID == c.Rule.ID }
	if c.Event == Revoked {
		s.rules = slices.DeleteFunc(slices.Clone(s.rules), same)
		if len(s.rules) == len(before) {
			return false, nil
		}
		s.index()
		return true, s.save()
	}
	if err := c.Rule.check(); err != nil {
		return false, err
	}
	if s.keys[key] == c.Rule.ID {
		return false, nil
	}
	s.rules = append(slices.DeleteFunc(slices.Clone(s.rules), same), c.Rule)
	if len(s.rules) > maxRules {
		err = ErrFull
	} else {
		slices.SortStableFunc(s.rules, compare)
		err = s.save()
	}
	if err != nil {
		s.rules = before
		return false, err
	}
	s.index()
	return true, nil
}
