package flow

import (
	"iter"
	"strings"
)

// name is one form in which a text can name a recipient. space is its name space.
type name struct {
	space byte
	value string
}

// key returns the key under which n is stored.
func (n name) key() key { return keyOf(n.space, n.value) }

// letters returns the key under which n is stored if an instruction contains it. Hosts have a separate name space,
// because the words "google com" are part of docs.google.com.
func (n name) letters() key {
	if n.space == inHosts {
		return keyOf(inSpelledHosts, spelled(n.value))
	}
	return keyOf(inWords, spelled(n.value))
}

// maxSteps is the maximum number of path segments of a URL that are compared.
const maxSteps = 8

// names yields the forms in which a text can name a recipient, the most exact first. For a URL these are its
// prefixes, and for a host its parent domains.
func names(r recipient) iter.Seq[name] {
	return func(yield func(name) bool) {
		switch r.kind {
		case kindURL, kindHost:
			urlNames(r.value, yield)
		case kindEmail:
			yield(name{inMails, strings.ToLower(r.value)})
		case kindPhone, kindAccount:
			_ = yield(name{inDigits, spelled(r.value)}) && yield(name{inNames, nameForm(r.value)})
		case kindRepository:
			// People name a repository at GitHub by its path alone.
			path, known := strings.CutPrefix(r.value, "github.com/")
			if !known || yield(name{inNames, nameForm(path)}) {
				urlNames(r.value, yield)
			}
		case kindBucket:
			_, bare, _ := strings.Cut(r.value, "://")
			_ = yield(name{inNames, nameForm(r.value)}) && yield(name{inNames, nameForm(bare)}) &&
				yield(name{inHosts, strings.ToLower(bare)}) // as in the URL of an object
		default:
			yield(name{inNames, nameForm(r.value)})
		}
	}
}

func urlNames(url string, yield func(name) bool) {
	host, path := splitURL(url)
	steps := steps(path)
	for n := len(steps); n > 0; n-- {
		s := host + "/" + strings.Join(steps[:n], "/")
		if !yield(name{inHosts, s}) {
			return
		}
	}
	for {
		if !yield(name{inHosts, host}) {
			return
		}
		_, parent, _ := strings.Cut(host, ".")
		if !strings.Contains(parent, ".") || isIP(host) {
			return
		}
		host = parent
	}
}

// steps returns the segments of a URL's path.
func steps(path string) []string {
	all := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	return all[:min(len(all), maxSteps)]
}

// nameForm returns a name in lower case and without marks such as # or @. Characters that look alike stay different.
func nameForm(s string) string {
	return strings.Join(strings.Fields(strings.ToLower(strings.Trim(s, "#@\"'` "))), " ")
}

// names returns the names under which an address is stored. For a URL these are its host and each prefix of its path.
func (a address) names() []name {
	if a.kind == kindEmail {
		return []name{{inMails, strings.ToLower(a.text)}}
	}
	host, path := splitURL(a.text)
	out := []name{{inHosts, host}}
	for n, steps := 1, steps(path); n <= len(steps); n++ {
		out = append(out, name{inHosts, host + "/" + strings.Join(steps[:n], "/")})
	}
	return out
}
