package mcpproxy

import "time"

// FlowType names the sides between which data moved, such as "internal→external".
type FlowType string

// The four flow types of spec-027, FR-023.
const (
	InternalToInternal FlowType = "internal→internal"
	ExternalToExternal FlowType = "external→external"
	ExternalToInternal FlowType = "external→internal"
	InternalToExternal FlowType = "internal→external"
)

// Origin is the call whose result first contained a piece of data.
type Origin struct {
	CallID    string   `json:"call_id"`
	Server    string   `json:"server,omitempty"`
	Tool      string   `json:"tool"`
	Side      Side     `json:"classification"`
	Sensitive []string `json:"sensitive,omitempty"` // categories of secrets found in the result
	Untrusted bool     `json:"untrusted,omitempty"` // people outside the user's organisation may have written the result
	Injected  bool     `json:"injected,omitempty"`  // an instruction to the agent was found in the result
	Dictated  bool     `json:"dictated,omitempty"`  // the call was copied from a text that outsiders may have written
	// Confidential says that the result calls itself confidential: in its heading, in the name of its file or in a
	// field for its classification.
	Confidential bool      `json:"confidential,omitempty"`
	Time         time.Time `json:"time"`
}

// Name returns the name of the origin's server, or of its tool if it has no server.
func (o Origin) Name() string {
	if o.Server != "" {
		return o.Server
	}
	return o.Tool
}

// Edge is a detected movement of data from an origin into a call's arguments.
type Edge struct {
	From       Origin    `json:"from"`
	To         string    `json:"to"` // destination server, or tool
	ToSide     Side      `json:"to_classification"`
	Type       FlowType  `json:"flow_type"`
	Risk       RiskLevel `json:"risk_level"`
	Sensitive  []string  `json:"sensitive,omitempty"` // categories of the data that moved
	Path       string    `json:"location,omitempty"`  // JSON path in the arguments
	Start      int       `json:"start,omitempty"`     // byte offset in that string
	End        int       `json:"end,omitempty"`       // 0 if the match has no single position
	Match      string    `json:"match"`               // how it was recognised: secret, full, field, word, …
	Decoded    string    `json:"decoded,omitempty"`   // the encodings that were undone, outermost first, such as "base64, escapes"
	Evidence   string    `json:"evidence,omitempty"`  // the matched part of the arguments, masked
	Bytes      int       `json:"bytes"`               // length of the matched data
	Bits       float64   `json:"bits,omitempty"`      // information content of the match; 0 if the match is exact
	Confidence float64   `json:"confidence"`          // 0 to 1

	// Own says that the data may go there. That holds for secrets that only go to their rightful audience
	// ([SecretAudience]), for the text of an error message that the agent looks up, and for data that the receiver
	// already has.
	Own bool `json:"own_audience,omitempty"`
	// Beside says that other data of the origin moves together with the secrets.
	Beside bool `json:"beside,omitempty"`
	// Fetched says that the data is part of an address that is fetched as soon as somebody displays the text, such as
	// the address of an image. The data then goes to the host of the address.
	Fetched bool `json:"fetched,omitempty"`

	// Destination says who named the destination.
	Destination DestinationSource `json:"destination_source,omitempty"`
}

// Literal reports whether the call contains the moved data as text. A command that moves a file does not, nor does a
// message that attaches one or that carries a secret in pieces.
func (e Edge) Literal() bool {
	return e.Match != "shell" && e.Match != "shards" && e.Match != "attached"
}

// DestinationSource says who named the destination of a call: it is the place where the destination first occurred in
// the session.
type DestinationSource string

// The sources of a destination, the most trusted first.
const (
	FromUser      DestinationSource = "user"      // the user's own words
	FromInternal  DestinationSource = "internal"  // a trusted result
	FromNowhere   DestinationSource = "unknown"   // the destination did not occur before
	FromUntrusted DestinationSource = "untrusted" // a result that outsiders may have written
	FromInjected  DestinationSource = "injected"  // an untrusted result in which an instruction was found
)

// Rank orders the sources: a higher rank is trusted less. The empty source has the same rank as FromNowhere.
func (s DestinationSource) Rank() int {
	switch s {
	case FromUser:
		return 0
	case FromInternal:
		return 1
	case FromUntrusted:
		return 3
	case FromInjected:
		return 4
	}
	return 2
}

// Destination is a value in a call that says where data goes or who is affected: an address, a host, an account, a
// channel, a name.
type Destination struct {
	Value  string            `json:"value"` // masked where necessary
	Kind   string            `json:"kind"`  // email, host, url, repository, account, phone, channel, name, …
	Path   string            `json:"location,omitempty"`
	Source DestinationSource `json:"source"`
	From   *Origin           `json:"from,omitempty"` // the result in which it was first seen
	// Home says that the destination belongs to the user's own organisation.
	Home bool `json:"home,omitempty"`
}

// AtHost reports whether the value names a host, or a place at one: a URL, or a repository with its host.
func (d Destination) AtHost() bool {
	return d.Kind == "host" || d.Kind == "url" || d.Kind == "repository"
}

// Legs are the three parts of the "lethal trifecta" (RFC-004): the session has read private data, it has read text
// that outsiders wrote, and it has sent something out. Legs are only added during a session, never removed.
type Legs struct {
	Private   *Leg `json:"private_data,omitempty"`
	Sensitive *Leg `json:"sensitive_data,omitempty"` // the first private data that contains secrets
	Untrusted *Leg `json:"untrusted_content,omitempty"`
	Injected  *Leg `json:"injected_instruction,omitempty"` // the first untrusted content that contains an instruction
	Sent      *Leg `json:"external_send,omitempty"`
}

// Leg is the first call of a session that read or sent data of one kind.
type Leg struct {
	CallID string    `json:"call_id"`
	Name   string    `json:"name"` // server:tool, or the agent's tool
	Time   time.Time `json:"time"`
}

// Lethal reports whether the session has read both private data and untrusted content, so that
// a send would complete the trifecta.
func (l Legs) Lethal() bool { return l.Private != nil && l.Untrusted != nil }
