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

// Rules are the settings of the store. They change on reload.
type Rules struct {
	Enabled          bool // security.tool_quarantine.enabled: if false, only blocked definitions are held
	QuarantineNew    bool // auto_quarantine_new_tools
	RugPull          bool // rug_pull_detection
	QuarantineServer bool // quarantine_server_on_rug_pull

	Program OnProgramChange // program_change; "" is [ProgramWarn]
}

// Deps are what the store needs from other packages. Each may be nil.
type Deps struct {
	// Scan scans the due definitions in the context of all known ones. It returns at most one
	// finding for each.
	Scan func(due, all []Definition) []Finding
	// Clean returns the part of a definition that agents may see.
	Clean func(json.RawMessage) (json.RawMessage, bool)
	// Changed is called for each change of state after it is stored. It must not call the store.
	Changed func([]Change)
	// Failed is called if the states could not be written to the file.
	Failed func(error)
	// Writing must call write, which replaces the file by raw. It lets the caller record the file's
	// content elsewhere.
	Writing func(raw []byte, write func() error) error
}

// maxItems limits the definitions of one server; further ones are held.
const maxItems = 10_000

// Store holds the state of every definition. It is safe for concurrent use.
type Store struct {
	path      string
	deps      Deps
	publish   func([]Decision) error // see [Store.Share]; nil for a single gateway
	observing sync.Mutex             // serializes comparing and scanning of lists

	mu      sync.RWMutex
	rules   Rules
	items   map[Key]*Item
	order   map[Key][]string        // names by server and kind, in the server's order
	listed  map[Key]bool            // servers and kinds whose whole list was read in this run
	servers map[string]*ServerState // servers quarantined by a person or a rule
	agreed  map[Key]Decision        // last decision that the gateways share, about definitions
	dirty   bool                    // the file is out of date
	kept    []byte                  // content of the file
}

// ServerState is the quarantine of a whole server.
type ServerState struct {
	By     string    `json:"by"`
	Reason string    `json:"reason"`
	Since  time.Time `json:"since"`
}

// Open reads the states from a file and removes temporary files that a crash left behind. The file
// is created when the first state is stored. Only one store may be open at a time. An error means
// that the file is unusable; it says what to do.
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

// Configure changes the rules for later observations and queries. Existing approvals stay valid.
func (s *Store) Configure(r Rules) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = r
}

// Rules returns the rules in force.
func (s *Store) Rules() Rules {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.rules
}

// Items returns copies of the known definitions of one server, or of all servers if server is
// empty, sorted by server, kind and name.
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

// Item returns the known facts about one definition.
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

// Gone notes that a server was removed. Its definitions are held until it declares them again,
// and they no longer count as declared.
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

// Tally counts the definitions that servers currently declare.
type Tally struct {
	Approved    int `json:"approved"`
	Quarantined int `json:"quarantined"`
	RugPull     int `json:"rug_pull"`
	Blocked     int `json:"blocked"`
	Held        int `json:"held" doc:"Definitions that agents can neither see nor use"`
	Servers     int `json:"quarantined_servers"`
	Programs    int `json:"changed_programs" doc:"Servers whose code has changed, or cannot be read any more, and waits for approval"`
}

// Count counts the definitions that servers declared in this run.
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

// Offered returns the definitions of one kind that agents may see, in the server's order. It omits
// a tool whose name had to be cleaned, because the server does not know the cleaned name.
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

// Shown returns what agents may see of a definition that a server has just sent and that was
// observed. ok is false if the definition is held, or if it differs from the form that was last
// observed.
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

// cleaned returns the part of raw that agents may see.
func (s *Store) cleaned(raw json.RawMessage) json.RawMessage {
	if s.deps.Clean == nil {
		return raw
	}
	if clean, changed := s.deps.Clean(raw); changed {
		return clean
	}
	return raw
}
