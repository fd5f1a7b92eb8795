package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Members returns the members of a JSON object by name, raw. It refuses
// duplicate keys and keys that differ only in case from one of known.
func Members(object []byte, known ...string) (map[string]json.RawMessage, error) {
	if len(object) == 0 {
		return nil, nil
	}
	out := make(map[string]json.RawMessage)
	err := eachMember(object, func(name string, start, end int) error {
		if err := exactName(name, known); err != nil {
			return err
		}
		out[name] = object[start:end:end]
		return nil
	})
	return out, err
}

// Member returns the value at a path of member names; nil if it is absent.
func Member(object []byte, path ...string) []byte {
	at, ok := find(object, path)
	if !ok {
		return nil
	}
	return at.of(object)
}

// String returns the string at a path of member names; "" if it is absent or not a string.
func String(object []byte, path ...string) string {
	var s string
	if v := Member(object, path...); v != nil && json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

func find(object []byte, path []string) (span, bool) {
	at := span{len(object) - len(bytes.TrimLeft(object, " \t\r\n")), len(object)}
	for _, want := range path {
		if at.start == at.end || object[at.start] != '{' {
			return span{}, false
		}
		found := span{}
		base := at.start
		err := eachMember(object[at.start:at.end], func(name string, start, end int) error {
			if name == want {
				found = span{base + start, base + end}
				return errFound
			}
			return nil
		})
		if err != errFound {
			return span{}, false
		}
		at = found
	}
	return at, true
}

var errFound = errors.New("found")

// Set returns object with the value at a path of member names replaced or added. Every other byte
// stays unchanged. Missing objects on the path are created. A value on the path that is not an
// object is replaced by {}, because a peer may have sent anything.
func Set(object []byte, value []byte, path ...string) []byte {
	if len(path) == 0 {
		return value
	}
	if !bytes.HasPrefix(bytes.TrimSpace(object), []byte("{")) {
		object = []byte("{}")
	}
	if at, ok := find(object, path[:1]); ok {
		return splice(object, at, Set(at.of(object), value, path[1:]...))
	}
	name, _ := jsontext.AppendQuote(nil, path[0])
	member := append(append(name, ':'), Set(nil, value, path[1:]...)...)
	end := bytes.LastIndexByte(object, '}')
	if bytes.IndexByte(object, '"') >= 0 {
		member = append([]byte{','}, member...)
	}
	return splice(object, span{end, end}, member)
}

// Quote returns s as a JSON string.
func Quote(s string) []byte {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // invalid UTF-8: AppendQuote has put U+FFFD in its place
		b, _ = json.Marshal(s)
	}
	return b
}

// MustJSON returns v as JSON, for values that always encode.
func MustJSON(v any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // no escaping for HTML: agents read it, browsers do not
	if err := enc.Encode(v); err != nil {
		panic("wire: " + err.Error())
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// MustCompact returns a JSON document without the white space between its tokens, for
// documents that are embedded in the program. It panics if document is not JSON.
func MustCompact(document []byte) json.RawMessage {
	var out bytes.Buffer
	if err := json.Compact(&out, document); err != nil {
		panic("wire: " + err.Error())
	}
	return slices.Clip(out.Bytes())
}

// Without returns object without the named members; the others keep their
// order and their bytes.
func Without(object []byte, names ...string) []byte {
	out := []byte{'{'}
	err := eachMember(object, func(name string, start, end int) error {
		if slices.Contains(names, name) {
			return nil
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, Quote(name)...), ':')
		out = append(out, object[start:end]...)
		return nil
	})
	if err != nil {
		return object
	}
	return append(out, '}')
}
