package approval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy"
)

// Channel is the way a person is asked.
type Channel string

// The channels.
const (
	Elicitation Channel = "elicitation" // the MCP client asks its user
	Queue       Channel = "queue"       // the call waits for an answer from the command line or the page
	AgentPrompt Channel = "agent"       // the agent asks its user, after its hook announced the call
)

// Binding identifies the one call that an approval is valid for. All fields must be equal.
type Binding struct {
	Principal   string        `json:"principal"`
	Session     string        `json:"session_id,omitempty"` // MCP session
	FlowSession string        `json:"flow_session_id,omitempty"`
	Kind        mcpproxy.Kind `json:"kind"`
	Server      string        `json:"server_name,omitempty"`
	Tool        string        `json:"-"`                // not masked, so never written: a name can contain a secret
	Arguments   string        `json:"arguments_sha256"` // see [Digest]
	Policy      string        `json:"policy"`           // hash of the effective configuration
	Ruling      string        `json:"-"`                // the findings and the rule that asked
}

// Request is a question to a person about a call.
type Request struct {
	ID       string    `json:"id" doc:"Names the request in commands"`
	Activity string    `json:"activity_id" doc:"Of the call, or of the hook's evaluation"`
	Channel  Channel   `json:"channel" enum:"elicitation,queue,agent" doc:"Who is asked: the client's user, whoever looks at this list, or the user of the agent's own prompt"`
	Asked    time.Time `json:"asked"`
	Expires  time.Time `json:"expires"`
	Binding
	ToolName     string                 `json:"tool_name"` // masked
	Operation    mcpproxy.Operation     `json:"operation,omitempty"`
	Rule         string                 `json:"rule"`
	Reason       string                 `json:"reason"`
	RiskScore    int                    `json:"risk_score"`
	RiskLevel    mcpproxy.RiskLevel     `json:"risk_level"`
	Data         []string               `json:"data" doc:"Categories of the sensitive data that the call carries"`
	Origins      []mcpproxy.Origin      `json:"origins" doc:"The results that data of the call comes from"`
	Destinations []mcpproxy.Destination `json:"destinations" doc:"Where the call sends something, and who chose that"`
	InWords      []string               `json:"in_words" doc:"What is known about the call, one fact a sentence: what was asked for, where it goes, who can see it"`
	Ran          string                 `json:"ran,omitempty" doc:"What a call of an agent's own tool runs or uses: the beginning of the command, or the file, the address or what is searched for, masked"`
	Excerpt      string                 `json:"arguments" doc:"The arguments, masked and shortened"`
	Text         string                 `json:"text" doc:"What a person is shown"`
	Agent        *mcpproxy.SessionAgent `json:"agent,omitempty" doc:"Whose call it is; missing if that is not known"`
	Approved     bool                   `json:"approved" doc:"Whether it is approved, and the call has not come again yet"`
	// Boundary is the set of calls that a remembered answer covers. It is nil if the answer cannot
	// be remembered.
	Boundary *mcpproxy.Boundary    `json:"boundary,omitempty" doc:"What an answer holds for when it is remembered"`
	Offers   []mcpproxy.Remembered `json:"offers" doc:"For how long a person can agree"`

	// Evaluation is the id of the hook evaluation that announced this call, or "".
	Evaluation string `json:"-"`
	// Elicit shows the question to the client's user. It is nil if the client cannot ask.
	Elicit User `json:"-"`

	source string
}

// User shows a question to the person behind a client and returns the person's answer. It returns
// early when ctx ends.
type User func(ctx context.Context, q Prompt) (Reply, error)

// Prompt is a question in the form that a client displays.
type Prompt struct {
	Text string
	// Offers are the durations that the person can choose from, shortest first. A single offer
	// means that there is no choice.
	Offers []mcpproxy.Remembered
}

// Reply is a person's answer to a [Prompt].
type Reply struct {
	Action string              // accept, decline or cancel
	For    mcpproxy.Remembered // the chosen duration; "" if the person chose nothing
}

// offers returns the durations for which a person can approve the calls within b.
func offers(b *mcpproxy.Boundary) []mcpproxy.Remembered {
	if b == nil || b.Once != "" {
		return []mcpproxy.Remembered{mcpproxy.RememberedOnce}
	}
	return []mcpproxy.Remembered{mcpproxy.RememberedOnce, mcpproxy.RememberedSession, mcpproxy.RememberedAlways}
}

// Digest returns the hex SHA-256 of the canonical form of the arguments (RFC 8785, except that
// numbers stay as written). White space and the order of members do not change the digest; every
// change of a value does. Bytes that are not valid JSON are hashed unchanged.
func Digest(arguments []byte) string {
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	v := jsontext.Value(slices.Clone(arguments))
	if v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)) != nil {
		v = append([]byte("raw:"), arguments...)
	}
	sum := sha256.Sum256(v)
	return hex.EncodeToString(sum[:])
}

// About returns a request about the call in a masked record, bound to b. The destinations are those
// of the call, masked where necessary.
func About(rec *mcpproxy.Record, b Binding, destinations []mcpproxy.Destination) Request {
	r := Request{
		Activity:     rec.ID,
		Binding:      b,
		ToolName:     rec.ToolName,
		Operation:    rec.Metadata.Operation,
		Rule:         rec.Rule,
		Reason:       rec.Metadata.Reason,
		RiskScore:    rec.RiskScore,
		RiskLevel:    rec.RiskLevel,
		Destinations: slices.Clone(destinations),
		Data:         []string{},
		Origins:      []mcpproxy.Origin{},
		Boundary:     rec.Metadata.Boundary,
		Offers:       offers(rec.Metadata.Boundary),
		Agent:        rec.Metadata.Agent,
		source:       rec.Source,
	}
	if r.Destinations == nil {
		r.Destinations = []mcpproxy.Destination{}
	}
	for _, e := range rec.Metadata.Edges {
		r.Data = append(r.Data, e.Sensitive...)
		known := func(o mcpproxy.Origin) bool { return o.CallID == e.From.CallID }
		if e.From.CallID != rec.ID && !slices.ContainsFunc(r.Origins, known) {
			r.Origins = append(r.Origins, e.From)
		}
	}
	for _, s := range rec.Metadata.Signals {
		if s.Sensitive() {
			r.Data = append(r.Data, s.Category)
		}
	}
	slices.Sort(r.Data)
	r.Data = slices.Compact(r.Data)
	facts := rec.Metadata.Facts
	facts.Destinations = r.Destinations
	r.InWords = []string{}
	for _, line := range facts.InWords() {
		r.InWords = append(r.InWords, short(line))
	}
	r.Ran = rec.Ran()
	r.Excerpt = excerpt(string(rec.Arguments))
	r.Text = r.render()
	return r
}

// call names the tool of the call as SERVER:TOOL, or as TOOL if the tool has no server.
func (r *Request) call() string {
	if r.Server == "" {
		return r.ToolName
	}
	return r.Server + ":" + r.ToolName
}
