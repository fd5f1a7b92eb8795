package flow

import (
	"slices"
	"strings"
	"unicode"

	"mcpproxy/internal/text"
)

// The kinds of recipient.
const (
	kindEmail   = "email"
	kindURL     = "url"
	kindHost    = "host"
	kindPhone   = "phone"
	kindAccount = "account"
	kindChannel = "channel"
	kindName    = "name"
	kindBucket  = "bucket"
	// kindArgument is any other value: it is looked for in instructions only.
	kindArgument = "argument"
)

const (
	maxRecipients = 500 // of one call
	maxRecipient  = 200 // bytes of a value that can name somebody
)

// recipient is a value that says where something goes or whom it concerns.
type recipient struct {
	value string
	kind  string
	part  int    // index into Document.Parts; -1 when path says where it stands
	path  string // JSON path
}

// recipientsOf are the recipients that a call names, and its other values, which
// are not recipients but may have been dictated. Where parameters say who receives, an
// address in another text is content; where none does and the call can reach
// outside, it is the recipient.
func recipientsOf(p Transfer) (to, rest []recipient) {
	for _, d := range p.Recipients {
		to = append(to, recipient{d.Value, d.Kind, -1, d.Path})
	}
	for i, part := range p.Doc.Parts {
		if part.Kind == text.Key || len(to) >= maxRecipients {
			continue
		}
		name := p.Doc.Name(part)
		if isPhone(name, part.Text) {
			to = append(to, recipient{strings.TrimSpace(part.Text), kindPhone, i, ""})
		} else if kind := kindOf(name); kind != "" {
			to = append(to, pointed(part.Text, kind, i)...)
		} else if len(part.Text) <= maxRecipient && identifies(name, part.Text) {
			rest = append(rest, recipient{part.Text, kindArgument, i, ""})
		}
	}
	to = numbered(to)
	inside := written(p.Doc)
	if len(to) == 0 && p.Class.Leaves() && len(inside) < manyAddresses {
		return inside, rest
	}
	return to, append(rest, inside...)
}

// manyAddresses is how many addresses in the texts of a call make them data rather than its recipients.
const manyAddresses = 6

// isPhone reports whether a parameter that may hold any number holds that of a telephone.
func isPhone(name, value string) bool {
	switch strings.ToLower(name) {
	case "number", "numero", "número", "nummer", "numer", "numéro":
		return dialled(strings.TrimSpace(value))
	}
	return false
}

// dialled reports whether a value is a telephone number with its country (ITU-T E.164).
func dialled(value string) bool {
	return strings.HasPrefix(value, "+") && countDigits(value) >= minPhone && len(value) <= maxPhone &&
		strings.Trim(value, "+0123456789 -./()") == ""
}

// The digits of the shortest telephone number with its country, and the longest spelling of one.
const (
	minPhone = 8
	maxPhone = 24
)

// numbered are recipients without the names of accounts that stand beside their numbers: the
// number decides where money goes.
func numbered(all []recipient) []recipient {
	isNumber := func(r recipient) bool { return r.kind == kindAccount && countDigits(r.value) >= minAccount }
	if !slices.ContainsFunc(all, isNumber) {
		return all
	}
	return slices.DeleteFunc(all, func(r recipient) bool { return r.kind == kindAccount && countDigits(r.value) == 0 })
}

// minAccount is how many digits the number of an account has at least.
const minAccount = 6

// written are the addresses in all texts of a document.
func written(doc *text.Document) []recipient {
	var out []recipient
	for _, v := range doc.Views() {
		for a := range sureAddresses(v.Text) { // a host may be the name of a file
			if out = append(out, recipient{a.text, a.kind, v.Part, ""}); len(out) == maxRecipients {
				return out
			}
		}
	}
	return out
}

// pointed are the recipients in the value of a parameter that names some: the
// addresses in it, such as those of "Ann <ann@example.com>, Bob <bob@example.com>",
// or else the value as it stands.
func pointed(value, kind string, part int) []recipient {
	var out []recipient
	for a := range addresses(value) {
		if a.kind == kindHost && kind != kindURL && kind != kindHost && kind != kindAddress {
			continue // john.smith
		}
		out = append(out, recipient{a.text, a.kind, part, ""})
		if len(out) == maxRecipients {
			return out
		}
	}
	if len(out) > 0 || kind == kindAddress {
		return out
	}
	for _, one := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
		if one = strings.TrimSpace(one); one != "" && len(one) <= maxRecipient && len(out) < maxRecipients {
			out = append(out, recipient{one, kindFor(one, kind), part, ""})
		}
	}
	return out
}

// kindFor is what a value is that stands where kind is expected.
func kindFor(value, kind string) string {
	switch kind {
	case kindURL, kindHost:
		if _, ok := hostOf(value); !ok {
			return kindName
		}
	case kindEmail:
		if dialled(value) {
			return kindPhone
		}
		return kindName // what looks like an address was found before
	case kindName, kindChannel:
		if dialled(value) {
			return kindPhone
		}
	}
	return kind
}

// parameters says what a parameter names, by the last word of its name.
var parameters = map[string]string{
	"to":           kindEmail,
	"recipient":    kindEmail,
	"recipients":   kindEmail,
	"cc":           kindEmail,
	"bcc":          kindEmail,
	"participant":  kindEmail,
	"participants": kindEmail,
	"attendee":     kindEmail,
	"attendees":    kindEmail,
	"invitee":      kindEmail,
	"invitees":     kindEmail,
	"guest":        kindEmail,
	"guests":       kindEmail,
	"email":        kindEmail,
	"emails":       kindEmail,
	"mail":         kindEmail,
	"user":         kindName,
	"users":        kindName,
	"username":     kindName,
	"member":       kindName,
	"members":      kindName,
	"assignee":     kindName,
	"assignees":    kindName,
	"reviewer":     kindName,
	"reviewers":    kindName,
	"owner":        kindName,
	"repo":         kindName,
	"repository":   kindName,
	"organization": kindName,
	"channel":      kindChannel,
	"channels":     kindChannel,
	"chat":         kindChannel,
	"room":         kindChannel,
	"conversation": kindChannel,
	"url":          kindURL,
	"urls":         kindURL,
	"uri":          kindURL,
	"endpoint":     kindURL,
	"webhook":      kindURL,
	"callback":     kindURL,
	"link":         kindURL,
	"href":         kindURL,
	"site":         kindURL,
	"website":      kindURL,
	"remote":       kindURL,
	"host":         kindHost,
	"hostname":     kindHost,
	"domain":       kindHost,
	"server":       kindHost,
	"phone":        kindPhone,
	"mobile":       kindPhone,
	"msisdn":       kindPhone,
	"tel":          kindPhone,
	"account":      kindAccount,
	"iban":         kindAccount,
	"payee":        kindAccount,
	"beneficiary":  kindAccount,
	"wallet":       kindAccount,
	"address":      kindAddress,
	"addresses":    kindAddress,
	"destination":  kindAddress,
	"target":       kindAddress,
}

// kindAddress is the kind of parameters that name something else as often as a
// recipient: a street, a folder. Only what looks like an address counts there.
const kindAddress = "address"

// addressed are the words after which "id" or "name" still means the recipient.
var addressed = map[string]bool{
	"to":           true,
	"cc":           true,
	"bcc":          true,
	"user":         true,
	"channel":      true,
	"chat":         true,
	"room":         true,
	"conversation": true,
	"recipient":    true,
	"member":       true,
	"account":      true,
	"phone":        true,
	"owner":        true,
	"repo":         true,
	"repository":   true,
	"host":         true,
	"domain":       true,
}

// kindOf is the kind of recipient that a parameter names; "" when it names none.
// The name may begin with that of the object around it.
func kindOf(parameter string) string {
	words := nameWords(parameter)
	n := len(words)
	if n == 0 {
		return ""
	}
	switch last := words[n-1]; last {
	case "id", "ids", "name", "names", "number", "value", "address", "addresses":
		if n > 1 && (addressed[words[n-2]] || words[n-2] == "email" && last != "id" && last != "ids") {
			return parameters[words[n-2]]
		}
	}
	if n > 1 && (words[n-2] == "from" || words[n-2] == "sender") {
		return "" // where something comes from
	}
	return parameters[words[n-1]]
}

// identifies reports whether a value can name one thing among many: a name, an
// id, a date, a line of text.
func identifies(field, s string) bool {
	words := nameWords(field)
	if n := len(words); n > 0 && (words[n-1] == "id" || words[n-1] == "ids") {
		return s != ""
	}
	return len(spelled(s)) >= minDictated
}

// minDictated is the number of letters and digits from which a value that an
// instruction spells was hardly chosen by chance.
const minDictated = 8

// nameWords splits the name of a parameter or a member into lower-case words.
func nameWords(name string) []string {
	var words []string
	start, previous := 0, ' '
	add := func(end int) {
		if start < end {
			if words == nil {
				words = make([]string, 0, 4) // as many as most names have
			}
			words = append(words, strings.ToLower(name[start:end]))
		}
	}
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			add(i)
			start = i + len(string(r))
		case unicode.IsUpper(r) && unicode.IsLower(previous):
			add(i)
			start = i
		}
		previous = r
	}
	add(len(name))
	return words
}
