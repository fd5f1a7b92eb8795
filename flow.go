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
	From      Origin    `json:"from"`
	To        string    `json:"to"` // destination server, or tool
	ToSide    Side      `json:"to_classification"`
	Type      FlowType  `json:"flow_type"`
	Risk      RiskLevel `json:"risk_level"`
	Sensitive []string  `json:"sensitive,omitempty"` // categories of the data that moved
	Path      string    `json:"location,omitempty"`  // JSON path in the arguments
	Match     string    `json:"match"`               // how it was recognised: full, field, normalized, secret
	Bytes     int       `json:"bytes"`               // length of the matched data
}
