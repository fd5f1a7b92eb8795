package mcpproxy

import "time"

// FlowType says from which side to which side data moved, such as "internal→external".
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
	CallID    string    `json:"call_id"`
	Server    string    `json:"server,omitempty"`
	Tool      string    `json:"tool"`
	Side      Side      `json:"classification"`
	Sensitive []string  `json:"sensitive,omitempty"` // categories of secrets found in the result
	Untrusted bool      `json:"untrusted,omitempty"` // strangers may have written it
	Injected  bool      `json:"injected,omitempty"`  // an instruction to the agent was found in it
	Dictated  bool      `json:"dictated,omitempty"`  // the call itself was copied from a stranger's text
	Time      time.Time `json:"time"`
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
	Bits       float64   `json:"bits,omitempty"`      // how much information the match holds; 0 when it is certain
	Confidence float64   `json:"confidence"`          // 0 to 1

	// Own says that what moves may go there: only secrets, and only to their rightful audience
	// ([SecretAudience]), the text of an error that is looked up, or what the receiver has already.
	Own bool `json:"own_audience,omitempty"`
	// Beside says that other data of the origin moves together with the secrets.
	Beside bool `json:"beside,omitempty"`
	// Fetched says that what moves stands in an address that whoever shows the text fetches, such as that of an image:
	// it goes to the address's host.
	Fetched bool `json:"fetched,omitempty"`

	// Destination says who chose where the data goes.
	Destination DestinationSource `json:"destination_source,omitempty"`
}

// DestinationSource says who chose the destination of a call. It is the place where the
// destination was first seen in the session.
type DestinationSource string

// The sources of a destination, the most trusted first.
const (
	FromUser      DestinationSource = "user"      // the user's own words
	FromInternal  DestinationSource = "internal"  // a trusted result
	FromNowhere   DestinationSource = "unknown"   // the destination was not seen before
	FromUntrusted DestinationSource = "untrusted" // a result that strangers may have written
	FromInjected  DestinationSource = "injected"  // an untrusted result in which an instruction was found
)

// Rank orders the sources: a higher rank is trusted less. The empty source has the rank of
// FromNowhere.
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

// Destination is a value in a call that says where data goes or whom the call affects: an
// address, a host, an account, a channel, a name.
type Destination struct {
	Value  string            `json:"value"` // masked where necessary
	Kind   string            `json:"kind"`  // email, host, account, phone, channel, name, …
	Path   string            `json:"location,omitempty"`
	Source DestinationSource `json:"source"`
	From   *Origin           `json:"from,omitempty"` // the result in which it was first seen
	// Home says that it belongs to the user's own organisation.
	Home bool `json:"home,omitempty"`
}

// Legs are the three parts of the "lethal trifecta" (RFC-004): the session has read private data,
// it has read text that strangers wrote, and it has sent something out. Legs are only added
// while a session lasts, never removed.
type Legs struct {
	Private   *Leg `json:"private_data,omitempty"`
	Sensitive *Leg `json:"sensitive_data,omitempty"` // of the private data, the first with secrets in it
	Untrusted *Leg `json:"untrusted_content,omitempty"`
	Injected  *Leg `json:"injected_instruction,omitempty"` // of the untrusted content, the first with an instruction in it
	Sent      *Leg `json:"external_send,omitempty"`
}

// Leg is the first call of a session that read or sent something of one kind.
type Leg struct {
	CallID string    `json:"call_id"`
	Name   string    `json:"name"` // server:tool, or the agent's tool
	Time   time.Time `json:"time"`
}

// Lethal reports whether the session has read both private data and untrusted content, so that
// a send would complete the trifecta.
func (l Legs) Lethal() bool { return l.Private != nil && l.Untrusted != nil }
