package mcpproxy

// Side says on which side of the trust boundary a server or tool stands.
type Side string

// The sides of spec-027, FR-001.
const (
	Internal Side = "internal" // holds private data
	External Side = "external" // reaches people or machines outside
	Hybrid   Side = "hybrid"   // can be either, depending on the call
	Unknown  Side = "unknown"
)

// Method says how a classification was found (spec-027, FR-005).
type Method string

// The three methods, strongest first.
const (
	ByConfig     Method = "config"
	ByAnnotation Method = "annotation"
	ByHeuristic  Method = "heuristic"
)

// Class is the classification of a server or a tool: its side and what it can do.
type Class struct {
	Side             Side    `json:"classification"`
	Confidence       float64 `json:"confidence"` // 0 to 1
	Method           Method  `json:"method"`
	CanReadData      bool    `json:"can_read_data"`
	CanExfiltrate    bool    `json:"can_exfiltrate"`
	ReturnsUntrusted bool    `json:"returns_untrusted"`
	// Unknown reports that no rule matches the server. Side then has the value that the configuration's
	// default_unknown gives to such servers (FR-001).
	Unknown bool `json:"unknown,omitempty" doc:"No rule knows the server: classification is the configured default_unknown"`
}

// Leaves reports whether people or machines outside can read the arguments of a call. This holds for the query of a
// web search, for example.
func (c Class) Leaves() bool { return c.CanExfiltrate || c.Side == External || c.Side == Hybrid }

// Sends reports whether a call with the operation op is made to send something outside. Reads are excluded, although
// their arguments can be read outside ([Class.Leaves]).
func (c Class) Sends(op Operation) bool { return c.Leaves() && op != Read }

// Operation says whether a call reads, writes or destroys.
type Operation string

// The operations of RFC-004, phase 4a.
const (
	Read             Operation = "read"
	Write            Operation = "write"
	Destructive      Operation = "destructive"
	UnknownOperation Operation = "unknown"
)
