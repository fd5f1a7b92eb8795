package mcpproxy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Boundary is the set of calls that a person's answer covers when the answer is remembered. It
// says what the call does, who can read what it writes, where it goes, what kinds of data it
// carries, and which rules ask about it. Two calls with the same [Boundary.Key] are the same
// question.
//
// A boundary is never wider than the question was. It covers only that one call if the call has
// no concrete destination, or if its effect depends on its arguments: it deletes, pays, grants
// access or runs a command that could not be analysed.
type Boundary struct {
	Principal    string   `json:"principal"`
	Server       string   `json:"server_name,omitempty"`
	Tool         string   `json:"tool_name"`
	Effect       Effect   `json:"effect,omitempty"`
	Audience     Audience `json:"audience,omitempty"`
	Destinations []string `json:"destinations,omitempty"` // sorted; each starts with its kind
	Data         []string `json:"data,omitempty"`         // what the call carries: files, results by their tool, kinds of sensitive data
	Rules        []string `json:"rules"`                  // the rules that ask; the first is the one that decided
	// Call is the hex SHA-256 of the call's content if the boundary covers only that call.
	Call string `json:"call_sha256,omitempty"`

	// Run is the masked command line that the call runs. Moves say what data goes where. Both
	// are shown to people and are not part of the key.
	Run   string     `json:"run,omitempty"`
	Moves []Movement `json:"moves,omitempty"`
	// Once says why an answer about the call cannot be remembered; "" if it can.
	Once string `json:"once,omitempty"`
}

// Movement says what data goes where, in words for the user.
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

// Shown summarises Run and Moves in one line. It returns "" if both are empty or b is nil.
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

// The limits of the text that [Boundary.Shown] returns.
const (
	mostMoves = 3
	mostShown = 200 // characters of a command or a movement
)

// shortened returns s as one line of at most mostShown characters.
func shortened(s string) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > mostShown {
		return string(r[:mostShown-1]) + "…"
	}
	return string(r)
}

// Within returns a sentence that says which calls the boundary covers.
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
	return out + ", with no tracked data"
}

// Key identifies the boundary: boundaries with the same key cover the same calls.
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

// Remembered says for how long an answer allows the calls within its [Boundary].
type Remembered string

// The spans of an answer.
const (
	RememberedOnce    Remembered = "once"    // this very call
	RememberedSession Remembered = "session" // every call within the boundary, in this session
	RememberedAlways  Remembered = "always"  // every call within the boundary, until a person revokes it
)
