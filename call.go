package mcpproxy

import (
	"encoding/json"
	"time"
)

// Channel says how a call reached the gate.
type Channel string

// The channels.
const (
	ChannelMCP  Channel = "mcp"  // an MCP request through the gateway
	ChannelHook Channel = "hook" // an agent's own tool, reported by its hook
	ChannelCode Channel = "code" // a call made by a code-mode script
)

// Kind says what a call asks the server for.
type Kind string

// The kinds of call. Everything that an agent can send to a server is one of them, so nothing reaches a server
// without a decision of the gate.
const (
	KindTool       Kind = "tool"       // tools/call
	KindResource   Kind = "resource"   // resources/read and subscriptions
	KindPrompt     Kind = "prompt"     // prompts/get
	KindCompletion Kind = "completion" // completion/complete
	KindAnswer     Kind = "answer"     // the client's answer to a server's own request
	KindMethod     Kind = "method"     // any other method or notification
	KindScript     Kind = "script"     // a code-mode script; each call that it makes is a Call too
)

// Intent is what the agent declares about its own call. It is advice only: an agent that follows
// an injected instruction may declare anything.
type Intent struct {
	Operation       Operation `json:"operation,omitempty"`        // from the call_tool_* variant used
	DataSensitivity string    `json:"data_sensitivity,omitempty"` // public, internal, private or unknown
	Reason          string    `json:"reason,omitempty"`
	Justification   string    `json:"justification,omitempty"`    // flow_justification
	DestinationType string    `json:"destination_type,omitempty"` // flow_destination_type
}

// Call is one request of an agent to a server or to one of the agent's own tools.
type Call struct {
	ID          string          // ULID; the activity id that the agent is shown
	Channel     Channel         //
	Kind        Kind            //
	Session     string          // protocol session: Mcp-Session-Id or a hook's session_id; empty when stateless
	FlowSession string          // the session within which data flows are tracked
	Principal   string          // the sender: "local" for the owner, the name of an agent token, …
	Grants      []string        // the grants that admitted a person or a certificate; empty for the owner and tokens
	Client      string          // the name that the client gives itself; decisions never use it
	Agent       SessionAgent    // the agent that makes the call, shown to the user; the gate masks it
	RequestID   string          // JSON-RPC id or tool-call id
	ParentID    string          // the script call that made this call, or the hook evaluation that announced it
	Announced   bool            // a hook announced this call before, and it was counted then
	Incoming    bool            // the server sent it without a request, and it carries no data out
	PageOf      string          // the tool whose long result the resource is a page of; "" for other resources
	Server      string          // empty for an agent's own tool
	Tool        string          // tool or prompt name, resource URI, or method
	Dir         string          // the folder that an agent's own tool works in; empty when unknown
	Arguments   json.RawMessage // the caller's own bytes
	Extra       json.RawMessage // other members of the request: _meta, answers to a server's requests
	Definition  *Tool           // the server's definition of the tool; nil when unknown
	Intent      Intent          //
	Received    time.Time       //
	Trace       Trace           // the gate fills in what is missing
}

// Name returns the name of the tool as configuration and messages write it; see [ToolName].
func (c *Call) Name() string { return ToolName(c.Server, c.Tool) }

// ToolName returns "server:tool", or only the tool's name if server is empty, as it is for an
// agent's own tool.
func ToolName(server, tool string) string {
	if server == "" {
		return tool
	}
	return server + ":" + tool
}

// Tool is the definition of a tool as its server announced it. It is never changed, so values
// that are computed from it may be cached together with it.
type Tool struct {
	Server      string          `json:"server"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Raw         json.RawMessage `json:"-"` // the whole definition, byte for byte
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
	ReadOnly    *bool           `json:"read_only,omitempty"`   // annotations.readOnlyHint; nil if absent
	Destructive *bool           `json:"destructive,omitempty"` // annotations.destructiveHint; nil if absent
	OpenWorld   *bool           `json:"open_world,omitempty"`  // annotations.openWorldHint; nil if absent
}

// Result is the answer to a call.
type Result struct {
	Raw      json.RawMessage // the server's own bytes: a JSON-RPC result or error object
	Changed  bool            // the gate has changed Raw, which is no longer the server's bytes
	IsError  bool            // a JSON-RPC error, or a tool result with isError
	Err      error           // why there is no answer: timeout, lost connection, rejected answer
	Duration time.Duration   // from sending the call to receiving the answer
}
