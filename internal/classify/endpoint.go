package classify

import (
	"slices"
	"strings"

	"mcpproxy/internal/locate"
	"mcpproxy/internal/text"
)

// Words in names of parameters whose URL receives data, and names of parameters that hold the body of a request.
var (
	toldWords = words(
		"webhook webhooks callback callbacks notify notification notifications hook hooks sink exfil forward forwarding report upload postback",
	)
	bodyWords = words(
		"body payload data form form_data formdata request_body requestbody post_data postdata attachment attachments",
	)
)

// url records p if its value is a URL of an outside host. It ignores a URL within a longer text and a URL that is the
// body of a request.
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
	if len(a.External) == maxReasons { // a URL that receives data replaces one that does not
		a.External[maxReasons-1] = e
		return
	}
	a.External = append(a.External, e)
}

// undeclared reports whether p belongs to a parameter that the tool's schema does not declare. It returns false if
// the schema is unknown, declares no parameters or is open.
func (s *Subject) undeclared(doc *text.Document, p text.Part) bool {
	if !s.described || len(s.params) == 0 || openSchema(s.def) {
		return false
	}
	members := doc.Members(p)
	return len(members) > 0 && !slices.Contains(s.params, members[0])
}

// hands sets Carries for the outside URLs to which the call sends data, by a writing method or by a body.
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

// body returns a description of the request's body if p belongs to the body, else "". A member that contains the URL
// is not a body, whatever its name is.
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
