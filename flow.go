package mcpproxy

import "time"

// FlowType is a movement of data between two sides, written "internal→external".
type FlowType string

// The four flow types of spec-027, FR-023.
const (
	InternalToInternal FlowType = "internal→internal"
	ExternalToExternal FlowType = "external→external"
	ExternalToInternal FlowType = "external→internal"
	InternalToExternal FlowType = "internal→external"
)

// Origin is where data was produced: one result of one call.
type Origin struct {
	CallID    string    `json:"call_id"`
	Server    string    `json:"server,omitempty"`
	Tool      string    `json:"tool"`
	Side      Side      `json:"classification"`
	Sensitive []string  `json:"sensitive,omitempty"` // categories of secrets found in the result
	Untrusted bool      `json:"untrusted,omitempty"` // strangers may have written it
	Injected  bool      `json:"injected,omitempty"`  // an instruction to the agent was found in it
	Dictated  bool      `json:"dictated,omitempty"`  // a stranger's text had spelled the call that read it
	Time      time.Time `json:"time"`
}

// Name is how a person would call the origin: its server, or else its tool.
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
	Start      int       `json:"start,omitempty"`     // where in that string, in bytes
	End        int       `json:"end,omitempty"`       // 0 when it is no one place
	Match      string    `json:"match"`               // how it was recognised: secret, full, field, word, …
	Decoded    string    `json:"decoded,omitempty"`   // the disguises undone to see it, outermost first, such as "base64, escapes"
	Evidence   string    `json:"evidence,omitempty"`  // the stretch of the arguments, masked
	Bytes      int       `json:"bytes"`               // length of the matched data
	Bits       float64   `json:"bits,omitempty"`      // how much information the match holds; 0 when it is certain
	Confidence float64   `json:"confidence"`          // 0 to 1

	// Own says that only secrets move, and that they go to their own audience.
	Own bool `json:"own_audience,omitempty"`
	// Beside says that more of the origin moves than the secrets.
	Beside bool `json:"beside,omitempty"`

	// Destination says who chose where the data goes.
	Destination DestinationSource `json:"destination_source,omitempty"`
}

// DestinationSource says who chose where a call sends something: where the
// destination was first met in this session.
type DestinationSource string

// The sources of a destination, the most trusted first.
const (
	FromUser      DestinationSource = "user"      // the user's own words
	FromInternal  DestinationSource = "internal"  // a trusted result
	FromNowhere   DestinationSource = "unknown"   // a source that was not seen
	FromUntrusted DestinationSource = "untrusted" // a result that strangers may have written
	FromInjected  DestinationSource = "injected"  // an untrusted result in which an instruction was found
)

// Rank orders the sources: a higher rank is trusted less. No source ranks as
// nowhere does.
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

// Destination is a value of a call that says where something goes or whom an act
// concerns: an address, a host, an account, a channel, a name.
type Destination struct {
	Value  string            `json:"value"` // as it may be shown
	Kind   string            `json:"kind"`  // email, host, account, phone, channel, name, …
	Path   string            `json:"location,omitempty"`
	Source DestinationSource `json:"source"`
	From   *Origin           `json:"from,omitempty"` // the result that it was met in
	// Home says that it belongs to the user's own organisation.
	Home bool `json:"home,omitempty"`
}

// Legs are what makes a session dangerous when all three come together ("lethal
// trifecta", RFC-004): it has read private data, it has met text written by
// strangers, and it sends. They only ever grow.
type Legs struct {
	Private   *Leg `json:"private_data,omitempty"`
	Sensitive *Leg `json:"sensitive_data,omitempty"` // of the private data, the first with secrets in it
	Untrusted *Leg `json:"untrusted_content,omitempty"`
	Injected  *Leg `json:"injected_instruction,omitempty"` // of the untrusted content, the first with an instruction in it
	Sent      *Leg `json:"external_send,omitempty"`
}

// Leg is the call with which one of them began.
type Leg struct {
	CallID string    `json:"call_id"`
	Name   string    `json:"name"` // server:tool, or the agent's tool
	Time   time.Time `json:"time"`
}

// Lethal reports whether private data and untrusted content have met, so that
// only a send is missing.
func (l Legs) Lethal() bool { return l.Private != nil && l.Untrusted != nil }
