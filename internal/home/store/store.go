package store

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy/internal/home"
)

// File is the name of the store's file in the data folder.
const File = "home.json"

// The limits of the store.
const (
	maxEntries = 2000
	maxPlaces  = 10_000
)

// Event says what happened to an entry.
type Event string

// The events.
const (
	Learned   Event = "learned"
	Added     Event = "added"
	Confirmed Event = "confirmed"
	Rejected  Event = "rejected"
	Removed   Event = "removed"
)

// Change is one event of one entry.
type Change struct {
	Event Event      `json:"event" enum:"learned,added,confirmed,rejected,removed"`
	Entry home.Entry `json:"entry" doc:"The entry as it is now, or as it was before it was removed"`
}

// Errors of decisions. The errors that callers see wrap them and say what to do.
var (
	ErrUnknown    = errors.New("home has no such entry")
	ErrConfigured = errors.New("it is set in the configuration: change it there")
	ErrFull       = fmt.Errorf("home has %d entries already", maxEntries)
)

// Store stores entries. It is safe for concurrent use.
type Store struct {
	path    string
	changed func([]Change)

	mu         sync.Mutex
	configured []home.Entry
	sealed     bool // only the entries of the configuration are home
	entries    []home.Entry
	places     map[string]time.Time // the places that were read, with the time of the first look

	current atomic.Pointer[home.Home]
}

// Open reads the entries from a file, and removes temporary files that a crash left behind. The file is created when
// the first entry is stored. Only one store may be open at a time. Changed is called for every change after it is
// stored; it must not change the store.
func Open(path string, changed func([]Change)) (*Store, error) {
	s := &Store{path: path, changed: changed, places: map[string]time.Time{}}
	if err := s.load(); err != nil {
		return nil, err
	}
	s.renew()
	return s, nil
}

// Home returns what is home at present.
func (s *Store) Home() *home.Home { return s.current.Load() }

// renew computes the current home from the current entries. The caller holds the lock.
func (s *Store) renew() {
	all := slices.Clone(s.configured)
	if !s.sealed {
		all = append(all, s.entries...)
	}
	s.current.Store(home.New(all))
}

// Seal sets whether only the entries of the configuration are home. Other entries stay stored, and count again after
// Seal(false).
func (s *Store) Seal(sealed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sealed = sealed
	s.renew()
}

// Configure sets the entries of the configuration and the hosts of its internal servers. It forgets the host of a
// server that was removed, unless a person has decided about it.
func (s *Store) Configure(configured, servers []home.Entry) error {
	s.mu.Lock()
	s.configured = configured
	gone := func(e home.Entry) bool {
		return e.Source == home.ServerURL && e.State == home.Learned && !slices.ContainsFunc(servers, e.Same)
	}
	had := len(s.entries)
	before := slices.Clone(s.entries)
	s.entries = slices.DeleteFunc(s.entries, gone)
	changes := s.take(servers)
	var err error
	if len(s.entries) != had || len(changes) > 0 {
		if err = s.save(); err != nil {
			s.entries, changes = before, nil
		}
	}
	s.renew()
	s.mu.Unlock()
	s.notify(changes)
	return err
}

// later returns the doubt about an entry that was not found at the first look.
func later(s home.Source) string {
	if s == home.OwnAccount {
		return "the tool did not name it when it was first asked"
	}
	return "it was not there when mcpproxy first looked; an agent may have written it"
}

// Learn adds the entries that were found in a place. A place can have several names, such as a folder and the settings
// of its repository. It counts as new if none of its names is known.
func (s *Store) Learn(found []home.Entry, places ...string) error {
	now := time.Now().UTC()
	s.mu.Lock()
	first := true
	fresh := false
	for _, place := range places {
		if _, known := s.places[place]; known {
			first = false
		} else {
			fresh = true
		}
	}
	if !first {
		found = slices.Clone(found)
		for i := range found {
			if found[i].Doubt == "" {
				found[i].Doubt = later(found[i].Source)
			}
		}
	}
	changes := s.take(found)
	if !fresh && len(changes) == 0 {
		s.mu.Unlock()
		return nil
	}
	for _, place := range places {
		if _, known := s.places[place]; !known {
			s.forgetPlace()
			s.places[place] = now
		}
	}
	err := s.save()
	s.renew()
	s.mu.Unlock()
	s.notify(changes)
	return err
}

// forgetPlace makes room for one more place. The caller holds the lock.
func (s *Store) forgetPlace() {
	if len(s.places) < maxPlaces {
		return
	}
	oldest := ""
	for place, at := range s.places {
		if oldest == "" || at.Before(s.places[oldest]) {
			oldest = place
		}
	}
	delete(s.places, oldest)
}

// take adds the entries that are not known yet. If a known entry was found again without a doubt, take removes its
// doubt. The caller holds the lock.
func (s *Store) take(found []home.Entry) (changes []Change) {
	for _, e := range found {
		if slices.ContainsFunc(s.configured, e.Same) {
			continue
		}
		if i := slices.IndexFunc(s.entries, e.Same); i >= 0 {
			known := &s.entries[i]
			if known.State == home.Learned && known.Doubt != "" && e.Doubt == "" {
				known.Doubt = ""
				known.Source = e.Source
				known.From = e.From
				changes = append(changes, Change{Learned, *known})
			}
			continue
		}
		if len(s.entries) >= maxEntries {
			break
		}
		e.State = home.Learned
		e.FirstSeen = time.Now().UTC()
		s.entries = append(s.entries, e)
		changes = append(changes, Change{Learned, e})
	}
	return changes
}

// Add adds an entry that is home.
func (s *Store) Add(e home.Entry, by string) (Change, error) {
	return s.decide(e, func(i int) (Change, error) {
		if i < 0 {
			if len(s.entries) >= maxEntries {
				return Change{}, ErrFull
			}
			e.Source = home.Added
			e.FirstSeen = time.Now().UTC()
			i = len(s.entries)
			s.entries = append(s.entries, e)
		}
		s.entries[i].State = home.Confirmed
		s.entries[i].Doubt = ""
		s.entries[i].By = by
		return Change{Added, s.entries[i]}, nil
	})
}

// Confirm notes that an entry is home.
func (s *Store) Confirm(e home.Entry, by string) (Change, error) {
	return s.settle(e, home.Confirmed, Confirmed, by)
}

// Reject notes that an entry is not home. It is not learned again.
func (s *Store) Reject(e home.Entry, by string) (Change, error) {
	return s.settle(e, home.Rejected, Rejected, by)
}

func (s *Store) settle(e home.Entry, state home.State, event Event, by string) (Change, error) {
	return s.decide(e, func(i int) (Change, error) {
		if i < 0 {
			return Change{}, ErrUnknown
		}
		s.entries[i].State = state
		s.entries[i].Doubt = ""
		s.entries[i].By = by
		return Change{event, s.entries[i]}, nil
	})
}

// Remove removes an entry. A learned entry may be learned again.
func (s *Store) Remove(e home.Entry, by string) (Change, error) {
	return s.decide(e, func(i int) (Change, error) {
		if i < 0 {
			return Change{}, ErrUnknown
		}
		removed := s.entries[i]
		removed.By = by
		s.entries = slices.Delete(s.entries, i, i+1)
		return Change{Removed, removed}, nil
	})
}

// decide changes one entry. If the change cannot be written, everything stays as it was. It calls change with the
// entry's index, or -1.
func (s *Store) decide(e home.Entry, change func(i int) (Change, error)) (Change, error) {
	s.mu.Lock()
	if slices.ContainsFunc(s.configured, e.Same) {
		s.mu.Unlock()
		return Change{}, fmt.Errorf("%s: %w", e, ErrConfigured)
	}
	before := slices.Clone(s.entries)
	c, err := change(slices.IndexFunc(s.entries, e.Same))
	if err == nil {
		err = s.save()
	}
	if err != nil {
		s.entries = before
		s.mu.Unlock()
		return Change{}, fmt.Errorf("%s: %w", e, err)
	}
	s.renew()
	s.mu.Unlock()
	s.notify([]Change{c})
	return c, nil
}

func (s *Store) notify(changes []Change) {
	if s.changed != nil && len(changes) > 0 {
		s.changed(changes)
	}
}
