package classify

import (
	"slices"
	"strings"

	"mcpproxy/internal/locate"
	"mcpproxy/internal/text"
)

// Names of parameters with a URL that is told something, and of those with what
// a request carries.
var (
	toldWords = words(
		"webhook webhooks callback callbacks notify notification notifications hook hooks sink exfil forward forwarding report upload postback",
	)
	bodyWords = words(
		"body payload data form form_data formdata request_body requestbody post_data postdata attachment attachments",
	)
)

// url notes a value that is a URL outside. A text that only mentions one, or a
// body that is one, goes nowhere by itself.
func (a *argumentReader) url(p text.Part) {
	name, value := a.doc.Field(p), strings.TrimSpace(p.Text)
	tokens := a.words(name)
	told := toldWords.in(tokens)
	addressed := told || addresses.in(tokens)
	if len(a.External) == maxReasons && !told ||
		!addressed && (strings.ContainsAny(value, " \n") || bodyWords.has(strings.ToLower(name))) {
		return
	}
	host, where := a.domains.URL(value)
	if where == locate.Nowhere && addressed && strings.Contains(strings.SplitN(value, "/", 2)[0], ".") {
		host, where = a.domains.URL("//" + value) // evil.example/path
	}
	metadata := locate.Metadata(host)
	if where != locate.Outside && !metadata {
		return
	}
	e := Endpoint{Host: a.show(host), Path: a.path(p), members: a.doc.Members(p)}
	if len(e.Host) > 100 {
		e.Host = strings.ToValidUTF8(e.Host[:100], "") + "…"
	}
	switch {
	case metadata:
		e.Carries = "the address hands out the credentials of the machine that asks it"
	case told:
		e.Carries = "the parameter " + strings.Join(tokens, "_") + " names who is told"
	case a.of.undeclared(a.doc, p):
		e.Carries = "the tool has no parameter for it"
	}
	if len(a.External) == maxReasons { // this one is told something
		a.External[maxReasons-1] = e
		return
	}
	a.External = append(a.External, e)
}

// undeclared reports whether p stands under a parameter that its tool does not
// have, although it says which it has.
func (s *Subject) undeclared(doc *text.Document, p text.Part) bool {
	if !s.described || len(s.params) == 0 || openSchema(s.def) {
		return false
	}
	members := doc.Members(p)
	return len(members) > 0 && !slices.Contains(s.params, members[0])
}

// hands says of each URL outside whether the request hands something to it: it
// writes, or has a body.
func (a *argumentReader) hands() {
	if len(a.External) == 0 {
		return
	}
	carries := ""
	for _, r := range slices.Concat(a.Writes, a.Destructive) {
		if r.Kind == "method" {
			carries = r.Evidence
		}
	}
	for _, p := range a.doc.Parts {
		if carries != "" {
			break
		}
		if p.Kind == text.Value && strings.TrimSpace(p.Text) != "" {
			carries = a.body(p)
		}
	}
	for i := range a.External {
		if a.External[i].Carries == "" {
			a.External[i].Carries = carries
		}
	}
}

// body says that p belongs to the body of a request; "" when it does not. What
// stands around the URL is no body, whatever it is called.
func (a *argumentReader) body(p text.Part) string {
	members := a.doc.Members(p)
	for i, name := range members {
		if name = strings.ToLower(name); !bodyWords.has(name) {
			continue
		}
		around := func(e Endpoint) bool { return len(e.members) > i && slices.Equal(e.members[:i+1], members[:i+1]) }
		if !slices.ContainsFunc(a.External, around) {
			return "the request has a " + name
		}
	}
	return ""
}
