package wire

// JSON-RPC 2.0 and MCP error codes.
const (
	CodeParse             = -32700
	CodeInvalidRequest    = -32600
	CodeMethodNotFound    = -32601
	CodeInvalidParams     = -32602
	CodeInternal          = -32603
	CodeHeaderMismatch    = -32020 // MCP 2026-07-28
	CodeMissingCapability = -32021 // MCP 2026-07-28
	CodeUnsupported       = -32022 // MCP 2026-07-28: protocol version
	CodeDenied            = -32003 // this proxy: the gate stopped the request
)

// RPCError is a JSON-RPC error object.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
	Status  int    `json:"-"` // HTTP status, where it is not the code's usual one
}

func (e *RPCError) Error() string { return e.Message }

// NewRequest builds a request. Params may be nil.
func NewRequest(id []byte, method string, params []byte) *Message {
	return build(id, "method", Quote(method), params)
}

// NewNotification builds a notification. Params may be nil.
func NewNotification(method string, params []byte) *Message {
	return build(nil, "method", Quote(method), params)
}

// NewResult builds a successful response.
func NewResult(id, result []byte) *Message { return build(id, "result", result, nil) }

// NewError builds a failed response; a nil id becomes null, for a request
// whose id could not be read.
func NewError(id []byte, e *RPCError) *Message {
	if id == nil {
		raw := append([]byte(`{"jsonrpc":"2.0","id":null,"error":`), MustJSON(e)...)
		raw = append(raw, '}')
		return &Message{Raw: raw, Error: raw[len(`{"jsonrpc":"2.0","id":null,"error":`) : len(raw)-1]}
	}
	m := build(id, "error", MustJSON(e), nil)
	m.HTTPStatus = e.Status
	return m
}

func build(id []byte, name string, value, params []byte) *Message {
	raw := make([]byte, 0, 64+len(id)+len(value)+len(params))
	raw = append(raw, `{"jsonrpc":"2.0"`...)
	if id != nil {
		raw = append(append(raw, `,"id":`...), id...)
	}
	raw = append(append(append(append(raw, `,"`...), name...), `":`...), value...)
	if params != nil {
		raw = append(append(raw, `,"params":`...), params...)
	}
	raw = append(raw, '}')
	return (&Message{}).reparse(raw)
}
