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
	CodeDenied            = -32003 // specific to this proxy: the gate stopped the request
)

// RPCError is a JSON-RPC error object.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
	Status  int    `json:"-"` // HTTP status, if it is not the usual one of the code
}

func (e *RPCError) Error() string { return e.Message }

// NewRequest builds a request. Params may be nil. Params and id must be valid JSON, as in all
// functions of this file.
func NewRequest(id []byte, method string, params []byte) *Message {
	b := begin(id, len(method)+len(params))
	b.m.Method = method
	b.member("method", Quote(method))
	if params != nil {
		b.m.at.params = b.member("params", params)
	}
	return b.end()
}

// NewNotification builds a notification. Params may be nil.
func NewNotification(method string, params []byte) *Message {
	return NewRequest(nil, method, params)
}

// NewResult builds a successful response.
func NewResult(id, result []byte) *Message {
	b := begin(id, len(result))
	b.m.at.result = b.member("result", result)
	return b.end()
}

// NewError builds a failed response. A nil id becomes null; use it for a request whose id could not
// be read.
func NewError(id []byte, e *RPCError) *Message {
	raw := MustJSON(e)
	b := begin(id, len(raw))
	if id == nil {
		b.member("id", []byte("null"))
	}
	b.m.at.err = b.member("error", raw)
	m := b.end()
	m.HTTPStatus = e.Status
	return m
}

// builder builds a message and records the positions of its members, so that it need not be parsed
// again.
type builder struct{ m *Message }

// begin begins a message and reserves space for a body of this size. A nil id means that the message has no id.
func begin(id []byte, body int) builder {
	b := builder{&Message{Raw: append(make([]byte, 0, 64+len(id)+body), `{"jsonrpc":"2.0"`...)}}
	if id != nil {
		b.m.at.id = b.member("id", id)
	}
	return b
}

// member adds a member and returns the position of its value.
func (b builder) member(name string, value []byte) span {
	raw := append(append(append(b.m.Raw, `,"`...), name...), `":`...)
	b.m.Raw = append(raw, value...)
	return span{len(raw), len(b.m.Raw)}
}

func (b builder) end() *Message {
	m := b.m
	m.Raw = append(m.Raw, '}')
	m.ID = m.at.id.of(m.Raw)
	m.Params = m.at.params.of(m.Raw)
	m.Result = m.at.result.of(m.Raw)
	m.Error = m.at.err.of(m.Raw)
	return m
}
