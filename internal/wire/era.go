package wire

import (
	"net/http"
	"slices"
)

// Era is one of MCP's two lifecycles.
type Era int

// The eras.
const (
	Stateful  Era = iota // up to 2025-11-25: initialize, Mcp-Session-Id
	Stateless            // from 2026-07-28: there are no sessions
)

// Protocol revisions.
const (
	Latest         = "2026-07-28" // the stateless revision
	LatestStateful = "2025-11-25"
	FirstBatch     = "2025-03-26" // the only revision with JSON-RPC batches
)

// StatefulVersions are the stateful revisions, newest first.
var StatefulVersions = []string{LatestStateful, "2025-06-18", FirstBatch, "2024-11-05"}

// KnownVersion reports whether v is a revision this package speaks.
func KnownVersion(v string) bool { return v == Latest || slices.Contains(StatefulVersions, v) }

// HTTP header names, in canonical form.
const (
	HeaderVersion = "Mcp-Protocol-Version"
	HeaderSession = "Mcp-Session-Id"
	HeaderMethod  = "Mcp-Method"
	HeaderName    = "Mcp-Name"
	HeaderParam   = "Mcp-Param-"        // prefix
	HeaderFolder  = "X-Mcpproxy-Folder" // mcpproxy's own: the folder in which the stdio bridge was started, percent-encoded
)

// Names in _meta, revision 2026-07-28.
const (
	MetaVersion      = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo   = "io.modelcontextprotocol/clientInfo"
	MetaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaServerInfo   = "io.modelcontextprotocol/serverInfo"
	MetaLogLevel     = "io.modelcontextprotocol/logLevel"
	MetaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// NameOf returns the required value of the Mcp-Name header of a request: the name or URI in its
// params; "" for methods without one.
func NameOf(method string, params []byte) string {
	switch method {
	case "tools/call", "prompts/get":
		return String(params, "name")
	case "resources/read":
		return String(params, "uri")
	}
	return ""
}

// SetHeaders writes the headers of revision 2026-07-28 for m.
func SetHeaders(h http.Header, m *Message) {
	h.Set(HeaderVersion, Latest)
	if m.Method != "" {
		h.Set(HeaderMethod, m.Method)
	}
	if name := NameOf(m.Method, m.Params); name != "" {
		h.Set(HeaderName, EncodeHeader(name))
	}
	for k, v := range m.Header {
		h[k] = v
	}
}

// Status returns the HTTP status that revision 2026-07-28 requires for a response.
func Status(m *Message) int {
	if m.HTTPStatus != 0 {
		return m.HTTPStatus
	}
	switch Code(m) {
	case CodeMethodNotFound:
		return http.StatusNotFound
	case CodeParse, CodeInvalidRequest, CodeHeaderMismatch, CodeMissingCapability, CodeUnsupported:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
