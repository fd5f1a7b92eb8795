package gate

import (
	"encoding/json"
	"errors"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/redact"
	"mcpproxy/internal/text"
)

// codeVisit is the JSON-RPC error by which a server asks for its user to visit a URL:
// what stands beside its message is for the client, not for the agent.
const codeVisit = -32042

// Readable is an error about a call as the agent that made it may read it: what this
// proxy says of a server can quote the server. Its cause stays with the operator.
func (g *Gate) Readable(c *mcpproxy.Call, err error) error {
	e, ok := errors.AsType[*mcpproxy.Error](err)
	if !ok {
		return err
	}
	shown := *e
	shown.Message = g.ErrorText(c, e.Message)
	return &shown
}

// ErrorText is the text of an error about a call, not the server's result itself,
// as the agent may read it.
func (g *Gate) ErrorText(c *mcpproxy.Call, s string) string {
	settings := g.settings.Load()
	if settings.RawErrors {
		return s
	}
	p := &Pass{Call: c, settings: settings}
	p.args = reading{}
	p.args.doc, _ = text.Parse(c.Arguments, argumentsRoot)
	return redact.ErrorTo(s, p.sent(), c.Server, c.Tool)
}

// withoutSecrets is an error as it is recorded: whole, but for what stands where
// credentials stand. No detector need know it.
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
		after := redact.Secrets(part.Text)
		if part.Kind == text.Value && i > 0 && doc.Parts[i-1].Kind == text.Key {
			after = redact.SecretMember(doc.Parts[i-1].Text, part.Text)
		}
		if after != part.Text {
			edits = append(edits, text.Edit{Span: text.Span{Part: i, Start: 0, End: len(part.Text)}, With: after})
		}
	}
	return doc.Rewrite(edits)
}

// redactError makes of an error that a server answers what the agent may read of it,
// and reports whether that is less. The record keeps the server's own words.
// A script's error is its own: what it heard of servers' errors is less already.
func (p *Pass) redactError(result *mcpproxy.Result, got reading) bool {
	if !result.IsError || result.Err != nil || p.settings.RawErrors || p.Call.Kind == mcpproxy.KindScript || p.Call.Channel == mcpproxy.ChannelHook {
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
	known := p.sent()
	mask := detect.NewMasker(got.hidden()).Text
	var edits []text.Edit
	for i, part := range doc.Parts {
		if part.Kind != text.Value && part.Kind != text.Key || part.Opened() {
			continue
		}
		after := mask(redacted(doc, i, known, p.Call.Server, p.Call.Tool))
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

// sent knows what the agent itself has said in the call, and whom it calls.
func (p *Pass) sent() func(string) bool {
	texts := []string{p.Call.Server, p.Call.Tool}
	for _, doc := range []*text.Document{p.args.doc, p.extra.doc} {
		if doc == nil {
			continue
		}
		for _, part := range doc.Parts {
			texts = append(texts, part.Text)
		}
	}
	return redact.Sent(append(texts, redact.Pointers(p.Call.Arguments)...))
}
