package trust

import (
	"maps"
	"slices"
	"time"
)

// Decision is a decision about a definition, or about a whole server if Kind is empty, in the form in which several
// gateways share it.
type Decision struct {
	Key
	State  State     `json:"state"`          // approved, quarantined, rug_pull or blocked
	Hash   string    `json:"hash,omitempty"` // the form that was approved, or that was seen
	Reason string    `json:"reason"`
	By     string    `json:"by"`
	Time   time.Time `json:"time"`
}

// Refusal reports whether the decision holds something back.
func (d Decision) Refusal() bool { return d.State != Approved }

// Share makes the store publish its decisions instead of applying them: publish must call [Store.Adopt] with
// them before it returns. It may fail for approvals, which then do not take effect; it must not fail for
// refusals. Share must be called before the store is used.
func (s *Store) Share(publish func([]Decision) error) { s.publish = publish }

// shareable reports whether the state of an item is shared. The state of an unreadable program belongs to one machine.
func (i *Item) shareable() bool {
	return i.Kind != ProgramKind || i.State == Approved || i.State == Blocked
}

func (i *Item) decision() Decision {
	return Decision{
		Key:    i.Key,
		State:  i.State,
		Hash:   i.Fingerprint.CombinedHash,
		Reason: i.Reason,
		By:     i.By,
		Time:   i.Since,
	}
}

// Know tells the store which decisions it adopted in an earlier run, so that they also apply to definitions that
// a server has not declared yet. It must be called before the store is used.
func (s *Store) Know(ds []Decision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range ds {
		s.agree(d)
	}
}

func (s *Store) agree(d Decision) {
	if s.agreed == nil {
		s.agreed = map[Key]Decision{}
	}
	s.agreed[d.Key] = d
}

// Decided returns the decisions of the store that stay valid after a restart: refusals, and approvals by people.
func (s *Store) Decided() (refusals, approvals []Decision) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, k := range slices.SortedFunc(maps.Keys(s.items), compare) {
		i := s.items[k]
		byPerson := i.By != byServer && i.By != configuration && i.By != "scan"
		switch {
		case !i.shareable():
		case i.State == Blocked,
			i.State == RugPull && i.Approval != nil && i.Approval.Human,
			i.State == Quarantined && byPerson:
			refusals = append(refusals, i.decision())
		case i.outweighed():
			approvals = append(approvals, i.decision())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.servers)) {
		q := s.servers[name]
		refusals = append(refusals, Decision{
			Key:    Key{Server: name},
			State:  Quarantined,
			Reason: q.Reason,
			By:     q.By,
			Time:   q.Since,
		})
	}
	return refusals, approvals
}

// Adopt applies decisions that this or another gateway has published, in their order. It returns the servers whose
// definitions have changed their state. A decision about a definition that this gateway has not read, or has read in
// another form, is remembered until the definition is read.
func (s *Store) Adopt(ds []Decision) (servers []string) {
	s.mu.Lock()
	var changes []Change
	for _, d := range ds {
		if d.Kind == "" {
			changes = append(changes, s.adoptServer(d)...)
			continue
		}
		s.agree(d)
		if i := s.items[d.Key]; i != nil {
			before := *i
			if s.settle(i) {
				changes = append(changes, moved(before, i))
			}
		}
	}
	if len(changes) > 0 {
		if err := s.save(); err != nil {
			s.fail(err)
		}
	}
	s.mu.Unlock()
	s.notify(changes)
	for _, c := range changes {
		servers = append(servers, c.Server)
	}
	slices.Sort(servers)
	return slices.Compact(servers)
}

// adoptServer applies a decision about a whole server. The caller holds the lock.
func (s *Store) adoptServer(d Decision) []Change {
	held := s.servers[d.Server] != nil
	if held == d.Refusal() {
		return nil
	}
	from := Approved
	if held {
		from = Quarantined
	}
	if d.Refusal() {
		s.servers[d.Server] = &ServerState{By: d.By, Reason: d.Reason, Since: d.Time}
	} else {
		delete(s.servers, d.Server)
	}
	return []Change{{
		Key:    d.Key,
		From:   from,
		To:     d.State,
		By:     d.By,
		Reason: d.Reason,
		Time:   d.Time,
	}}
}

// settle gives an item the state that was last decided for its key, if the decision is about the item's present
// form. It reports whether the item has changed. The caller holds the lock.
func (s *Store) settle(i *Item) bool {
	d, ok := s.agreed[i.Key]
	if !ok {
		return false
	}
	switch d.State {
	case Approved:
		if i.Fingerprint.CombinedHash != d.Hash || i.outweighed() {
			return false
		}
		i.State = Approved
		i.Approval = &Approval{d.Hash, i.Raw, d.By, d.Time, true}
	case Blocked:
		if i.State == Blocked {
			return false
		}
		i.State = Blocked
	case RugPull:
		if i.State != Approved {
			return false
		}
		i.State = RugPull
	default:
		if i.State == Blocked || i.State == Quarantined {
			return false
		}
		i.State, i.Approval = Quarantined, nil
	}
	i.because(d)
	return true
}

// because records why an item has its state.
func (i *Item) because(d Decision) {
	i.Reason = d.Reason
	i.By, i.Since = d.By, d.Time
}

// settleNew does the same as settle for an item that was just declared for the first time.
func (s *Store) settleNew(i *Item) {
	if d := s.agreed[i.Key]; d.State == RugPull { // the form that was approved is not known here
		i.State, i.Approval = Quarantined, nil
		i.because(d)
		return
	}
	s.settle(i)
}

// approvedElsewhere reports whether a person has approved this form of a definition on another gateway.
func (s *Store) approvedElsewhere(k Key, hash string) bool {
	d := s.agreed[k]
	return d.State == Approved && d.Hash == hash && hash != ""
}

// spread publishes what a server has done to definitions that people had approved.
func (s *Store) spread(changes []Change) {
	if s.publish == nil {
		return
	}
	var out []Decision
	for _, c := range changes {
		if c.Kind == "" && c.Name == "" && c.To == Quarantined && c.Count == 0 {
			out = append(out, Decision{
				Key:    c.Key,
				State:  Quarantined,
				Reason: c.Reason,
				By:     c.By,
				Time:   c.Time,
			})
			continue
		}
		i, ok := s.Item(c.Key)
		if ok && c.To == RugPull && i.State == RugPull && i.Approval != nil && i.Approval.Human {
			out = append(out, i.decision())
		}
	}
	if len(out) == 0 {
		return
	}
	if err := s.publish(out); err != nil {
		s.fail(err)
	}
}
