package mcpproxy

import (
	"encoding/json"
	"time"
)

// Channel says by which way a call reached the gate.
type Channel string

// The three ways into the gate.
const (
	ChannelMCP  Channel = "mcp"  // an MCP request through the gateway
	ChannelHook Channel = "hook" // an agent's own tool, reported by its hook
	ChannelCode Channel = "code" // a call made by a code-mode script
)

// Kind says what a call asks the server for.
type Kind string

// The kinds of call. Everything an agent can send to a server is one of them,
// so nothing reaches a server without passing the gate.
const (
	KindTool       Kind = "tool"       // tools/call
	KindResource   Kind = "resource"   // resources/read and subscriptions
	KindPrompt     Kind = "prompt"     // prompts/get
	KindCompletion Kind = "completion" // completion/complete
	KindAnswer     Kind = "answer"     // the client's answer to a server's own request
	KindMethod     Kind = "method"     // any other method or notification
	KindScript     Kind = "script"     // a script of code mode; its calls are calls of their own
)

// Intent is what the agent says about its own call. It is advice: an agent
// that has been talked into something will say anything.
type Intent struct {
	Operation       Operation `json:"operation,omitempty"`        // from the call_tool_* variant used
	DataSensitivity string    `json:"data_sensitivity,omitempty"` // public, internal, private or unknown
	Reason          string    `json:"reason,omitempty"`
	Justification   string    `json:"justification,omitempty"`    // flow_justification
	DestinationType string    `json:"destination_type,omitempty"` // flow_destination_type
}

// Call is one request of an agent, as the gate sees it.
type Call struct {
	ID          string          // ULID; the activity id that the agent is told
	Channel     Channel         //
	Kind        Kind            //
	Session     string          // protocol session: Mcp-Session-Id or a hook's session_id; empty when stateless
	FlowSession string          // the session in which data is followed
	Principal   string          // who is calling: "local", an agent token's name, …
	Client      string          // what the client calls itself; decides nothing
	RequestID   string          // JSON-RPC id or tool-call id
	ParentID    string          // the call that made this one, or the evaluation of the hook that told of it
	Announced   bool            // a hook announced this very call, and it was counted then
	Incoming    bool            // the server sends it by itself, and nothing leaves with it
	Server      string          // empty for an agent's own tool
	Tool        string          // tool or prompt name, resource URI, or method
	Dir         string          // the folder that an agent's own tool works in; empty when unknown
	Arguments   json.RawMessage // the caller's own bytes
	Extra       json.RawMessage // what the request carries beside them: _meta, answers to a server's questions
	Definition  *Tool           // what the server says about the tool; nil when unknown
	Intent      Intent          //
	Received    time.Time       //
	Trace       Trace           // the gate completes it
}

// Name is how configuration and people name what is called; see [ToolName].
func (c *Call) Name() string { return ToolName(c.Server, c.Tool) }

// ToolName is server:tool, or the name alone of an agent's own tool, which has no
// server.
func ToolName(server, tool string) string {
	if server == "" {
		return tool
	}
	return server + ":" + tool
}

// Tool is a tool's definition as its server announced it. It is not changed once it is
// made: what follows from it may be kept for as long as it is.
type Tool struct {
	Server      string          `json:"server"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Raw         json.RawMessage `json:"-"` // the whole definition, byte for byte
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
	ReadOnly    *bool           `json:"read_only,omitempty"`   // annotations.readOnlyHint; nil when unsaid
	Destructive *bool           `json:"destructive,omitempty"` // annotations.destructiveHint
	OpenWorld   *bool           `json:"open_world,omitempty"`  // annotations.openWorldHint
}

// Result is the answer to a call.
type Result struct {
	Raw      json.RawMessage // the server's own bytes: a JSON-RPC result or error object
	Changed  bool            // the gate made Raw from the server's bytes
	IsError  bool            // a JSON-RPC error, or a tool result with isError
	Err      error           // no answer came: timeout, lost connection, refused answer
	Duration time.Duration   // from sending to answer
}
