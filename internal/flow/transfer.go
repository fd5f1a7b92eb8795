package flow

import (
	"slices"

	"mcpproxy"
	"mcpproxy/internal/flow/passage"
	"mcpproxy/internal/intent"
	"mcpproxy/internal/text"
)

// Secret is a secret that a detector found in a document.
type Secret struct {
	Value    string
	Category string
	Part     int
	Kind     string      // the detector's rule, or "" if only the category is known
	Spans    []text.Span // where it occurs
	Hosts    []string    // the hosts to which the document binds the secret
	Service  []string    // words in the name of the secret's service
	// Guessed says that only the name of the value suggests a secret, as in "UPSTREAM_TOKEN=…". The value is tracked
	// like other secrets, but reading it does not make a session sensitive.
	Guessed bool
}

// beyondGuess reports whether at least one of the secrets is more than a guess.
func beyondGuess(secrets []Secret) bool {
	return slices.ContainsFunc(secrets, func(s Secret) bool { return !s.Guessed })
}

// Transfer is one document that passes between an agent and a tool: the arguments of a call, or its result.
type Transfer struct {
	Call    *mcpproxy.Call
	Class   mcpproxy.Class
	Doc     *text.Document
	Secrets []Secret
	// Owned are the secrets of a result with the hosts to which the result binds them. They include secrets that are
	// not tracked, because they also look like harmless values.
	Owned []Secret
	// Holders are the hosts that sent the result. They already have its secrets.
	Holders []string
	// Arguments are the parsed arguments of the call whose result this is, or nil.
	Arguments *text.Document
	// Walled reports whether data of a server must not reach the server of the call. It is nil if the call's server is
	// not kept apart from any server. A result of a server that is kept apart is tracked completely, and across all
	// sessions of the principal, because a client can open any number of sessions.
	Walled func(server string) bool
	// Operation is the operation of the call.
	Operation mcpproxy.Operation
	// Act is the call in the form in which it is compared with earlier results. It is nil unless the call is a tool
	// call.
	Act *passage.Act
	// Credentials says that the call reads a file that, by its name, holds credentials. This is a sensitive read,
	// whatever the result contains.
	Credentials bool
	// Failed says that the server reported a failure of the call.
	Failed bool
	// Dictated says that the call was copied from a text that outsiders may have written.
	Dictated bool
	// Injected says that an instruction to the agent was found in a result.
	Injected bool
	// Instructions are the positions of those instructions.
	Instructions []text.Span
	// Own are the edges within the call itself, as in a command line that reads a file and sends it.
	Own []mcpproxy.Edge
	// Recipients are destinations that the caller has read from the arguments, such as the hosts of a command line.
	// Their sources are not determined yet.
	Recipients []mcpproxy.Destination
	// Name masks the names of members in an edge's path, because a name can be a secret. If it is nil, names are
	// unchanged.
	Name func(string) string
	// Home reports whether a destination belongs to the user's own organisation. If it is nil, no destination does.
	Home func(mcpproxy.Destination) bool
	// Mask masks a span of the arguments for an edge's evidence.
	Mask func(string) string
}

// Lineage says where the data of a call comes from and where it goes, as far as it is known.
type Lineage struct {
	Edges []mcpproxy.Edge // the worst first
	// Known are the secrets of earlier results that were recognised in the call. The call may lack the context by
	// which a detector recognised them in the result.
	Known        []Secret
	Destinations []mcpproxy.Destination // for calls that can send; the least trusted first
	Legs         mcpproxy.Legs          // as they were before the call
	Wish         mcpproxy.Wish          // whether the user's words ask for the call's effect
	Said         []string               // sensitive values of the call that the user's words contain
	Undoes       bool                   // whether the call only deletes what the session has created
	Opens        bool                   // whether the call writes, unasked, a file that others run later
	Spelled      *passage.Found         // the passage of a result from which the call was copied, or nil
	Request      intent.Request         // what the user's words ask for
	Owners       []Owner                // the owners of the secrets that the call contains completely
	Page         string                 // the host of the page into which the call types, or ""
	OfSecrets    bool                   // whether the user's words mention keys or passwords
	Unexplained  *Unexplained           // information for a site that the user did not name, or nil
	Seen         []string               // payloads of the call that a result or the user contained
	Sends        bool                   // whether the call sends data out if it is made (Tracker.Sent)
}
