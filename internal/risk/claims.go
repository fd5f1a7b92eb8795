package risk

import "mcpproxy"

// The signals of RFC-004 that make claims about a call.
const (
	AgentIntent      = "agent_intent"
	ServerAnnotation = "server_annotation"
	NameHeuristic    = "name_heuristic"
	ArgumentAnalysis = "argument_analysis"
	ExternalURL      = "external_url"       // a URL outside, in the arguments
	PIIDetection     = "pii_detection"      // in the arguments
	Destination      = "actual_destination" // by classification and recipients
)

// trust is the weight of a claim (RFC-004, Four Independent Signals). Signals derived from the arguments have the
// weight of the arguments.
var trust = map[string]float64{
	AgentIntent:      0.4,
	ServerAnnotation: 0.6,
	NameHeuristic:    0.8,
	ArgumentAnalysis: 0.9,
	ExternalURL:      0.9,
	PIIDetection:     0.9,
	Destination:      0.8,
}

// Claims are the claims of the signals about one call. The zero value of a field means that there is no claim. Texts
// appear in explanations unchanged, so they must be safe to show.
type Claims struct {
	Tool string // its name

	// The agent's claims: the variant of call_tool that it used, and its hints.
	Operation   mcpproxy.Operation
	Sensitivity string // public, internal, private or unknown
	Destination string // internal or external

	// The server's annotations.
	ReadOnly    bool // readOnlyHint is true
	Destructive bool // destructiveHint is explicitly true, and readOnlyHint is not

	// Name is the claim of the tool's name: read, destructive, or write if the name says so explicitly.
	Name mcpproxy.Operation

	// The evidence in the arguments, each as text: that the call destroys, has options which a read does not need, or
	// changes something; the secrets and personal data; and the URL outside to which the call sends data.
	Destroys, Forces, Writes, Personal, External string

	Outside  string // the recipient or host outside to which the call is addressed
	Reaches  string // the external service that the call uses, whoever the recipient is
	Contacts bool   // the recipients are known, and all are inside
}
