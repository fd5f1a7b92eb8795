package codemode

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode"

	strict "github.com/go-json-experiment/json"

	"mcpproxy"
	"mcpproxy/internal/text"
	"mcpproxy/internal/wire"
)

// maxBinary limits one image, audio clip or blob in a result, in bytes of base64.
const maxBinary = 1 << 20 * 4 / 3

// piece is one content item.
type piece struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Data string `json:"data"`
}

// unwrap returns a tool's result as a script sees it: its structured content, or else the value of
// its only text, parsed if it is JSON, or else its content unchanged. The result of a failed tool
// is an error.
func unwrap(r *mcpproxy.Result) ([]byte, error) {
	members, _ := wire.Members(r.Raw)           // empty if the result is not an object
	if r.IsError && members["isError"] == nil { // a protocol error
		return nil, mcpproxy.Errorf(mcpproxy.CodeTool, nil, "%s", wire.String(r.Raw, "message"))
	}
	var content []piece
	if raw := members["content"]; raw != nil && string(raw) != "[]" {
		if err := strict.Unmarshal(raw, &content); err != nil {
			return nil, mcpproxy.Errorf(mcpproxy.CodeUpstream, err, "the server's answer has a form that is not valid")
		}
	}
	for _, p := range content {
		if len(p.Data) > maxBinary {
			return nil, mcpproxy.Errorf(mcpproxy.CodeTooLarge, nil, "the answer holds a file larger than 1 MB")
		}
	}
	if r.IsError {
		return nil, mcpproxy.Errorf(mcpproxy.CodeTool, nil, "%s", joinTexts(content))
	}
	if structured := members["structuredContent"]; structured != nil && string(structured) != "null" {
		return structured, nil
	}
	if len(content) == 1 && content[0].Type == "text" {
		return textValue(content[0].Text), nil
	}
	if raw := members["content"]; raw != nil {
		return raw, nil
	}
	return r.Raw, nil
}

// textValue returns the JSON value in a text, or the text itself.
func textValue(s string) []byte {
	if t := strings.TrimSpace(s); t != "" && (t[0] == '{' || t[0] == '[') {
		if _, err := text.Parse([]byte(t), ""); err == nil {
			return []byte(t)
		}
	}
	return text.Quote(s)
}

func joinTexts(content []piece) string {
	var out []string
	for _, p := range content {
		if p.Type == "text" {
			out = append(out, p.Text)
		}
	}
	if len(out) == 0 {
		return "the tool failed and did not say why"
	}
	return strings.Join(out, "\n")
}

// unwrapResource returns the result of reading a resource: the value of its only text, or its
// contents unchanged.
func unwrapResource(r *mcpproxy.Result) ([]byte, error) {
	if r.IsError {
		return nil, mcpproxy.Errorf(mcpproxy.CodeTool, nil, "%s", wire.String(r.Raw, "message"))
	}
	raw := wire.Member(r.Raw, "contents")
	var contents []struct {
		Text *string `json:"text"`
		Blob string  `json:"blob"`
	}
	if raw == nil || json.Unmarshal(raw, &contents) != nil {
		return nil, mcpproxy.Errorf(mcpproxy.CodeUpstream, nil, "the server's answer has a form that is not valid")
	}
	for _, c := range contents {
		if len(c.Blob) > maxBinary {
			return nil, mcpproxy.Errorf(mcpproxy.CodeTooLarge, nil, "the resource is a file larger than 1 MB")
		}
	}
	if len(contents) == 1 && contents[0].Text != nil {
		return textValue(*contents[0].Text), nil
	}
	return raw, nil
}

// maxURI is the maximum length of a URI, in bytes.
const maxURI = 2048

// schemes are URI schemes that no server's resources have.
var schemes = []string{"javascript", "vbscript", "data", "blob", "about"}

// resource reads a server's resource. Errors about a URI do not quote it, because it may contain
// data that must not return.
func (x *execution) resource(ctx context.Context, a asked) ([]byte, error) {
	call := x.inner(&mcpproxy.Call{
		Kind:      mcpproxy.KindResource,
		Server:    a.Server,
		Tool:      a.URI,
		Arguments: wire.Set(nil, text.Quote(a.URI), "uri"),
	})
	if err := checkURI(a.URI); err != nil {
		return nil, x.rejected(ctx, call, err)
	}
	if !x.h.Gate.Permits(call) {
		return x.send(ctx, a, call) // the gate refuses it
	}
	if err := x.reachable(ctx, a.Server); err != nil {
		return nil, x.rejected(ctx, call, err)
	}
	return x.send(ctx, a, call)
}

// parts reports whether any server may treat r as a path separator.
func parts(r rune) bool { return strings.ContainsRune(`/\?#:;=&`, r) }

// unescaped decodes the percent-escapes of a URI once. Malformed escapes stay as they are:
// servers either do the same or refuse the URI.
func unescaped(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if raw, err := hex.DecodeString(s[i+1 : i+3]); err == nil {
				out.Write(raw)
				i += 2
				continue
			}
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

func checkURI(uri string) error {
	bad := func(why string) error {
		return mcpproxy.Errorf(mcpproxy.CodeMalformed, nil, "the URI %s", why)
	}
	if uri == "" || len(uri) > maxURI {
		return bad("has no bytes, or more than 2048")
	}
	for decoded, n := uri, 0; ; n++ {
		if strings.ContainsFunc(decoded, unicode.IsControl) ||
			strings.ContainsFunc(decoded, func(r rune) bool { return unicode.Is(unicode.Cf, r) }) {
			return bad("holds a control character")
		}
		for _, part := range strings.FieldsFunc(decoded, parts) {
			if part == ".." {
				return bad("leaves the folder that it names")
			}
		}
		next := unescaped(decoded)
		if next == decoded {
			break
		}
		if n == 5 {
			return bad("is encoded again and again")
		}
		decoded = next
	}
	scheme, _, ok := strings.Cut(uri, ":")
	if !ok || scheme == "" {
		return bad("names no scheme")
	}
	for _, s := range schemes {
		if strings.EqualFold(scheme, s) {
			return bad("has a scheme that no resource uses")
		}
	}
	return nil
}
