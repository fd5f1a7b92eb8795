package risk

import "mcpproxy"

// The signals of RFC-004 that make claims about a call.
const (
	AgentIntent      = "agent_intent"
	ServerAnnotation = "server_annotation"
	NameHeuristic    = "name_heuristic"
	ArgumentAnalysis = "argument_analysis"
	ExternalURL      = "external_url"       // a URL outside, in the arguments
	PIIDetection     = "pii_detection"      // of the arguments
	Destination      = "actual_destination" // by classification and recipients
)

// trust says how much a claim is worth (RFC-004, Four Independent Signals). What
// is read off the arguments counts as the arguments do.
var trust = map[string]float64{
	AgentIntent:      0.4,
	ServerAnnotation: 0.6,
	NameHeuristic:    0.8,
	ArgumentAnalysis: 0.9,
	ExternalURL:      0.9,
	PIIDetection:     0.9,
	Destination:      0.8,
}

// Claims are what the signals claim about one call. The zero value of each field
// is silence. Texts stand in explanations as they are: they must be safe to show.
type Claims struct {
	Tool string // its name

	// The agent's word: the variant of call_tool that it used, and its hints.
	Operation   mcpproxy.Operation
	Sensitivity string // public, internal, private or unknown
	Destination string // internal or external

	// The server's annotations.
	ReadOnly    bool // readOnlyHint is true
	Destructive bool // destructiveHint is true, said in so many words, and readOnlyHint is not

	// Name is what the tool's name says: read, destructive, or write when it says
	// so beyond doubt.
	Name mcpproxy.Operation

	// The arguments, each as evidence: what destroys, what a call that only reads
	// has no use for, what changes something, which secrets and personal data
	// they hold, and the URL outside to which the call hands something.
	Destroys, Forces, Writes, Personal, External string

	Outside  string // the recipient or host outside that the call addresses
	Reaches  string // the external service that the call sends to, whoever the recipient is
	Contacts bool   // the recipients are known, and all are inside
}
