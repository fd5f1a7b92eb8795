package journal

import (
	"encoding/json"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/redact"
	"mcpproxy/internal/text"
)

// codeVisit is the JSON-RPC error by which a server asks for its user to visit a URL:
// what stands beside its message is for the client, not for the agent.
const codeVisit = -32042

// ErrorText is the text of an error about a call, not the server's result itself, as the
// agent that made the call may read it. What the call itself says stays.
func ErrorText(seen *inspect.Inspection, s string) string {
	c := seen.Call()
	return redact.ErrorTo(s, sent(seen), c.Server, c.Tool)
}

// withoutSecrets is a JSON value as it is recorded: whole, but for what stands where
// credentials stand. No detector need know it. Arguments, results and errors are treated alike.
func withoutSecrets(masked []byte) []byte {
	doc, err := text.Parse(masked, "")
	if err != nil {
		return masked
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

// RedactError makes of an error that a server answers what the agent may read of it,
// and reports whether that is less. The record keeps the server's own words.
// A script's error is its own: what it heard of servers' errors is less already.
func RedactError(seen *inspect.Inspection, result *mcpproxy.Result, got inspect.Reading) bool {
	call := seen.Call()
	if !result.IsError || result.Err != nil || call.Kind == mcpproxy.KindScript ||
		call.Channel == mcpproxy.ChannelHook {
		return false // a hook's agent has read it already
	}
	doc, err := text.Parse(result.Raw, "")
	if err != nil {
		return false // what the gate itself made
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

// redacted is a part of an error as the agent may read it.
func redacted(doc *text.Document, i int, known func(string) bool, names ...string) string {
	part := doc.Parts[i]
	if part.Kind == text.Value && i > 0 && doc.Parts[i-1].Kind == text.Key {
		return redact.Member(doc.Parts[i-1].Text, part.Text, known, names...)
	}
	return redact.ErrorTo(part.Text, known, names...)
}

// isBinary reports whether encoded bytes stand below members of a result: letters
// that only look like a path.
func isBinary(members []string) bool { return isContent(members, "data") || isContent(members, "blob") }

// isReference reports whether the address of a resource stands below members of a
// result. The agent may ask for it.
func isReference(members []string) bool { return isContent(members, "uri") }

// isContent reports whether members lead to a member of a result's content.
func isContent(members []string, last string) bool {
	return len(members) > 1 && members[0] == "content" && members[len(members)-1] == last
}

// sent knows what the agent itself has said in a call, and whom it calls.
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
