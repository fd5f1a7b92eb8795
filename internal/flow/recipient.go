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
	// kindRepository is a git repository: its host and path.
	kindRepository = "repository"
	// kindArgument is any other value. It is only compared with instructions.
	kindArgument = "argument"
)

const (
	maxRecipients = 500 // of one call
	maxRecipient  = 200 // bytes of a value that can name a recipient
)

// recipient is a value that says where a call goes or whom it concerns.
type recipient struct {
	value string
	kind  string
	part  int    // index into Document.Parts, or -1 if path has the position
	path  string // JSON path
}

// recipientsOf returns the recipients that a call names, and its other values, which may be copied from an
// instruction. If a parameter names the receivers, an address in another text is content. If no parameter names them
// and the call can reach outside, an address in a text is a recipient.
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
		} else if len(part.Text) <= maxRecipient && identifies(name, part.Text) && !slices.Contains(replaced, name) {
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

// replaced are the arguments of an edit that repeat what a file contains.
var replaced = []string{"old_string", "old_str", "oldText", "old_text"}

// manyAddresses is the number of addresses from which the addresses in a call's texts are data rather than recipients.
const manyAddresses = 6

// isPhone reports whether a value of a parameter for numbers is a telephone number.
func isPhone(name, value string) bool {
	switch strings.ToLower(name) {
	case "number", "numero", "número", "nummer", "numer", "numéro":
		return dialled(strings.TrimSpace(value))
	}
	return false
}

// dialled reports whether a value is a telephone number with a country code (ITU-T E.164).
func dialled(value string) bool {
	return strings.HasPrefix(value, "+") && countDigits(value) >= minPhone && len(value) <= maxPhone &&
		strings.Trim(value, "+0123456789 -./()") == ""
}

// The minimum number of digits of a telephone number with a country code, and the maximum length of its spelling.
const (
	minPhone = 8
	maxPhone = 24
)

// numbered returns the recipients without the names of accounts whose number is also given. The number decides where
// money goes.
func numbered(all []recipient) []recipient {
	isNumber := func(r recipient) bool { return r.kind == kindAccount && countDigits(r.value) >= minAccount }
	if !slices.ContainsFunc(all, isNumber) {
		return all
	}
	return slices.DeleteFunc(all, func(r recipient) bool { return r.kind == kindAccount && countDigits(r.value) == 0 })
}

// minAccount is the minimum number of digits of an account number.
const minAccount = 6

// written returns the addresses in all texts of a document.
func written(doc *text.Document) []recipient {
	var out []recipient
	for _, v := range doc.Views() {
		for a := range sureAddresses(v.Text) { // a word with a dot may be the name of a file
			if out = append(out, recipient{a.text, a.kind, v.Part, ""}); len(out) == maxRecipients {
				return out
			}
		}
	}
	return out
}

// pointed returns the recipients in the value of a parameter for recipients. They are its addresses, as in "Ann
// <ann@example.com>, Bob <bob@example.com>", or the value itself if it contains no address.
func pointed(value, kind string, part int) []recipient {
	var out []recipient
	for a := range addresses(value) {
		if a.kind == kindHost && kind != kindURL && kind != kindHost && kind != kindAddress {
			continue // a name such as john.smith
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

// kindFor returns the kind of a value in a parameter for the given kind.
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
		return kindName // a value with the form of an address was found earlier
	case kindName, kindChannel:
		if dialled(value) {
			return kindPhone
		}
	}
	return kind
}

// parameters maps the last word of a parameter's name to the kind of recipient in its value.
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

// kindAddress is the kind of parameters that hold either a recipient or something else, such as a street or a folder.
// A value counts only if it has the form of an address.
const kindAddress = "address"

// addressed lists the words after which "id" or "name" still means a recipient.
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

// kindOf returns the kind of recipient in the values of a parameter, or "". The name of the parameter may begin with
// the name of the object around it.
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
		return "" // a source, not a destination
	}
	return parameters[words[n-1]]
}

// identifies reports whether a value can identify one thing among many, as a name, an id, a date or a line of text
// can.
func identifies(field, s string) bool {
	words := nameWords(field)
	if n := len(words); n > 0 && (words[n-1] == "id" || words[n-1] == "ids") {
		return s != ""
	}
	return len(spelled(s)) >= minDictated
}

// minDictated is the minimum number of letters and digits of a value that an instruction hardly contains by chance.
const minDictated = 8

// nameWords splits the name of a parameter or a member into lower-case words.
func nameWords(name string) []string {
	var words []string
	start, previous := 0, ' '
	add := func(end int) {
		if start < end {
			if words == nil {
				words = make([]string, 0, 4) // most names have at most four
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
