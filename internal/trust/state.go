package trust

import (
	"encoding/json"
	"slices"
	"time"

	"mcpproxy"
)

// Kind says what a definition defines.
type Kind string

// The kinds of definitions.
const (
	Tool         Kind = "tool"
	Prompt       Kind = "prompt"
	Instructions Kind = "instructions" // a server's text about itself; one per server, without a name
	ProgramKind  Kind = "program"      // the code of a server's program; one per server, without a name
)

// Kinds lists every kind.
var Kinds = []Kind{Tool, Prompt, Instructions, ProgramKind}

// Named reports whether definitions of the kind have names. A server has only one definition of any
// other kind.
func (k Kind) Named() bool { return k == Tool || k == Prompt }

// State is the state of a definition.
type State string

// The states of RFC-004.
const (
	Quarantined State = "quarantined"
	Approved    State = "approved"
	RugPull     State = "rug_pull"
	Blocked     State = "blocked"
)

// Unknown is the state of an unreadable program. If its hash was known before, that is a finding.
const Unknown State = "unknown"

// States lists every state.
var States = []State{Quarantined, Approved, RugPull, Blocked, Unknown}

// Key identifies a definition.
type Key struct {
	Server string `json:"server"`
	Kind   Kind   `json:"kind"`
	Name   string `json:"name,omitempty"`
}

// String returns the key for people: server:name, with the kind unless it is a tool.
func (k Key) String() string {
	switch k.Kind {
	case Tool:
		return k.Server + ":" + k.Name
	case Instructions:
		return k.Server + " (instructions)"
	case ProgramKind:
		return k.Server + " (program)"
	}
	return k.Server + ":" + k.Name + " (" + string(k.Kind) + ")"
}

// Definition is what a server declares under a key, byte for byte.
type Definition struct {
	Key
	Raw json.RawMessage `json:"definition"`
	// Established is set if a person has approved it in this form.
	Established bool `json:"-"`
}

// Finding is a scan's result for one definition.
type Finding struct {
	Key
	Hard       bool              `json:"hard"` // holds the definition; other findings only inform
	Severity   mcpproxy.Severity `json:"severity"`
	ThreatType string            `json:"threat_type"`
	Confidence float64           `json:"confidence"` // 0 to 1
	Signals    []Observed        `json:"signals"`
}

// Observed is one observation of a scan. Its texts are safe to print.
type Observed struct {
	Check    string `json:"check_id"`
	Detail   string `json:"detail"`
	Evidence string `json:"evidence,omitempty"`
	Path     string `json:"location,omitempty"`
}

// Approval is a decision to trust exactly one form of a definition.
type Approval struct {
	Hash  string          `json:"hash"`
	Raw   json.RawMessage `json:"definition"` // the form that was approved
	By    string          `json:"by"`
	At    time.Time       `json:"at"`
	Human bool            `json:"human"` // false if the configuration approved it
}

// Item is all that is known about one definition.
type Item struct {
	Key
	State       State           `json:"state"`
	Reason      string          `json:"reason"` // reason for the state
	By          string          `json:"by"`     // who set the state
	Since       time.Time       `json:"since"`
	FirstSeen   time.Time       `json:"first_seen"`
	Listed      bool            `json:"listed"` // whether the server still declares it
	Fingerprint Fingerprint     `json:"fingerprint"`
	Raw         json.RawMessage `json:"definition"` // the current form
	Approval    *Approval       `json:"approved,omitempty"`
	Findings    []Finding       `json:"findings,omitempty"`

	clean json.RawMessage // the part of Raw that agents may see
	seen  bool            // declared in this run of the program
}

// Trusted reports whether agents may use the definition in its current form.
func (i *Item) Trusted() bool {
	return i.State == Approved && i.Approval != nil && i.Approval.Hash == i.Fingerprint.CombinedHash
}

// Waits reports whether the definition is held and a person could release it.
func (i *Item) Waits() bool { return !i.Trusted() && i.State != Blocked }

// Hard reports whether a scan has a finding that holds the definition.
func (i *Item) Hard() bool {
	return slices.ContainsFunc(i.Findings, func(f Finding) bool { return f.Hard })
}

// outweighed reports whether a person approved the current form, which takes precedence over scans.
func (i *Item) outweighed() bool { return i.Trusted() && i.Approval.Human }

// Change is one change of a definition's state.
type Change struct {
	Key
	From   State        `json:"from,omitempty"` // "" for a new definition
	To     State        `json:"to"`
	Hash   string       `json:"hash,omitempty"`
	Before string       `json:"approved_hash,omitempty"` // hash of the approved form
	By     string       `json:"by"`
	Reason string       `json:"reason"`
	Time   time.Time    `json:"time"`
	Diff   []Difference `json:"diff,omitempty"`
	Hard   bool         `json:"hard,omitempty"`   // the reason is a scan's finding
	Severe bool         `json:"severe,omitempty"` // of a program: the change cannot be an update
	Held   bool         `json:"held,omitempty"`   // of a program: all definitions of its server are held
	Names  []string     `json:"names,omitempty"`
	Count  int          `json:"count,omitempty"` // number of definitions that were new together; Names may be cut
}
