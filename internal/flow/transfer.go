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
	Kind     string      // the detector's rule; "" when its category alone is known
	Spans    []text.Span // where it stands
	Hosts    []string    // what the document binds it to
	Service  []string    // words of the name of what it is for
	// Guessed says that the value looks like a secret by its name alone, as in "UPSTREAM_TOKEN=…".
	// It is followed like others, but reading it does not make a session sensitive.
	Guessed bool
}

// beyondGuess reports whether any of the secrets is more than guessed.
func beyondGuess(secrets []Secret) bool {
	return slices.ContainsFunc(secrets, func(s Secret) bool { return !s.Guessed })
}

// Transfer is one document that passes between an agent and a tool: the arguments of a
// call, or its result.
type Transfer struct {
	Call    *mcpproxy.Call
	Class   mcpproxy.Class
	Doc     *text.Document
	Secrets []Secret
	// Owned are the secrets of a result with the hosts that it binds them to, those included
	// that look too much like something else to be followed.
	Owned []Secret
	// Holders are the hosts that a result comes from: they have its secrets already.
	Holders []string
	// Arguments are those of the call whose result this is, where they have been read.
	Arguments *text.Document
	// Walled reports whether data of a server must not reach that of the call. It is
	// nil where no wall stands between them and any other. Behind one, a result is
	// followed whole, and across all sessions of the principal: a client opens as
	// many as it likes.
	Walled func(server string) bool
	// Operation is what the call does to the world.
	Operation mcpproxy.Operation
	// Act is the call as it is compared with earlier results; nil for anything but a tool call.
	Act *passage.Act
	// Credentials says that the call whose result this is reads a file which holds credentials by
	// its name: a sensitive read, whatever the result says.
	Credentials bool
	// Failed says that the call whose result this is has failed, as its server says.
	Failed bool
	// Dictated says that a text of strangers spelled the call whose result this is.
	Dictated bool
	// Injected says that an instruction to the agent was found in a result.
	Injected bool
	// Instructions are where those instructions stand.
	Instructions []text.Span
	// Own are the edges that a call makes by itself: a command line that reads a
	// file and sends it.
	Own []mcpproxy.Edge
	// Recipients are destinations that the arguments name in a way of their own,
	// such as the hosts of a command line. Their sources are yet to be found.
	Recipients []mcpproxy.Destination
	// Name is how member names are spelled in an edge's path; as they are when
	// nil. A secret can be a name.
	Name func(string) string
	// Home reports whether a destination belongs to the user's own organisation; nil when none does.
	Home func(mcpproxy.Destination) bool
	// Mask is how a stretch of the arguments may be shown in an edge's evidence.
	Mask func(string) string
}

// Lineage says where the data of a call comes from and where it goes, as far as it is known.
type Lineage struct {
	Edges []mcpproxy.Edge // the worst first
	// Known are secrets of earlier results that were recognised: the call may
	// carry them without what gave them away there.
	Known        []Secret
	Destinations []mcpproxy.Destination // of calls that can send, the least trusted first
	Legs         mcpproxy.Legs          // as they stood before the call
	Wish         mcpproxy.Wish          // whether the user's words ask for the call's effect
	Said         []string               // sensitive values in the call that the user's words hold
	Undoes       bool                   // whether the call deletes nothing but what the session has created
	Opens        bool                   // whether the call writes, unasked, what others run later: a grant
	Spelled      *passage.Found         // the passage of a result that spells the call; nil when none does
	Request      intent.Request         // what the user's words ask for
	Owners       []Owner                // of the secrets that the call carries whole
	Page         string                 // the host of the page into which the call types; "" if it is not known
	OfSecrets    bool                   // whether the user's words speak of keys or passwords
	Unexplained  *Unexplained           // what the call tells a site that nobody named; nil when it tells none
	Seen         []string               // payloads of the call that a result or the user has spelled
	Sends        bool                   // whether the call sends something out, if it is let through (Tracker.Sent)
}
