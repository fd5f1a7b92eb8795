package hook

import "encoding/json"

// Kind says what an event is about. The names do not depend on the agent.
type Kind string

// The kinds of event. Everything that is of no use here is Other.
const (
	PreTool         Kind = "pre_tool"          // a tool is about to run, and can be stopped
	PostTool        Kind = "post_tool"         // a tool has answered
	PostToolFailure Kind = "post_tool_failure" // a tool has failed; its error may say something too
	Prompt          Kind = "prompt"            // the user has said something
	SessionStart    Kind = "session_start"
	SessionEnd      Kind = "session_end"
	Other           Kind = "other"
)

// Event is one call of a hook, in a form that does not depend on the agent.
type Event struct {
	Agent        string          // the dialect it was read in; "" for the plain format
	Kind         Kind            //
	Name         string          // the event as the agent calls it
	Session      string          // the agent's session; subagents share their parent's
	CallID       string          // the agent's id of the tool call; "" when it has none
	Server, Tool string          // Server is "" for the agent's own tools
	Input        json.RawMessage // an object: the tool's arguments; nil when the event is about no tool
	Response     json.RawMessage // any value: the tool's answer; nil when there is none
	Prompt       string          // what the user said
	Cwd          string          // the agent's working directory
	Wrapping     bool            // the payload has a member raw or event: it wraps another, or is in the plain format

	flat bool // the agent wants its decision beside, not inside, an object of its own
}
