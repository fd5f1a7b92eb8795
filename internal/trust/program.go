package trust

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Program describes the code of a server's program. It is stored as a definition of the kind
// [ProgramKind], so that it can be approved, blocked and compared like one.
type Program struct {
	Subject string `json:"subject"`          // what the command line names
	Source  string `json:"source,omitempty"` // file, npm or python
	Name    string `json:"name,omitempty"`   // name of the package, or path of the file
	Version string `json:"version,omitempty"`
	Pinned  bool   `json:"pinned,omitempty"` // the command line names one version
	SHA256  string `json:"sha256,omitempty"`
	Unknown string `json:"unknown,omitempty"` // why there is no hash
}

// OnProgramChange says what happens if the code of a server has changed.
type OnProgramChange string

// The values of security.tool_quarantine.program_change.
const (
	ProgramOff        OnProgramChange = "off"
	ProgramWarn       OnProgramChange = "warn"
	ProgramQuarantine OnProgramChange = "quarantine"
)

func programKey(server string) Key { return Key{server, ProgramKind, ""} }

// OfProgram returns a program as a definition.
func OfProgram(server string, p Program) Definition {
	raw, err := json.Marshal(p)
	if err != nil {
		raw = nil // encoding strings cannot fail
	}
	return Definition{programKey(server), raw, false}
}

// program reads a definition that [OfProgram] has made.
func program(raw json.RawMessage) (p Program) {
	if json.Unmarshal(raw, &p) != nil {
		return Program{}
	}
	return p
}

// ObserveProgram processes the program that a server was just started with. The first readable
// program is approved by the configuration, and so is a different program that the configuration
// names instead. If the code under the same name has changed, the change is a rug pull;
// [Rules].Program says whether it holds the server's tools. An unreadable program is in the state
// [Unknown].
//
// An error means that the result could not be written to disk; it applies nevertheless.
func (s *Store) ObserveProgram(server string, p Program) error {
	s.observing.Lock()
	defer s.observing.Unlock()
	d := OfProgram(server, p)
	print, err := FingerprintOf(d)
	if err != nil {
		return fmt.Errorf("the program of %s: %w", server, err)
	}
	s.mu.Lock()
	if s.rules.Program == ProgramOff {
		s.mu.Unlock()
		return nil
	}
	changes := s.program(d, print, p)
	if s.rules.QuarantineServer && s.rules.Program == ProgramQuarantine &&
		slices.ContainsFunc(changes, func(c Change) bool { return c.To == RugPull }) && s.servers[server] == nil {
		changes = append(changes, s.quarantineFor(server, "its program has changed since it was approved", time.Now().UTC()))
	}
	err = s.save()
	s.mu.Unlock()
	if err != nil {
		s.fail(err)
	}
	s.notify(changes)
	return err
}

// program updates the item of a program and returns the change to record.
func (s *Store) program(d Definition, print Fingerprint, p Program) []Change {
	now := time.Now().UTC()
	i := s.items[d.Key]
	if i == nil {
		i = &Item{Key: d.Key, FirstSeen: now}
		s.items[d.Key] = i
		s.learn(i, d, print, p, now)
		return nil
	}
	from, before := i.State, program(i.Raw)
	same := i.Fingerprint.CombinedHash == print.CombinedHash
	i.takes(d, print)
	approved := Program{}
	if i.Approval != nil {
		approved = program(i.Approval.Raw)
	}
	switch {
	case i.State == Blocked:
		return nil
	case before.Subject != p.Subject:
		s.learn(i, d, print, p, now)
		i.Reason = fmt.Sprintf("the configuration starts %s in the place of %s; %s",
			Visible(p.Subject), Visible(before.Subject), i.Reason)
	case p.Unknown != "" && i.State == RugPull:
		return nil // the earlier state was not approved either
	case p.Unknown != "":
		i.State = Unknown
		i.Reason = "its program cannot be read: " + Visible(p.Unknown)
		if i.Approval == nil || from == Unknown {
			return nil
		}
	case i.Approval == nil:
		s.learn(i, d, print, p, now)
		return nil
	case p.SHA256 == approved.SHA256 && i.State == RugPull:
		return nil // a person must decide
	case p.SHA256 == approved.SHA256:
		i.State, i.Reason = Approved, learnt
		i.Approval = &Approval{print.CombinedHash, d.Raw, i.Approval.By, i.Approval.At, i.Approval.Human}
		if from == Approved {
			return nil
		}
		i.Reason = "its program can be read again, and is the one that was approved"
	case i.State == RugPull && same:
		return nil
	default:
		i.State = RugPull
		i.Reason = changedProgram(approved, p)
	}
	i.Since = now
	if i.By = byServer; before.Subject != p.Subject {
		i.By = configuration
	}
	c := moved(Item{State: from, Approval: i.Approval}, i)
	c.Severe = i.State == RugPull && severe(approved, p)
	c.Held = s.programHolds(d.Server) != nil
	if i.Approval != nil && i.State == RugPull {
		c.Diff, _ = Diff(i.Approval.Raw, i.Raw)
	}
	return []Change{c}
}

const learnt = "this is the program with which the server was first started"

// learn approves the program of a server if it can be read.
func (s *Store) learn(i *Item, d Definition, print Fingerprint, p Program, now time.Time) {
	i.takes(d, print)
	i.By, i.Since = configuration, now
	if p.Unknown != "" || p.SHA256 == "" {
		i.State, i.Approval = Unknown, nil
		i.Reason = "its program cannot be read: " + Visible(p.Unknown)
		return
	}
	i.State, i.Reason = Approved, learnt
	i.Approval = &Approval{print.CombinedHash, d.Raw, configuration, now, false}
}

// takes makes d the current form.
func (i *Item) takes(d Definition, print Fingerprint) {
	i.Raw, i.clean = d.Raw, d.Raw
	i.Fingerprint = print
	i.seen, i.Listed = true, true
}

// severe reports whether a change cannot be an update: a published version never changes.
func severe(before, now Program) bool {
	return now.Version != "" && now.Version == before.Version || now.Pinned
}

// changedProgram describes how a program has changed.
func changedProgram(before, now Program) string {
	what := Visible(now.Name)
	switch {
	case now.Version != "" && now.Version == before.Version && now.Pinned:
		return fmt.Sprintf("the content of %s has changed although it is pinned to version %s, which never changes once it is published",
			what, Visible(now.Version))
	case now.Version != "" && now.Version == before.Version:
		return fmt.Sprintf("the content of %s has changed under the same version %s, which never changes once it is published",
			what, Visible(now.Version))
	case now.Pinned:
		return fmt.Sprintf("%s is pinned, and its version has changed from %s to %s", what, versioned(before), versioned(now))
	case now.Version != "" || before.Version != "":
		return fmt.Sprintf("%s has changed from version %s to %s", what, versioned(before), versioned(now))
	case before.Name != now.Name:
		return fmt.Sprintf("its program is %s now, and was %s", what, Visible(before.Name))
	}
	return fmt.Sprintf("the content of %s has changed", what)
}

func versioned(p Program) string {
	if p.Version == "" {
		return "(none)"
	}
	return Visible(p.Version)
}

// programHolds returns the program that holds all definitions of its server, or nil. The caller
// holds the lock.
func (s *Store) programHolds(server string) *Item {
	i := s.items[programKey(server)]
	switch {
	case i == nil:
		return nil
	case i.State == Blocked:
		return i
	case !s.rules.Enabled || s.rules.Program != ProgramQuarantine:
		return nil
	case i.State == RugPull, i.State == Unknown && i.Approval != nil:
		return i
	}
	return nil
}

// ProgramHolds returns why a server's program holds all its definitions, or "".
func (s *Store) ProgramHolds(server string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i := s.programHolds(server); i != nil {
		return s.reason(i)
	}
	return ""
}

// ForgetProgram forgets the program of a server that no longer has one because it is now reached
// over the network. A blocked program is kept.
func (s *Store) ForgetProgram(server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.items[programKey(server)]; i != nil && i.State != Blocked {
		delete(s.items, i.Key)
		if err := s.save(); err != nil {
			s.fail(err)
		}
	}
}

// doubtful reports whether a program has changed or became unreadable, and nobody has approved
// that.
func (i *Item) doubtful() bool {
	return i.Kind == ProgramKind && (i.State == RugPull || i.State == Unknown && i.Approval != nil)
}
