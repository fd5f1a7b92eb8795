package flow

import (
	"mcpproxy"
	"mcpproxy/internal/text"
)

// Secret is a secret that a detector found in a document.
type Secret struct {
	Value    string
	Category string
	Part     int
}

// Passage is one document on its way: arguments going to a tool, or a result
// coming from it.
type Passage struct {
	Call    *mcpproxy.Call
	Class   mcpproxy.Class
	Doc     *text.Document
	Secrets []Secret
	// Arguments are those of the call whose result this is, where they have been read.
	Arguments *text.Document
	// Walled reports whether data of a server must not reach that of the call. It is
	// nil where no wall stands between them and any other. Behind one, a result is
	// followed whole, and across all sessions of the principal: a client opens as
	// many as it likes.
	Walled func(server string) bool
	// Operation is what the call does to the world.
	Operation mcpproxy.Operation
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
	// Mask is how a stretch of the arguments may be shown in an edge's evidence.
	Mask func(string) string
}

// Trace is what is known of where a call's data comes from and where it goes.
type Trace struct {
	Edges []mcpproxy.Edge // the worst first
	// Known are secrets of earlier results that were recognised: the call may
	// carry them without what gave them away there.
	Known        []Secret
	Destinations []mcpproxy.Destination // of calls that can send, the least trusted first
	Legs         mcpproxy.Legs          // as they stood before the call
	Sends        bool                   // whether the call sends something out, if it is let through (Tracker.Sent)
}
