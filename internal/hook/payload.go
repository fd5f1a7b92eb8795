package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// fields are the names that an agent may use for the members of its payload, most common first.
type fields struct {
	event, session, tool, call, input, response, prompt, cwd []string
}

// payload is an agent's JSON object with raw members.
type payload map[string]jsontext.Value

var errNoTool = errors.New("the hook's payload names no tool")

// lenient are the options for values that are only passed on. The gate parses them strictly.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// parse reads an object. It refuses duplicate members, because the agent would use only one of
// them. It does not parse the members' values. The members are slices of raw, which must not
// change.
func parse(raw []byte) (payload, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient...)
	if dec.PeekKind() != '{' {
		return nil, fmt.Errorf("the hook's payload is not a JSON object%s", cause(dec))
	}
	_, _ = dec.ReadToken() // skip the opening brace
	p := payload{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("the hook's payload is not JSON: %w", err)
		}
		key := name.String()
		if _, twice := p[key]; twice {
			return nil, fmt.Errorf("the hook's payload has the key %q twice", key)
		}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, fmt.Errorf("the hook's payload is not JSON: %w", err)
		}
		end := int(dec.InputOffset())
		p[key] = jsontext.Value(raw[end-len(value) : end : end]) // reused by the decoder
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("the hook's payload is not JSON: %w", err)
	}
	if rest := bytes.TrimSpace(raw[dec.InputOffset():]); len(rest) > 0 {
		return nil, errors.New("the hook's payload has more data after its JSON object")
	}
	return p, nil
}

// cause returns why peeking failed.
func cause(dec *jsontext.Decoder) string {
	if _, err := dec.ReadToken(); err != nil {
		return ": " + err.Error()
	}
	return ""
}

// first returns the first of the members that exists and is not null.
func (p payload) first(names ...string) json.RawMessage {
	for _, name := range names {
		if v, ok := p[name]; ok && v.Kind() != 'n' {
			return json.RawMessage(v)
		}
	}
	return nil
}

// has reports whether one of the members exists.
func (p payload) has(names ...string) bool {
	for _, name := range names {
		if _, ok := p[name]; ok {
			return true
		}
	}
	return false
}

// text returns the first of the members that is a non-empty string.
func (p payload) text(names ...string) string {
	for _, name := range names {
		if s, ok := str(json.RawMessage(p[name])); ok && s != "" {
			return s
		}
	}
	return ""
}

// in returns the object in a member, or an empty payload.
func (p payload) in(name string) payload {
	inner, err := parse(p[name])
	if err != nil {
		return payload{}
	}
	return inner
}

// str returns the text of a JSON string. Invalid characters become U+FFFD.
func str(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	out, err := jsontext.AppendUnquote(nil, raw)
	if err != nil && !jsontext.Value(raw).IsValid(lenient...) {
		return "", false
	}
	return string(out), true
}

// quote returns text as a JSON string.
func quote(s string) json.RawMessage {
	out, err := jsontext.AppendQuote(nil, s)
	if err != nil { // invalid UTF-8 was replaced by U+FFFD
		out, _ = jsontext.AppendQuote(nil, string([]rune(s)))
	}
	return out
}

// opened returns the value inside a JSON string if it is an object or an array; otherwise it
// returns the string itself.
func opened(raw json.RawMessage) json.RawMessage {
	s, ok := str(raw)
	if !ok {
		return raw
	}
	inner := jsontext.Value(bytes.TrimSpace([]byte(s)))
	if k := inner.Kind(); (k == '{' || k == '[') && inner.IsValid(lenient...) {
		return json.RawMessage(inner)
	}
	return raw
}

// arguments returns a tool's arguments as an object. Any other value becomes the member "input" of
// an object, so that it is inspected.
func arguments(raw json.RawMessage) json.RawMessage {
	raw = opened(raw)
	switch {
	case len(raw) == 0:
		return json.RawMessage("{}")
	case raw[0] == '{':
		return raw
	}
	return slot("input", raw)
}

// slot returns an object with one member.
func slot(name string, value json.RawMessage) json.RawMessage {
	out := append([]byte{'{'}, quote(name)...)
	out = append(append(out, ':'), value...)
	return append(out, '}')
}
