package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// Code returns the error code of a response; 0 if it has none.
func Code(m *Message) int {
	var e struct{ Code int }
	if m.Error == nil || json.Unmarshal(m.Error, &e) != nil {
		return 0
	}
	return e.Code
}

const base64Prefix, base64Suffix = "=?base64?", "?="

// EncodeHeader encodes a value for an HTTP header: unchanged if it is visible ASCII, else in the
// base64 form of SEP-2243.
func EncodeHeader(s string) string {
	plain := s == strings.TrimSpace(s) && !strings.HasPrefix(s, base64Prefix)
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] >= 0x20 && s[i] < 0x7f
	}
	if plain {
		return s
	}
	return base64Prefix + base64.StdEncoding.EncodeToString([]byte(s)) + base64Suffix
}

// DecodeHeader reverses EncodeHeader. It reports whether v is well formed.
func DecodeHeader(v string) (string, bool) {
	v = strings.TrimSpace(v)
	inner, prefixed := strings.CutPrefix(v, base64Prefix)
	inner, suffixed := strings.CutSuffix(inner, base64Suffix)
	if !prefixed || !suffixed {
		return v, true
	}
	b, err := base64.StdEncoding.DecodeString(inner)
	return string(b), err == nil
}

// mirrors is the name of the member of a schema that names a header.
const mirrors = "x-mcp-header"

// ParamHeaders copies arguments into Mcp-Param-* headers, as requested by x-mcp-header in the
// tool's input schema (SEP-2243).
func ParamHeaders(schema, arguments []byte) http.Header {
	h := http.Header{}
	mirrored(schema, arguments, func(header string, value []byte) {
		if s, ok := primitive(value); ok {
			h.Set(HeaderParam+header, EncodeHeader(s))
		}
	})
	return h
}

// CheckParamHeaders compares Mcp-Param-* headers with the arguments that they mirror. It returns
// the first header that differs from the body.
func CheckParamHeaders(h http.Header, schema, arguments []byte) (header string, ok bool) {
	ok = true
	mirrored(schema, arguments, func(name string, value []byte) {
		want, mirrored := primitive(value)
		got, valid := DecodeHeader(h.Get(HeaderParam + name))
		present := len(h.Values(HeaderParam+name)) > 0
		if ok && (present != mirrored || present && (!valid || !sameValue(got, want, value))) {
			header, ok = HeaderParam+name, false
		}
	})
	return header, ok
}

// mirrored calls f for every property of an input schema that is marked with x-mcp-header. Schemas
// that contain neither this word nor an escape are not parsed.
func mirrored(schema, arguments []byte, f func(header string, value []byte)) {
	if bytes.Contains(schema, []byte(mirrors)) || bytes.IndexByte(schema, '\\') >= 0 {
		eachMirrored(Member(schema, "properties"), arguments, f)
	}
}

// eachMirrored calls f for every property that is marked with x-mcp-header, with the argument's raw
// value; nil if it is absent or null.
func eachMirrored(properties, arguments []byte, f func(header string, value []byte)) {
	props, err := Members(properties)
	if err != nil {
		return
	}
	for name, prop := range props {
		var value []byte
		if len(arguments) > 0 {
			value = Member(arguments, name)
		}
		if string(value) == "null" {
			value = nil
		}
		if header := String(prop, mirrors); header != "" {
			f(header, value)
		}
		if inner := Member(prop, "properties"); inner != nil {
			if value != nil && value[0] != '{' {
				value = nil
			}
			eachMirrored(inner, value, f)
		}
	}
}

// primitive returns a string, number or boolean in the form for a header.
func primitive(value []byte) (string, bool) {
	var s string
	switch {
	case value == nil || value[0] == '{' || value[0] == '[':
		return "", false
	case value[0] == '"':
		err := json.Unmarshal(value, &s)
		return s, err == nil
	}
	return string(value), true
}

// sameValue compares a header with the argument. Numbers are compared by value.
func sameValue(got, want string, raw []byte) bool {
	if raw[0] == '"' || raw[0] == 't' || raw[0] == 'f' {
		return got == want
	}
	g, gotErr := strconv.ParseFloat(got, 64)
	w, wantErr := strconv.ParseFloat(want, 64)
	return gotErr == nil && wantErr == nil && g == w
}
