package trust

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpproxy/internal/atomicfile"
)

// Rules are what configuration says; they change on reload.
type Rules struct {
	Enabled          bool // security.tool_quarantine.enabled: whether anything but blocked is held
	QuarantineNew    bool // auto_quarantine_new_tools
	RugPull          bool // rug_pull_detection
	QuarantineServer bool // quarantine_server_on_rug_pull

	Program OnProgramChange // program_change; "" is [ProgramWarn]
}

// Deps are what the store needs of other rooms. Each may be nil.
type Deps struct {
	// Scan looks at the definitions called due, among all that are known, and
	// returns at most one finding for each.
	Scan func(due, all []Definition) []Finding
	// Clean returns the part of a definition that agents may see.
	Clean func(json.RawMessage) (json.RawMessage, bool)
	// Changed hears of what moved from state to state, once it is kept. It must
	// not call the store.
	Changed func([]Change)
	// Failed hears that the states could not be written to the file.
	Failed func(error)
	// Writing is asked to call write, which replaces the file by raw: so that somebody
	// can remember outside of the file what it holds.
	Writing func(raw []byte, write func() error) error
}

// maxItems bounds the definitions kept of one server; what comes beyond is held.
const maxItems = 10_000

// Store holds the state of every definition. It is safe for concurrent use.
type Store struct {
	path      string
	deps      Deps
	observing sync.Mutex // one list at a time is compared and scanned

	mu      sync.RWMutex
	rules   Rules
	items   map[Key]*Item
	order   map[Key][]string        // names, by server and kind, as the server lists them
	listed  map[Key]bool            // servers and kinds whose whole list was read in this run
	servers map[string]*ServerState // those that a human or a rule has quarantined
	dirty   bool                    // the file does not say how things are
	kept    []byte                  // what the file says
}

// ServerState is the quarantine of a whole server.
type ServerState struct {
	By     string    `json:"by"`
	Reason string    `json:"reason"`
	Since  time.Time `json:"since"`
}

// Open reads the states from a file, which is made when something is first to be
// kept, and removes what crashes have left of its writing: one store at a time may be
// open. An error means that the file cannot be used; it says what to do.
func Open(path string, rules Rules, deps Deps) (*Store, error) {
	s := &Store{
		path:    path,
		deps:    deps,
		rules:   rules,
		items:   map[Key]*Item{},
		order:   map[Key][]string{},
		listed:  map[Key]bool{},
		servers: map[string]*ServerState{},
	}
	if err := atomicfile.Sweep(path); err != nil {
		return nil, fmt.Errorf("removing what a crash left of %s: %w", path, err)
	}
	if err := s.load(); err != nil {
		return nil, err
	}
	return s, nil
}

// Configure changes the rules for what is observed and asked from now on. What
// is approved already stays so.
func (s *Store) Configure(r Rules) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = r
}

// Rules are the rules in force.
func (s *Store) Rules() Rules {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.rules
}

// Items returns copies of what is known: of one server, or of all when server is
// empty; by server, kind and name.
func (s *Store) Items(server string) []Item {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []Item
	for k, i := range s.items {
		if server == "" || k.Server == server {
			out = append(out, *i)
		}
	}
	slices.SortFunc(out, func(a, b Item) int { return compare(a.Key, b.Key) })
	return out
}

func compare(a, b Key) int {
	return strings.Compare(a.Server+"\x00"+string(a.Kind)+"\x00"+a.Name, b.Server+"\x00"+string(b.Kind)+"\x00"+b.Name)
}

// Item holds the facts about one definition.
func (s *Store) Item(k Key) (Item, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, ok := s.items[k]
	if !ok {
		return Item{}, false
	}
	return *i, true
}

// Quarantined returns the servers that are quarantined as a whole.
func (s *Store) Quarantined() map[string]ServerState {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := map[string]ServerState{}
	for name, q := range s.servers {
		out[name] = *q
	}
	return out
}

// Gone takes it that a server is not there any more: what it declared is held
// until it declares it again, and does not count as declared by anybody.
func (s *Store) Gone(server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, i := range s.items {
		if k.Server == server {
			i.seen = false
		}
	}
	for _, kind := range Kinds {
		delete(s.listed, Key{server, kind, ""})
		delete(s.order, Key{server, kind, ""})
	}
}

// Read reports whether the tools of a server were read in this run.
func (s *Store) Read(server string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.listed[Key{server, Tool, ""}]
}

// Tally counts what the servers declare at present.
type Tally struct {
	Approved    int `json:"approved"`
	Quarantined int `json:"quarantined"`
	RugPull     int `json:"rug_pull"`
	Blocked     int `json:"blocked"`
	Held        int `json:"held" doc:"Definitions that agents can neither see nor use"`
	Servers     int `json:"quarantined_servers"`
	Programs    int `json:"changed_programs" doc:"Servers whose code has changed, or cannot be read any more, and waits for approval"`
}

// Count counts what is declared by servers in this run.
func (s *Store) Count() Tally {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c := Tally{Servers: len(s.servers)}
	by := map[State]*int{
		Approved:    &c.Approved,
		Quarantined: &c.Quarantined,
		RugPull:     &c.RugPull,
		Blocked:     &c.Blocked,
	}
	for _, i := range s.items {
		if i.doubtful() && s.rules.Program != ProgramOff {
			c.Programs++
		}
		if !i.Listed || !i.seen || i.Kind == ProgramKind {
			continue
		}
		*by[i.State]++
		if !s.open(i) {
			c.Held++
		}
	}
	return c
}

// Offered returns what agents may see of a server's definitions of one kind, in
// the server's own order. A tool whose name must be cleaned is not among them:
// under the cleaned name the server does not know it.
func (s *Store) Offered(server string, kind Kind) []json.RawMessage {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []json.RawMessage
	for _, name := range s.order[Key{server, kind, ""}] {
		if i := s.items[Key{server, kind, name}]; i != nil && i.Listed && s.open(i) && s.callable(i) {
			out = append(out, i.clean)
		}
	}
	return out
}

// Shown is what agents may see of a definition that a server has just sent and
// that was observed; ok is false when it is held. It is held, too, when it is
// another form than the one that was observed last.
func (s *Store) Shown(d Definition) (clean json.RawMessage, ok bool) {
	s.mu.RLock()
	i := s.items[d.Key]
	if i == nil {
		off := !s.rules.Enabled
		s.mu.RUnlock()
		return s.cleaned(d.Raw), off
	}
	ok, clean = s.open(i) && s.callable(i), i.clean
	same, print := bytes.Equal(i.Raw, d.Raw), i.Fingerprint.CombinedHash
	s.mu.RUnlock()
	if !ok || same {
		return clean, ok
	}
	f, err := FingerprintOf(d)
	return s.cleaned(d.Raw), err == nil && f.CombinedHash == print
}

// open reports whether agents may see and call i.
func (s *Store) open(i *Item) bool {
	if i.State == Blocked || i.Kind != ProgramKind && !i.seen || s.programHolds(i.Server) != nil {
		return false
	}
	if i.Kind == ProgramKind {
		return true
	}
	return !s.rules.Enabled || i.Trusted() && s.servers[i.Server] == nil
}

// callable reports whether i can be called under the name that agents see.
func (s *Store) callable(i *Item) bool {
	if i.Kind == Instructions {
		return true
	}
	name, err := NameOf(i.clean)
	return err == nil && name == i.Name
}

// cleaned is what agents may see of raw.
func (s *Store) cleaned(raw json.RawMessage) json.RawMessage {
	if s.deps.Clean == nil {
		return raw
	}
	if clean, changed := s.deps.Clean(raw); changed {
		return clean
	}
	return raw
}
