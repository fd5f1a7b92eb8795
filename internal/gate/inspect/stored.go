package inspect

import (
	"slices"
	"strings"
	"unicode"

	"mcpproxy"
	"mcpproxy/internal/classify"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/text"
)

// storedSecret is the category of values from a secret store.
const storedSecret = flow.StoredSecret

// storedRule is the rule for such values.
var storedRule = &detect.Rule{
	ID:         storedSecret,
	Category:   storedSecret,
	Severity:   mcpproxy.SeverityHigh,
	Confidence: 1,
	Pattern:    ".", // not personal data
}

const (
	minStored = 4   // minimum bytes of a secret from a store
	maxStored = 400 // maximum bytes of a secret of one line
	mostKept  = 64  // maximum number of values from one answer
)

// labelWords are names of members beside a secret in a store's answer.
var labelWords = []string{
	"name", "names", "path", "paths", "id", "ids", "uuid", "arn", "version", "versions", "created", "updated", "deleted",
	"modified", "date", "time", "timestamp", "expires", "ttl", "lease", "duration", "renewable", "type", "kind", "format",
	"status", "message", "description", "title", "label", "tags", "url", "uri", "host", "hostname", "port", "server", "username",
	"user", "email", "login", "account", "folder", "mount", "engine", "owner", "note", "metadata", "error", "category",
	"namespace", "environment", "region", "zone", "dbname", "schema", "bucket",
}

// isStore reports whether a call is answered by a secret store.
func isStore(c *mcpproxy.Call) bool {
	if c.Kind != mcpproxy.KindTool && c.Kind != mcpproxy.KindResource || c.Server == "" {
		return false
	}
	server, tool := classify.Tokens(c.Server), classify.Tokens(c.Tool)
	in := func(words, list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	lists := in(tool, []string{"list", "search", "find", "health", "status", "delete", "remove"})
	reads := in(tool, []string{"get", "read", "fetch", "reveal", "retrieve", "show", "lookup", "access", "value", "export", "decrypt"})
	return reads && !lists && (in(server, storeServers) ||
		in(tool, []string{"secret", "secrets", "password", "passwords", "credential", "credentials", "keychain"}))
}

// stored returns the reading with the values that a secret store has returned. A value that was a guess before is now
// a secret.
//
// printed says that a program printed the values. It prints names beside the secrets, so that only what looks random
// is one.
func (r Reading) stored(printed bool) Reading {
	r.Found = slices.Clip(r.Found)
	if slices.ContainsFunc(r.Doc.Flags, func(f text.Part) bool { return r.Doc.Field(f) == "isError" }) {
		return r
	}
	for i, part := range r.Doc.Parts {
		if len(r.Found) >= mostKept || part.Kind == text.Key || part.Opened() {
			continue
		}
		field := strings.ToLower(r.Doc.Field(part))
		if words := classify.Tokens(field); len(words) > 0 && slices.Contains(labelWords, words[len(words)-1]) {
			continue
		}
		if r.Doc.Field(part) == "type" || r.Doc.Field(part) == "mimeType" {
			continue
		}
		start := 0
		for line := range strings.Lines(part.Text) {
			f, ok := storedLine(r.Doc, i, start, strings.TrimRight(line, "\r\n"))
			if ok && (!printed || isRandom(f.Value)) {
				r.Found = withStored(r.Found, f)
			}
			start += len(line)
		}
	}
	return r
}

// withStored adds a value of a store to findings, in place of the findings that overlap it. It leaves findings
// unchanged if one of the overlapping ones is sensitive.
func withStored(found []detect.Finding, f detect.Finding) []detect.Finding {
	span := f.Spans[0]
	over := func(o detect.Finding) bool {
		return o.Spans[0].Part == span.Part && o.Spans[0].Start < span.End && span.Start < o.Spans[0].End
	}
	if slices.ContainsFunc(found, func(o detect.Finding) bool { return over(o) && o.Signal().Sensitive() }) {
		return found
	}
	return append(slices.DeleteFunc(slices.Clone(found), over), f)
}

// leastRandom is the minimum length, in bytes, of a value that looks random.
const leastRandom = 8

// isRandom reports whether a value can be a key or a piece of one: it is no address, and mixes letters and digits.
func isRandom(s string) bool {
	letters, digits := 0, 0
	for _, c := range s {
		switch {
		case unicode.IsDigit(c):
			digits++
		case unicode.IsLetter(c):
			letters++
		}
	}
	return len(s) >= leastRandom && digits > 1 && letters > digits/2 && !strings.Contains(s, "://") &&
		!strings.ContainsAny(s, " @")
}

// storedLine returns the value in a line: the whole line, or the part after its name.
func storedLine(doc *text.Document, part, start int, line string) (f detect.Finding, ok bool) {
	value := line
	if i := strings.IndexAny(line, ":="); i > 0 && !strings.ContainsAny(line[:i], " \t/") && !strings.HasPrefix(line[i:], "://") {
		if words := classify.Tokens(line[:i]); len(words) > 0 && slices.Contains(labelWords, words[len(words)-1]) {
			return f, false
		}
		value = line[i+1:]
	}
	trimmed := strings.Trim(value, " \t\"'")
	if len(trimmed) < minStored || len(trimmed) > maxStored || strings.ContainsFunc(trimmed, unicode.IsSpace) {
		return f, false
	}
	start += len(line) - len(value) + strings.Index(value, trimmed)
	span := text.Span{Part: part, Start: start, End: start + len(trimmed)}
	return detect.Finding{
		Rule:       storedRule,
		Value:      trimmed,
		Spans:      []text.Span{span},
		Path:       doc.Path(doc.Parts[part]),
		Severity:   storedRule.Severity,
		Confidence: storedRule.Confidence,
	}, true
}
