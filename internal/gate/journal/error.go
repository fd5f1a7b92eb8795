package journal

import (
	"encoding/json"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/redact"
	"mcpproxy/internal/text"
)

// codeVisit is the JSON-RPC error with which a server asks its user to visit a URL. Its data is for the client, not
// for the agent.
const codeVisit = -32042

// ErrorText returns s, the text of an error about a call, in the form that the agent may read. s may quote the server,
// but it is not the server's result. Paths, addresses and URLs stay only if the call itself contains them.
func ErrorText(seen *inspect.Inspection, s string) string {
	c := seen.Call()
	return redact.ErrorTo(s, sent(seen), c.Server, c.Tool)
}

// withoutSecrets returns a JSON value in the form for a record, with values of credentials masked even if no detector
// recognises them. Arguments, results and errors are treated in the same way. r is the reading of the value before it
// was masked. If nothing in it was masked, it is not parsed again.
func withoutSecrets(masked []byte, r inspect.Reading) []byte {
	doc := r.Doc
	if r.Err != nil || !doc.Holds(masked) {
		var err error
		if doc, err = text.Parse(masked, ""); err != nil {
			return masked
		}
	}
	var edits []text.Edit
	for i, part := range doc.Parts {
		if part.Kind != text.Value && part.Kind != text.Key || part.Opened() {
			continue
		}
		var after string
		if part.Kind == text.Value && i > 0 && doc.Parts[i-1].Kind == text.Key {
			after = redact.SecretMember(doc.Parts[i-1].Text, part.Text)
		} else {
			after = redact.Secrets(part.Text)
		}
		if after != part.Text {
			edits = append(edits, text.Edit{Span: text.Span{Part: i, Start: 0, End: len(part.Text)}, With: after})
		}
	}
	return doc.Rewrite(edits)
}

// RedactError replaces a server's error by the part that the agent may read, and reports whether this removed
// anything. The record keeps the server's own text. A script's error stays unchanged, because the script only got
// redacted errors.
func RedactError(seen *inspect.Inspection, result *mcpproxy.Result, got inspect.Reading) bool {
	call := seen.Call()
	if !result.IsError || result.Err != nil || call.Kind == mcpproxy.KindScript ||
		call.Channel == mcpproxy.ChannelHook {
		return false // the agent has read the hook's result already
	}
	doc, err := text.Parse(result.Raw, "")
	if err != nil {
		return false // the gate itself made the result
	}
	var head struct {
		Code int `json:"code"`
	}
	_ = json.Unmarshal(result.Raw, &head)
	known := sent(seen)
	mask := detect.NewMasker(got.Hidden()).Text
	var edits []text.Edit
	for i, part := range doc.Parts {
		if part.Kind != text.Value && part.Kind != text.Key || part.Opened() {
			continue
		}
		after := mask(redacted(doc, i, known, call.Server, call.Tool))
		if after == part.Text {
			continue
		}
		switch members := doc.Members(part); {
		case head.Code == codeVisit && members[0] != "message", part.Kind == text.Value && isBinary(members):
			continue
		case part.Kind == text.Value && isReference(members):
			if after = mask(redact.Secrets(part.Text)); after == part.Text {
				continue
			}
		}
		edits = append(edits, text.Edit{Span: text.Span{Part: i, Start: 0, End: len(part.Text)}, With: after})
	}
	if len(edits) == 0 {
		return false
	}
	result.Raw, result.Changed = doc.Rewrite(edits), true
	return true
}

// redacted returns a part of an error in the form that the agent may read.
func redacted(doc *text.Document, i int, known func(string) bool, names ...string) string {
	part := doc.Parts[i]
	if part.Kind == text.Value && i > 0 && doc.Parts[i-1].Kind == text.Key {
		return redact.Member(doc.Parts[i-1].Text, part.Text, known, names...)
	}
	return redact.ErrorTo(part.Text, known, names...)
}

// isBinary reports whether the members of a result lead to encoded bytes, in which letters can look like a path.
func isBinary(members []string) bool { return isContent(members, "data") || isContent(members, "blob") }

// isReference reports whether the members of a result lead to the address of a resource, which the agent may request.
func isReference(members []string) bool { return isContent(members, "uri") }

// isContent reports whether members lead to a member of a result's content.
func isContent(members []string, last string) bool {
	return len(members) > 1 && members[0] == "content" && members[len(members)-1] == last
}

// sent returns a function that reports whether the call or the name of its target contains a text. The agent then
// knows the text already.
func sent(seen *inspect.Inspection) func(string) bool {
	call := seen.Call()
	texts := []string{call.Server, call.Tool}
	for _, doc := range []*text.Document{seen.Arguments().Doc, seen.Extra().Doc} {
		if doc == nil {
			continue
		}
		for _, part := range doc.Parts {
			texts = append(texts, part.Text)
		}
	}
	return redact.Sent(append(texts, redact.Pointers(call.Arguments)...))
}
