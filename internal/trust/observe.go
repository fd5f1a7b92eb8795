package trust

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// configuration is the recorded approver if no person has looked.
const configuration = "configuration"

// byServer is the recorded author of changes by a server.
const byServer = "server"

// Seen is the result of observing a list.
type Seen struct {
	New, Held int // new definitions, and how many of them are held
	Refused   int // ambiguous definitions, and those beyond the limit
	Changes   []Change
}

// Add adds the counts of b.
func (a *Seen) Add(b Seen) {
	a.New = a.New + b.New
	a.Held = a.Held + b.Held
	a.Refused = a.Refused + b.Refused
	a.Changes = append(a.Changes, b.Changes...)
}

// Observe processes what a server declares: the whole list of a kind, or a part of one. It compares
// the definitions, scans new and changed ones, and changes states. When it returns, the result is
// on disk. If writing fails, it calls [Deps].Failed, and everything stays held until the program
// ends.
func (s *Store) Observe(server string, kind Kind, raws []json.RawMessage, whole bool) Seen {
	s.observing.Lock()
	defer s.observing.Unlock()
	defs, refused := s.read(server, kind, raws)
	if !s.news(server, kind, defs, whole) {
		s.took(defs)
		return Seen{Refused: refused}
	}
	found, due := s.scan(server, kind, defs, whole)
	s.mu.Lock()
	o := &observation{
		store: s,
		now:   time.Now().UTC(),
		found: found,
		due:   due,
		known: s.count(server),
	}
	for _, d := range defs {
		o.definition(d)
	}
	if whole {
		o.whole(server, kind, defs)
	}
	o.findings()
	o.rugPulls(server)
	if err := s.save(); err != nil {
		s.fail(err)
	}
	s.mu.Unlock()
	o.seen.Refused += refused
	o.seen.Changes = o.batch()
	s.notify(o.seen.Changes)
	s.spread(o.seen.Changes)
	return o.seen
}

func (s *Store) notify(changes []Change) {
	if s.deps.Changed != nil && len(changes) > 0 {
		s.deps.Changed(changes)
	}
}

func (s *Store) fail(err error) {
	if s.deps.Failed != nil {
		s.deps.Failed(err)
	}
}

// sight is a definition that was just received.
type sight struct {
	Definition
	print Fingerprint
	err   error // why it is ambiguous
}

// read parses definitions and computes their fingerprints.
func (s *Store) read(server string, kind Kind, raws []json.RawMessage) (defs []sight, refused int) {
	for _, raw := range raws {
		d := sight{Definition: Definition{Key{server, kind, ""}, raw, false}}
		if kind != Instructions {
			d.Name, d.err = NameOf(raw)
		}
		if i, ok := s.Item(d.Key); d.err == nil && ok && bytes.Equal(i.Raw, raw) {
			d.print = i.Fingerprint // usually unchanged
		} else if d.err == nil {
			d.print, d.err = FingerprintOf(d.Definition)
		}
		if d.err != nil {
			refused++
		}
		defs = append(defs, d)
	}
	return defs, refused
}

// news reports whether a list contains a change.
func (s *Store) news(server string, kind Kind, defs []sight, whole bool) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := Key{server, kind, ""}
	if s.dirty || whole && (!s.listed[list] || !slices.Equal(s.order[list], names(defs))) {
		return true
	}
	return slices.ContainsFunc(defs, func(d sight) bool {
		i := s.items[d.Key]
		if d.err != nil {
			return i != nil && i.State == Approved
		}
		return i == nil || !i.seen || !i.Listed || i.Fingerprint.CombinedHash != d.print.CombinedHash
	})
}

// took updates definitions whose bytes changed but not their meaning.
func (s *Store) took(defs []sight) {
	for _, d := range defs {
		if i, ok := s.Item(d.Key); ok && !bytes.Equal(i.Raw, d.Raw) {
			s.mu.Lock()
			s.rewritten(s.items[d.Key], d)
			s.mu.Unlock()
		}
	}
}

func (s *Store) rewritten(i *Item, d sight) {
	i.Raw = slices.Clone(d.Raw)
	i.Fingerprint = d.print
	i.clean = s.cleaned(d.Raw)
	i.seen = true
	i.Listed = true
}

func names(defs []sight) []string {
	out := make([]string, len(defs))
	for i, d := range defs {
		out[i] = d.Name
	}
	return out
}

// scan scans new and changed definitions, and also all others that no person has approved. One
// server's definition can make another's suspicious, whichever came first.
func (s *Store) scan(server string, kind Kind, defs []sight, whole bool) (found map[Key]Finding, due []Definition) {
	if s.deps.Scan == nil {
		return nil, nil
	}
	s.mu.RLock()
	var all []Definition
	fresh := false // whether anything new was declared
	here := map[Key]bool{}
	for _, d := range defs {
		if d.err != nil {
			continue
		}
		here[d.Key] = true
		i := s.items[d.Key]
		fresh = fresh || i == nil || !i.seen || i.Fingerprint.CombinedHash != d.print.CombinedHash
		d.Established = i != nil && i.outweighed() && i.Fingerprint.CombinedHash == d.print.CombinedHash ||
			s.approvedElsewhere(d.Key, d.print.CombinedHash)
		all = append(all, d.Definition)
		if !d.Established {
			due = append(due, d.Definition)
		}
	}
	for k, i := range s.items {
		if here[k] || k.Kind == ProgramKind || !i.Listed || !i.seen || whole && k.Server == server && k.Kind == kind {
			continue
		}
		d := Definition{k, i.Raw, i.outweighed()}
		all = append(all, d)
		if !d.Established {
			due = append(due, d)
		}
	}
	s.mu.RUnlock()
	if !fresh {
		return nil, nil
	}
	slices.SortStableFunc(all, func(a, b Definition) int { return compare(a.Key, b.Key) })
	slices.SortStableFunc(due, func(a, b Definition) int { return compare(a.Key, b.Key) })
	found = map[Key]Finding{}
	for _, f := range s.deps.Scan(due, all) {
		if old, twice := found[f.Key]; !twice || f.Hard && !old.Hard {
			found[f.Key] = f
		}
	}
	return found, due
}

// observation is the processing of one list.
type observation struct {
	store *Store
	now   time.Time
	found map[Key]Finding
	due   []Definition
	known int // number of known definitions of the server
	seen  Seen
	fresh []Change
	moves []Change
}

// definition processes one received definition.
func (o *observation) definition(d sight) {
	s := o.store
	i := s.items[d.Key]
	switch {
	case d.err != nil && i != nil: // the earlier form is not what is declared now
		o.unreadable(i, d.err)
	case d.err != nil:
	case i != nil:
		same := i.Fingerprint.CombinedHash == d.print.CombinedHash
		if !same || i.clean == nil || !bytes.Equal(i.Raw, d.Raw) {
			s.rewritten(i, d)
		}
		i.seen, i.Listed = true, true
		if !same {
			o.changed(i)
		}
	case o.known >= maxItems:
		o.seen.Refused++
	default:
		o.first(d)
	}
}

func (s *Store) count(server string) (n int) {
	for k := range s.items {
		if k.Server == server {
			n++
		}
	}
	return n
}

// first processes a new definition.
func (o *observation) first(d sight) {
	s := o.store
	raw := slices.Clone(d.Raw)
	i := &Item{
		Key:         d.Key,
		State:       Quarantined,
		Reason:      "it is new, and nobody has approved it yet",
		By:          byServer,
		Since:       o.now,
		FirstSeen:   o.now,
		Listed:      true,
		Fingerprint: d.print,
		Raw:         raw,
		clean:       s.cleaned(raw),
		seen:        true,
	}
	if !s.rules.QuarantineNew {
		i.State = Approved
		i.By = configuration
		i.Reason = "new definitions are approved by security.tool_quarantine.auto_quarantine_new_tools"
		i.Approval = &Approval{d.print.CombinedHash, raw, configuration, o.now, false}
	}
	if f, ok := o.found[d.Key]; ok && f.Hard { // hard finding: never approved, not even briefly
		i.State = Quarantined
		i.By = "scan"
		i.Reason = because(f)
		i.Approval = nil
	}
	s.settleNew(i)
	s.items[d.Key] = i
	o.known++
	o.seen.New++
	if i.State == Quarantined {
		o.seen.Held++
	}
	o.fresh = append(o.fresh, o.change(i, ""))
}

// changed processes a definition whose content has changed.
func (o *observation) changed(i *Item) {
	if before := *i; o.store.approvedElsewhere(i.Key, i.Fingerprint.CombinedHash) && o.store.settle(i) {
		o.moves = append(o.moves, moved(before, i))
		return
	}
	if i.State != Approved { // already held, whatever the form
		if i.By == "scan" {
			i.By, i.Reason = byServer, "a scan found something dangerous in it, and it has changed since"
		}
		return
	}
	from := i.State
	if o.store.rules.RugPull {
		i.State = RugPull
		i.By = byServer
		i.Since = o.now
		i.Reason = "its definition has changed since it was approved"
		c := o.change(i, from)
		c.Diff, _ = Diff(i.Approval.Raw, i.Raw)
		o.moves = append(o.moves, c)
		return
	}
	i.By, i.Since = configuration, o.now
	i.Reason = "it has changed, and security.tool_quarantine.rug_pull_detection is off"
	i.Approval = &Approval{i.Fingerprint.CombinedHash, i.Raw, configuration, o.now, false}
	o.moves = append(o.moves, o.change(i, from))
}

// unreadable processes a known definition that has become ambiguous.
func (o *observation) unreadable(i *Item, err error) {
	i.seen = true
	if i.State != Approved {
		return
	}
	i.State = RugPull
	i.By = byServer
	i.Since = o.now
	i.Reason = fmt.Sprintf("its definition has changed to one that cannot be read: %s", Visible(fmt.Sprint(err)))
	o.moves = append(o.moves, o.change(i, Approved))
}

// whole processes a complete list: its order, and removed definitions. A removed definition that
// nobody has decided about is forgotten.
func (o *observation) whole(server string, kind Kind, defs []sight) {
	s := o.store
	list := Key{server, kind, ""}
	s.order[list], s.listed[list] = names(defs), true
	here := map[string]bool{}
	for _, d := range defs {
		here[d.Name] = true
	}
	for k, i := range s.items {
		if k.Server != server || k.Kind != kind || here[k.Name] {
			continue
		}
		i.Listed = false
		if i.State == Quarantined && i.Approval == nil && !i.Hard() {
			delete(s.items, k)
		}
	}
}

// findings stores the scan's findings and holds definitions with hard findings.
func (o *observation) findings() {
	for _, d := range o.due {
		i := o.store.items[d.Key]
		if i == nil || !bytes.Equal(i.Raw, d.Raw) {
			continue // second definition with the same name
		}
		i.Findings = nil
		f, ok := o.found[d.Key]
		if !ok {
			continue
		}
		i.Findings = []Finding{f}
		if f.Hard && i.State == Approved && !i.outweighed() {
			i.State = Quarantined
			i.By = "scan"
			i.Since = o.now
			i.Reason = because(f)
			i.Approval = nil
			c := o.change(i, Approved)
			c.Hard = true
			o.moves = append(o.moves, c)
		} else if f.Hard && i.State == Quarantined {
			i.By, i.Reason = "scan", because(f)
		}
	}
}

func because(f Finding) string {
	reason := "a scan found something dangerous in it"
	if len(f.Signals) > 0 {
		reason += ": " + f.Signals[0].Detail + " (" + f.Signals[0].Check + ")"
	}
	return reason
}

// rugPulls quarantines the server after a rug pull if the configuration says so.
func (o *observation) rugPulls(server string) {
	s := o.store
	pulled := slices.ContainsFunc(o.moves, func(c Change) bool { return c.To == RugPull })
	if !pulled || !s.rules.QuarantineServer || s.servers[server] != nil {
		return
	}
	reason := "one of its definitions has changed since it was approved"
	o.moves = append(o.moves, s.quarantineFor(server, reason, o.now))
}

// quarantineFor quarantines a whole server, by configuration.
func (s *Store) quarantineFor(server, reason string, now time.Time) Change {
	s.servers[server] = &ServerState{By: configuration, Reason: reason, Since: now}
	return Change{
		Key:    Key{Server: server},
		From:   Approved,
		To:     Quarantined,
		By:     configuration,
		Reason: reason,
		Time:   now,
	}
}

func (o *observation) change(i *Item, from State) Change {
	c := Change{
		Key:    i.Key,
		From:   from,
		To:     i.State,
		Hash:   i.Fingerprint.CombinedHash,
		By:     i.By,
		Reason: i.Reason,
		Time:   o.now,
	}
	if i.Approval != nil && i.Approval.Hash != c.Hash {
		c.Before = i.Approval.Hash
	}
	return c
}

// maxNames limits the names in one change.
const maxNames = 100

// batch merges the changes of new definitions that reached the same state, and keeps the other
// changes.
func (o *observation) batch() []Change {
	var out []Change
	for _, c := range o.fresh {
		at := slices.IndexFunc(out, func(b Change) bool { return b.To == c.To && b.Reason == c.Reason })
		if at < 0 {
			out, at = append(out, c), len(out)
			out[at].Name, out[at].Hash = "", ""
		}
		b := &out[at]
		b.Count++
		if c.Name != "" && len(b.Names) < maxNames {
			b.Names = append(b.Names, c.Name)
		}
	}
	return append(out, o.moves...)
}
