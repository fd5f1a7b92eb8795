package wire

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
)

// Code is the error code of a response; 0 when it carries none.
func Code(m *Message) int {
	var e struct{ Code int }
	if m.Error == nil || json.Unmarshal(m.Error, &e) != nil {
		return 0
	}
	return e.Code
}

const base64Prefix, base64Suffix = "=?base64?", "?="

// EncodeHeader writes a value so that an HTTP header can carry it: as it is
// when it is plain visible ASCII, else in the base64 form of SEP-2243.
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

// DecodeHeader undoes EncodeHeader.
func DecodeHeader(v string) string {
	v = strings.TrimSpace(v)
	if inner, ok := strings.CutPrefix(v, base64Prefix); ok {
		if inner, ok := strings.CutSuffix(inner, base64Suffix); ok {
			if b, err := base64.StdEncoding.DecodeString(inner); err == nil {
				return string(b)
			}
		}
	}
	return v
}

// ParamHeaders mirrors arguments into Mcp-Param-* headers, as the tool's input
// schema asks with x-mcp-header (SEP-2243).
func ParamHeaders(schema, arguments []byte) http.Header {
	h := http.Header{}
	mirror(h, Member(schema, "properties"), arguments)
	return h
}

func mirror(h http.Header, properties, arguments []byte) {
	if len(properties) == 0 || len(arguments) == 0 {
		return
	}
	props, err := Members(properties)
	if err != nil {
		return
	}
	for name, prop := range props {
		value := Member(arguments, name)
		if value == nil || string(value) == "null" {
			continue
		}
		if header := String(prop, "x-mcp-header"); header != "" {
			switch {
			case value[0] == '"':
				h.Set(HeaderParam+header, EncodeHeader(String(arguments, name)))
			case value[0] != '{' && value[0] != '[':
				h.Set(HeaderParam+header, string(value))
			}
		}
		if value[0] == '{' {
			mirror(h, Member(prop, "properties"), value)
		}
	}
}
