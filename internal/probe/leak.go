package probe

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/text"
)

const helpLeak = "Tell the caller only what it can correct, and keep the rest in the server's own log: no stack trace, no path, no address, no message of a database driver. Catch the exceptions of tools, and write a new error message."

// leakDetail is one piece of information that an error revealed.
type leakDetail struct {
	Kind     string `json:"kind"`
	After    string `json:"after"` // the request before the error
	Evidence string `json:"evidence"`
}

// leak is a kind of information that an error must not reveal.
type leak struct {
	kind    string
	group   bool // the evidence is the first group, not the whole match
	pattern func() *regexp.Regexp
}

var leaks = []leak{
	{
		"a stack trace",
		false,
		lazyregexp.New(
			`(?m)^\s*at [^\n]+[:(][^\n]*:\d+(:\d+)?\)?\s*$|Traceback \(most recent call last\)|^\s*File "[^"\n]+", line \d+|goroutine \d+ \[|\.go:\d+ \+0x|\bat [\w.$]+\(\w+\.java:\d+\)|^\s*at \w[\w.]+\([^)\n]*\) in `,
		),
	},
	{
		"a path of the server",
		true,
		lazyregexp.New(
			`(?:^|[\s"'` + "`" + `(=\[,]|file://)((?:/(?:home|Users|root|usr|opt|var|tmp|app|srv|etc|mnt|data|private|workspace|proc|work|builds?)/[^\s"'` + "`" + `<>|:,;)\]]+)|(?:[A-Za-z]:\\[^\s"'<>|:,;)]+))`,
		),
	},
	{
		"an internal address",
		true,
		lazyregexp.New(
			`\b((?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}(?::\d+)?|127\.0\.0\.1:\d+|\[?::1\]?:\d+)\b`,
		),
	},
	{
		"a database's own message",
		false,
		lazyregexp.New(
			`SQLSTATE\b|\bORA-\d{5}|psycopg2?\.|org\.postgresql|java\.sql\.|System\.Data\.|You have an error in your SQL syntax|PG::\w+Error|mysqli?_`,
		),
	},
}

// testLeak provokes errors and checks them and all other errors of the run.
func testLeak(r *runner, out *Result) {
	r.provoke()
	if r.options.DryRun {
		return
	}
	var details []leakDetail
	for _, e := range r.errors {
		for _, found := range leaked(e) {
			if r.own(found.Evidence) || len(details) >= maxNotes || holds(details, found) {
				continue
			}
			details = append(details, found)
			out.fail(fmt.Sprintf("the error after %s reveals %s: %q", found.After, found.Kind, found.Evidence))
			if out.ErrorMessage == "" {
				out.ErrorMessage = shown(e.text)
			}
		}
	}
	out.Details = details
	if len(r.errors) == 0 {
		out.note("the server gave no error at all")
	}
}

// holds reports whether evidence of that kind was seen.
func holds(all []leakDetail, d leakDetail) bool {
	for _, one := range all {
		if one.Kind == d.Kind && one.Evidence == d.Evidence {
			return true
		}
	}
	return false
}

// own reports whether evidence is part of the address by which the probe called the server.
func (r *runner) own(evidence string) bool {
	return r.target.URL != "" && strings.Contains(r.target.URL, evidence)
}

// provoke sends requests that must be answered with errors.
func (r *runner) provoke() {
	r.call("probe_undeclared_"+r.mark(), json.RawMessage("{}"))
	r.request("probe/unknown", struct{}{})
	r.request("tools/call", struct{}{})
	r.request("resources/read", map[string]any{"uri": "probe://undeclared/" + r.mark()})
	r.request("prompts/get", map[string]any{"name": "probe_undeclared_" + r.mark()})
	for _, t := range r.callable(maxRetried) {
		s := schemaOf(t.schema)
		r.call(t.name, json.RawMessage(`{}`))
		wrong := map[string]any{}
		for _, name := range s.required() {
			wrong[name] = map[string]any{"probe": r.mark()}
		}
		args, _ := json.Marshal(wrong) // cannot fail: made of JSON
		r.call(t.name, args)
		if carrier := s.carrier(); carrier != "" {
			args, _ = json.Marshal(s.arguments(map[string]any{carrier: "probe/" + r.mark() + "/\x00"}))
			r.call(t.name, args)
		}
	}
	r.frame("text that is not JSON", []byte("this is not JSON"), nil, nil)
}

// leaked returns what an error reveals, except text that the request itself contained.
func leaked(e seenError) []leakDetail {
	var out []leakDetail
	sent := strings.ReplaceAll(e.sent, `\\`, `\`)
	add := func(kind, evidence string) {
		evidence = strings.TrimSpace(evidence)
		if evidence != "" && !strings.Contains(sent, strings.TrimRight(evidence, "/.")) {
			out = append(out, leakDetail{kind, e.after, shown(evidence)})
		}
	}
	for _, l := range leaks {
		for _, m := range l.pattern().FindAllStringSubmatch(e.text, 3) {
			evidence := m[0]
			if l.group {
				evidence = m[1]
			}
			add(l.kind, evidence)
		}
	}
	found, _ := secretsIn(e.text) // unreadable text is not shown either
	for _, f := range found {
		if !f.Rule.Personal() && f.Hides() && !strings.Contains(sent, f.Value) {
			out = append(out, leakDetail{"a secret", e.after, detect.Masked(f.Rule.ID, f.Value)})
		}
	}
	return out
}

var secrets = sync.OnceValue(func() *detect.Detector { return detect.New(detect.Rules()) })

// secretsIn returns the secrets in a text. An error means that the text was not checked.
func secretsIn(s string) ([]detect.Finding, error) {
	doc, err := text.Parse(text.Quote(strings.ToValidUTF8(s, "\uFFFD")), "text")
	if err != nil {
		return nil, err
	}
	return secrets().Find(doc)
}

// masked returns a text with its secrets masked. Text that cannot be checked is not shown.
func masked(s string) string {
	found, err := secretsIn(s)
	if err != nil {
		return "(not shown: it could not be searched for secrets)"
	}
	return detect.MaskText(s, slices.DeleteFunc(found, func(f detect.Finding) bool { return !f.Hides() }))
}
