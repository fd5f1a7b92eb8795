package hook

import "encoding/json"

// Kind is the kind of an event. It does not depend on the agent.
type Kind string

// The kinds of event. All events that this package does not use are Other.
const (
	PreTool         Kind = "pre_tool"          // a tool is about to run and can be stopped
	PostTool        Kind = "post_tool"         // a tool has returned a result
	PostToolFailure Kind = "post_tool_failure" // a tool has failed; its error may contain data too
	Prompt          Kind = "prompt"            // the user has sent a prompt
	SessionStart    Kind = "session_start"
	SessionEnd      Kind = "session_end"
	Other           Kind = "other"
)

// Event is one call of a hook, in a form that does not depend on the agent.
type Event struct {
	Agent        string          // the dialect of the payload; "" for the plain format
	Kind         Kind            //
	Name         string          // the agent's name of the event
	Session      string          // the agent's session; subagents share their parent's session
	CallID       string          // the agent's id of the tool call, or ""
	Server, Tool string          // Server is "" for the agent's own tools
	Input        json.RawMessage // an object: the tool's arguments; nil if the event is not about a tool
	Response     json.RawMessage // any value: the tool's result; nil if there is no result
	Prompt       string          // the user's prompt
	Cwd          string          // the agent's working directory
	Wrapping     bool            // the payload has a member raw or event: it is wrapped or has the plain format

	flat bool // the agent reads the decision at the top level, not in an inner object
}
