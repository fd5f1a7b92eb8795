package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Message is one JSON-RPC 2.0 message. The byte fields are spans of Raw.
type Message struct {
	Raw    []byte // the sender's bytes
	ID     []byte // raw JSON string or number; nil for a notification
	Method string // empty for a response
	Params []byte // raw; nil if absent
	Result []byte // raw; nil unless this is a successful response
	Error  []byte // raw error object; nil unless this is a failed response
	Beside string // name of the first member that JSON-RPC does not define; "" if there is none

	// Header contains the Mcp-Param-* headers of the message on HTTP.
	Header http.Header
	// HTTPStatus is the HTTP status of the response; 0 if it had none.
	HTTPStatus int

	at struct{ id, params, result, err span }
}

// span is a half-open range of byte offsets.
type span struct{ start, end int }

func (s span) of(raw []byte) []byte {
	if s.end == 0 {
		return nil
	}
	return raw[s.start:s.end:s.end]
}

// IsRequest reports whether m requires an answer.
func (m *Message) IsRequest() bool { return m.Method != "" && m.ID != nil }

// IsNotification reports whether m is a method call without an answer.
func (m *Message) IsNotification() bool { return m.Method != "" && m.ID == nil }

// IsResponse reports whether m answers a request.
func (m *Message) IsResponse() bool { return m.Method == "" && m.ID != nil }

// members are the top-level members that JSON-RPC defines; all others are passed on unread.
var members = []string{"jsonrpc", "id", "method", "params", "result", "error"}

// Parse reads one message strictly. The message keeps raw; the caller must not
// change it afterwards.
func Parse(raw []byte) (*Message, error) { return parse(raw) }

// ParseLenient reads one message but tolerates duplicate keys and invalid UTF-8. Use it only to
// find out which request a malformed answer belongs to. The result must not be forwarded.
func ParseLenient(raw []byte) (*Message, error) {
	return parse(raw, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

func parse(raw []byte, opts ...jsontext.Options) (*Message, error) {
	m := &Message{Raw: raw}
	version := false
	err := eachMember(raw, func(name string, start, end int) error {
		if err := exactName(name, members); err != nil {
			return err
		}
		at := span{start, end}
		value := at.of(raw)
		switch name {
		case "jsonrpc":
			version = string(value) == `"2.0"`
		case "id":
			if value[0] != '"' && value[0] != '-' && (value[0] < '0' || value[0] > '9') {
				return errors.New("id must be a string or a number")
			}
			m.ID, m.at.id = value, at
		case "method":
			if err := json.Unmarshal(value, &m.Method); err != nil || m.Method == "" {
				return errors.New("method must be a non-empty string")
			}
		case "params":
			if value[0] != '{' && value[0] != '[' {
				return errors.New("params must be an object or an array")
			}
			m.Params, m.at.params = value, at
		case "result":
			m.Result, m.at.result = value, at
		case "error":
			if value[0] != '{' {
				return errors.New("error must be an object")
			}
			m.Error, m.at.err = value, at
		default:
			if m.Beside == "" {
				m.Beside = name
			}
		}
		return nil
	}, opts...)
	if err != nil {
		return nil, err
	}
	return m, m.check(version)
}

// check checks a message against sections 4 and 5 of JSON-RPC 2.0.
func (m *Message) check(version bool) error {
	answered := m.Result != nil || m.Error != nil
	switch {
	case !version:
		return errors.New(`jsonrpc must be "2.0"`)
	case m.Method != "" && answered:
		return errors.New("a message has either a method or a result, not both")
	case m.Method == "" && !answered:
		return errors.New("a message needs a method, a result or an error")
	case m.Result != nil && m.Error != nil:
		return errors.New("a response has either a result or an error, not both")
	}
	return nil
}

// exactName refuses a name that a case-insensitive parser would mistake for a known one.
func exactName(name string, known []string) error {
	for _, k := range known {
		if name != k && strings.EqualFold(name, k) {
			return fmt.Errorf("the key %q differs from %q only in case", name, k)
		}
	}
	return nil
}

// eachMember calls f with each member of the JSON object raw and the span of
// its value. It refuses anything after the object.
func eachMember(raw []byte, f func(name string, start, end int) error, opts ...jsontext.Options) error {
	r := readers.Get().(*reader)
	defer r.leave()
	d := r.open(raw, opts...)
	tok, err := d.ReadToken()
	if err != nil {
		return syntaxError(err)
	}
	if tok.Kind() != '{' {
		return errors.New("expected a JSON object")
	}
	for d.PeekKind() != '}' {
		tok, err := d.ReadToken()
		if err != nil {
			return syntaxError(err)
		}
		name := tok.String()
		value, err := d.ReadValue()
		if err != nil {
			return syntaxError(err)
		}
		end := int(d.InputOffset())
		if err := f(name, end-len(value), end); err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return syntaxError(err)
	}
	if rest := bytes.TrimSpace(raw[d.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("%w: unexpected data after the message at byte %d", ErrSyntax, d.InputOffset())
	}
	return nil
}

// syntaxError shortens the library's error to what a client or server may read.
func syntaxError(err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return fmt.Errorf("%w: duplicate key at byte %d", ErrSyntax, e.ByteOffset)
		}
		return fmt.Errorf("%w at byte %d: %v", ErrSyntax, e.ByteOffset, e.Err)
	}
	return fmt.Errorf("%w: %w", ErrSyntax, err)
}

// ErrSyntax is returned if bytes are not strict JSON. The other errors of Parse are about JSON that
// is not a JSON-RPC message.
var ErrSyntax = errors.New("invalid JSON")

// WithID returns a copy of m with another id.
func (m *Message) WithID(id []byte) *Message {
	c := *m
	c.Raw = splice(m.Raw, m.at.id, id)
	shift := len(id) - (m.at.id.end - m.at.id.start)
	move := func(s *span) []byte {
		if s.end != 0 && s.start >= m.at.id.end {
			s.start, s.end = s.start+shift, s.end+shift
		}
		return s.of(c.Raw)
	}
	c.at.id.end += shift
	c.ID = c.at.id.of(c.Raw)
	c.Params = move(&c.at.params)
	c.Result = move(&c.at.result)
	c.Error = move(&c.at.err)
	return &c
}

// WithParams returns m with other params. Everything else stays unchanged.
func (m *Message) WithParams(params []byte) *Message {
	if m.Params == nil {
		end := bytes.LastIndexByte(m.Raw, '}')
		return m.reparse(splice(m.Raw, span{end, end}, append([]byte(`,"params":`), params...)))
	}
	return m.reparse(splice(m.Raw, m.at.params, params))
}

// WithResult returns the successful response m with another result.
func (m *Message) WithResult(result []byte) *Message {
	return m.reparse(splice(m.Raw, m.at.result, result))
}

// WithError returns the error response m with another error object.
func (m *Message) WithError(e []byte) *Message {
	return m.reparse(splice(m.Raw, m.at.err, e))
}

// reparse parses bytes that this package has just built.
func (m *Message) reparse(raw []byte) *Message {
	c, err := Parse(raw)
	if err != nil {
		// The parts were valid JSON, so only a bug in this program leads here.
		panic("wire: spliced an invalid message: " + err.Error())
	}
	c.Header, c.HTTPStatus = m.Header, m.HTTPStatus
	return c
}

func splice(raw []byte, at span, with []byte) []byte {
	out := make([]byte, 0, len(raw)-(at.end-at.start)+len(with))
	out = append(out, raw[:at.start]...)
	out = append(out, with...)
	return append(out, raw[at.end:]...)
}

// IntID returns a numeric id as JSON.
func IntID(n int64) []byte { return strconv.AppendInt(nil, n, 10) }

// Defined returns m without the members that JSON-RPC does not define. The members that
// stay keep their bytes.
func (m *Message) Defined() *Message {
	if m.Beside == "" {
		return m
	}
	raw := []byte(`{"jsonrpc":"2.0"`)
	add := func(name string, value []byte) {
		if value != nil {
			raw = append(append(append(append(raw, `,"`...), name...), `":`...), value...)
		}
	}
	add("id", m.ID)
	if m.Method != "" {
		add("method", Quote(m.Method))
	}
	add("params", m.Params)
	add("result", m.Result)
	add("error", m.Error)
	defined, err := Parse(append(raw, '}'))
	if err != nil {
		panic("wire: the members do not make a message: " + err.Error())
	}
	defined.Header, defined.HTTPStatus = m.Header, m.HTTPStatus
	return defined
}
