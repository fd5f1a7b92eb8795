package mcpproxy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Boundary is what a person's answer about a call holds for when it is remembered: what the
// call does, who can read what it writes, where it goes, what kinds of data it carries, and
// which rules ask about it. Two calls with the same [Boundary.Key] are the same question.
//
// A boundary is never wider than what was asked. Where a call has no concrete destination, and
// where what it does depends on its arguments (it destroys, pays, lets somebody in, runs a
// command that could not be followed), the boundary holds for that very call alone.
type Boundary struct {
	Principal    string   `json:"principal"`
	Server       string   `json:"server_name,omitempty"`
	Tool         string   `json:"tool_name"`
	Effect       Effect   `json:"effect,omitempty"`
	Audience     Audience `json:"audience,omitempty"`
	Destinations []string `json:"destinations,omitempty"` // each by its kind, sorted
	Data         []string `json:"data,omitempty"`         // what the call carries: files, results by their tool, kinds of sensitive data
	Rules        []string `json:"rules"`                  // that ask: the one that decided, then those behind it
	// Call is the hex SHA-256 of what the call says, where the boundary holds for one call alone.
	Call string `json:"call_sha256,omitempty"`

	// Run is the command line that is run, masked; Moves say what goes where. Both are for
	// people: they are no part of the key.
	Run   string     `json:"run,omitempty"`
	Moves []Movement `json:"moves,omitempty"`
	// Once says why an answer about the call cannot be remembered; empty where it can.
	Once string `json:"once,omitempty"`
}

// Movement is a movement of something to somewhere, as people would name both.
type Movement struct {
	What string `json:"what"`
	To   string `json:"to"`
}

// String returns the move as it is shown: "docker-compose.yml → github.com/acme/shop".
func (m Movement) String() string {
	if m.To == "" {
		return m.What
	}
	return m.What + " → " + m.To
}

// Shown says in a few words what is run and what moves; it is empty for nothing of both, and on
// nil.
func (b *Boundary) Shown() string {
	if b == nil {
		return ""
	}
	var parts []string
	if b.Run != "" {
		parts = append(parts, shortened(b.Run))
	}
	for i, m := range b.Moves {
		if i == mostMoves {
			parts = append(parts, fmt.Sprintf("%d more", len(b.Moves)-i))
			break
		}
		parts = append(parts, shortened(m.String()))
	}
	return strings.Join(parts, "; ")
}

// The bounds of what [Boundary.Shown] says.
const (
	mostMoves = 3
	mostShown = 200 // characters of a command or a movement
)

// shortened is one line of a text, as long as it may be shown.
func shortened(s string) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > mostShown {
		return string(r[:mostShown-1]) + "…"
	}
	return string(r)
}

// Within says in words what an answer within the boundary holds for.
func (b *Boundary) Within() string {
	name := ToolName(b.Server, b.Tool)
	if b.Call != "" {
		if b.Run != "" {
			return "the same command passes again, and no other: " + shortened(b.Run)
		}
		return "the same call of " + name + " passes again, and no other"
	}
	out := "calls of " + name + " pass that do the same (" + string(b.Effect) + ")"
	if len(b.Destinations) > 0 {
		out += ", to " + strings.Join(b.Destinations, ", ") + " alone"
	}
	if len(b.Data) > 0 {
		return out + ", with no other data than " + strings.Join(b.Data, ", ")
	}
	return out + ", with no data that was followed"
}

// Key identifies the boundary: boundaries with the same key hold for the same calls.
func (b Boundary) Key() string {
	b.Run = ""
	b.Moves = nil
	b.Once = ""
	raw, err := json.Marshal(b)
	if err != nil {
		return ""
	}
	return string(raw)
}

// Clone returns a copy that shares nothing with the boundary.
func (b Boundary) Clone() Boundary {
	b.Destinations = slices.Clone(b.Destinations)
	b.Data = slices.Clone(b.Data)
	b.Rules = slices.Clone(b.Rules)
	b.Moves = slices.Clone(b.Moves)
	return b
}

// Remembered says how long an answer lets calls within its [Boundary] through.
type Remembered string

// The spans of an answer.
const (
	RememberedOnce    Remembered = "once"    // this very call
	RememberedSession Remembered = "session" // every call within the boundary, in this session
	RememberedAlways  Remembered = "always"  // every call within the boundary, until a person revokes it
)
