package trust

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Errors of decisions. Their texts say what to do.
var (
	ErrUnknown = errors.New("mcpproxy has seen no such definition")
	ErrOther   = errors.New("it has changed since you looked at it: look again, then decide")
	ErrHash    = errors.New("too short for a hash")
)

// Approve approves the current form of a definition. Hash, unless empty, is that form's combined
// hash or at least 8 characters of its beginning; if the definition has changed, Approve fails with
// [ErrOther]. After success the decision is on disk; after an error nothing has changed.
func (s *Store) Approve(k Key, by, hash string) (Change, error) {
	return s.decide(k, hash, func(i *Item, now time.Time) {
		i.approve("approved in this form", by, now)
	}, by)
}

// approve approves the current form. An unreadable program has no form: it is no longer compared
// with an earlier one and stays unknown.
func (i *Item) approve(reason, by string, now time.Time) {
	if i.Kind == ProgramKind && program(i.Raw).SHA256 == "" {
		i.State, i.Reason = Unknown, acceptedUnread
		i.Approval = nil
		return
	}
	i.State, i.Reason = Approved, reason
	i.Approval = &Approval{i.Fingerprint.CombinedHash, i.Raw, by, now, true}
}

// acceptedUnread is the reason recorded if a person accepts an unreadable program.
const acceptedUnread = "its program cannot be read, and a human has accepted that: the next one that can is approved"

// Block refuses a definition in every form until it is approved.
func (s *Store) Block(k Key, by, reason string) (Change, error) {
	return s.decide(k, "", func(i *Item, _ time.Time) {
		i.State, i.Reason = Blocked, orElse(reason, "blocked by a human")
	}, by)
}

// Hold quarantines a definition because of its observed behaviour. It revokes an existing approval.
func (s *Store) Hold(k Key, by, reason string) (Change, error) {
	return s.decide(k, "", func(i *Item, _ time.Time) {
		if i.State != Blocked {
			i.State = Quarantined
			i.Reason = orElse(reason, "quarantined by a human")
			i.Approval = nil
		}
	}, by)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// decide changes one item and restores it if it cannot be written.
func (s *Store) decide(k Key, hash string, change func(*Item, time.Time), by string) (Change, error) {
	s.mu.Lock()
	i, ok := s.items[k]
	if !ok {
		s.mu.Unlock()
		return Change{}, fmt.Errorf("%s: %w", Visible(k.String()), ErrUnknown)
	}
	if err := i.is(hash); err != nil {
		s.mu.Unlock()
		return Change{}, fmt.Errorf("%s: %w", Visible(k.String()), err)
	}
	before, now := *i, time.Now().UTC()
	next := before
	next.Since, next.By = now, by
	change(&next, now)
	if s.publish != nil && next.shareable() {
		s.mu.Unlock()
		return s.decideForAll(before, next.decision())
	}
	*i = next
	if err := s.save(); err != nil {
		*i = before
		s.mu.Unlock()
		return Change{}, err
	}
	c := moved(before, i)
	s.mu.Unlock()
	s.notify([]Change{c})
	return c, nil
}

// decideForAll publishes a decision and returns the change that it made here.
func (s *Store) decideForAll(before Item, d Decision) (Change, error) {
	if err := s.publish([]Decision{d}); err != nil {
		return Change{}, fmt.Errorf("%s: %w", Visible(d.String()), err)
	}
	after, ok := s.Item(d.Key)
	if !ok {
		return Change{}, fmt.Errorf("%s: %w", Visible(d.String()), ErrUnknown)
	}
	if d.State == Approved && !after.Trusted() {
		return Change{}, fmt.Errorf("%s: %w", Visible(d.String()), ErrOther)
	}
	return moved(before, &after), nil
}

func moved(before Item, i *Item) Change {
	c := Change{
		Key:    i.Key,
		From:   before.State,
		To:     i.State,
		Hash:   i.Fingerprint.CombinedHash,
		By:     i.By,
		Reason: i.Reason,
		Time:   i.Since,
	}
	if before.Approval != nil && before.Approval.Hash != c.Hash {
		c.Before = before.Approval.Hash
	}
	return c
}

const minHash = 8 // minimum characters that identify a hash

// is reports whether hash identifies the item's current form.
func (i *Item) is(hash string) error {
	whole := i.Fingerprint.CombinedHash
	switch {
	case hash == "":
		return nil
	case len(hash) < minHash:
		return fmt.Errorf("%q is %w: give at least %d characters", hash, ErrHash, minHash)
	case len(hash) > len(whole) || whole[:len(hash)] != hash:
		return ErrOther
	}
	return nil
}

// Skip is a definition that was not approved, and why.
type Skip struct {
	Key
	Why string `json:"why"`
}

// Sweep is the result of approving many definitions at once.
type Sweep struct {
	Approved []Key  `json:"approved"`
	Blocked  []Key  `json:"blocked,omitempty"`
	Skipped  []Skip `json:"skipped"`
}

// Baseline approves the current definitions of a server, or of all servers if server is empty. It
// skips definitions that need individual review: hard findings of a scan, changes after an
// approval, and blocked definitions. If all is set, it also approves changed definitions.
func (s *Store) Baseline(server, by string, all bool) (Sweep, error) {
	out := Sweep{Approved: []Key{}, Skipped: []Skip{}}
	s.mu.Lock()
	var keys []Key
	for k, i := range s.items {
		if (server == "" || k.Server == server) && i.Listed && !(i.Trusted() && i.Approval.Human) &&
			(k.Kind != ProgramKind || i.doubtful() || i.State == Blocked) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, compare)
	now := time.Now().UTC()
	changes := []Change{}
	shared := []Decision{}
	before := map[Key]Item{}
	for _, k := range keys {
		i := s.items[k]
		if why := i.look(all); why != "" {
			out.Skipped = append(out.Skipped, Skip{k, why})
			continue
		}
		next := *i
		next.Since, next.By = now, by
		next.approve("approved together with what its server declared then", by, now)
		if s.publish != nil && next.shareable() {
			shared = append(shared, next.decision())
			out.Approved = append(out.Approved, k)
			continue
		}
		before[k], *i = *i, next
		changes = append(changes, moved(before[k], i))
		if i.State == Unknown {
			out.Skipped = append(out.Skipped, Skip{k, i.Reason})
			continue
		}
		out.Approved = append(out.Approved, k)
	}
	if len(changes) > 0 {
		if err := s.save(); err != nil {
			for k, i := range before {
				*s.items[k] = i
			}
			s.mu.Unlock()
			return Sweep{}, err
		}
	}
	s.mu.Unlock()
	s.notify(changes)
	if len(shared) > 0 {
		if err := s.publish(shared); err != nil {
			return Sweep{}, err
		}
	}
	return out, nil
}

// look returns why an item needs individual review, or "".
func (i *Item) look(all bool) string {
	switch {
	case i.State == Blocked:
		return "it is blocked"
	case i.Hard():
		return i.Reason + ": approve it by name if you want it"
	case i.doubtful() && !all:
		return i.Reason + ": look at it and approve it with --kind program if you want it"
	case i.State == RugPull && !all:
		return i.Reason + ": look at the difference and approve it by name if you want it"
	}
	return ""
}

// QuarantineServer holds all definitions of a server.
func (s *Store) QuarantineServer(server, by, reason string) (Change, error) {
	return s.serverState(
		server,
		by,
		&ServerState{By: by, Reason: orElse(reason, "quarantined by a human"), Since: time.Now().UTC()},
	)
}

// ReleaseServer ends the quarantine of a server. Each definition returns to its own state.
func (s *Store) ReleaseServer(server, by string) (Change, error) {
	return s.serverState(server, by, nil)
}

func (s *Store) serverState(server, by string, q *ServerState) (Change, error) {
	s.mu.Lock()
	old := s.servers[server]
	c := Change{
		Key:    Key{Server: server},
		From:   Quarantined,
		To:     Approved,
		By:     by,
		Reason: "released",
		Time:   time.Now().UTC(),
	}
	if old == nil {
		c.From = Approved
	}
	if s.publish != nil {
		s.mu.Unlock()
		return s.serverForAll(c, q)
	}
	if q == nil {
		delete(s.servers, server)
	} else {
		s.servers[server] = q
		c.To = Quarantined
		c.Reason = q.Reason
	}
	if err := s.save(); err != nil {
		if delete(s.servers, server); old != nil {
			s.servers[server] = old
		}
		s.mu.Unlock()
		return Change{}, err
	}
	s.mu.Unlock()
	s.notify([]Change{c})
	return c, nil
}

// serverForAll publishes a decision about a whole server.
func (s *Store) serverForAll(c Change, q *ServerState) (Change, error) {
	if q != nil {
		c.To = Quarantined
		c.Reason = q.Reason
	}
	d := Decision{
		Key:    c.Key,
		State:  c.To,
		Reason: c.Reason,
		By:     c.By,
		Time:   c.Time,
	}
	return c, s.publish([]Decision{d})
}
