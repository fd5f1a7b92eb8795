package mcpproxy

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// The limits of the sentences that [Facts.InWords] returns.
const (
	mostInWords = 3   // how many destinations, secrets or copied values are listed
	longestWord = 100 // the length of a listed value, in characters
)

// InWords returns the facts in sentences for the agent's user, one fact a sentence: what the call
// does and whether the user asked for it, where it goes, who can see what it writes, which text
// it was copied from, and which secrets it carries. Unknown facts are left out.
//
// The sentences contain values of the call. A value that could be mistaken for part of the
// sentence is quoted. The caller must escape characters that a terminal does not show.
func (f *Facts) InWords() []string {
	var out []string
	acts := !f.Effect.Harmless()
	if acts {
		out = append(out, f.askedFor())
	}
	for i := range f.Destinations {
		if i == mostInWords {
			out = append(out, fmt.Sprintf("Goes to: %d more.", len(f.Destinations)-i))
			break
		}
		out = append(out, "Goes to: "+f.Destinations[i].inWords()+".")
	}
	if acts && f.Audience != "" {
		out = append(out, f.seenBy())
	}
	if s := f.Dictation.inWords(); s != "" && acts {
		out = append(out, s)
	}
	for i := range f.Secrets {
		if i == mostInWords {
			out = append(out, fmt.Sprintf("Carries %d more secrets.", len(f.Secrets)-i))
			break
		}
		out = append(out, f.Secrets[i].inWords())
	}
	return out
}

// askedFor returns a sentence that says what the call does and whether the user asked for it.
func (f *Facts) askedFor() string {
	does := string(f.Effect)
	switch f.Wish {
	case WishYes:
		return "You asked for: " + does + "."
	case WishGeneral:
		return "You asked for a result that may need: " + does + "."
	case WishNo:
		return "You did not ask for: " + does + "."
	case WishUnknown:
		return "It does: " + does + ". Your words were not understood."
	case WishUnheard:
		return "It does: " + does + ". No words of yours were seen."
	}
	return "It does: " + does + "."
}

// inWords returns the destination with its kind and with who named it.
func (d *Destination) inWords() string {
	s := quotable(d.Value)
	if !obvious(d.Kind) {
		s = quotable(d.Kind) + " " + s
	}
	if d.Home {
		s += " of your own organisation"
	}
	return s + ", " + d.namedBy()
}

// obvious reports whether a reader recognises values of this kind of destination without being told the kind.
func obvious(kind string) bool {
	return kind == "" || kind == "email" || kind == "url" || kind == "host" || kind == "argument"
}

// namedBy says who named a destination.
func (d *Destination) namedBy() string {
	of := ""
	if d.From != nil && d.From.CallID != "" {
		of = d.From.result()
	}
	switch d.Source {
	case FromUser:
		return "named by you"
	case FromInternal:
		return "named by a trusted result" + of
	case FromUntrusted:
		return "named by a result" + of + " that strangers may have written"
	case FromInjected:
		return "named by an instruction hidden in a result" + of
	}
	return "not seen before"
}

// result identifies the origin's result, in words that follow "a result".
func (o *Origin) result() string {
	return " of " + quotable(ToolName(o.Server, o.Tool)) + " (call " + quotable(o.CallID) + ")"
}

// seenBy returns a sentence that says who can see what the call writes.
func (f *Facts) seenBy() string {
	switch f.Audience {
	case AudienceSelf:
		return "Seen by: you alone."
	case AudienceHome:
		return "Seen by: your own organisation."
	case AudienceNamed:
		return "Seen by: " + f.thoseNamed() + "."
	case AudiencePublic:
		return "Seen by: everybody."
	}
	return "Who can see it is not known."
}

// thoseNamed describes the readers that the arguments name.
func (f *Facts) thoseNamed() string {
	var kinds []string
	for _, d := range f.Destinations {
		if d.Kind != "argument" { // the kind "argument" says only that a result contained the value
			kinds = append(kinds, d.Kind)
		}
	}
	if len(kinds) != 1 {
		return "those it goes to"
	}
	switch kinds[0] {
	case "email":
		return "that address"
	case "url", "host":
		return "that host"
	case "account":
		return "whoever holds that account"
	case "channel":
		return "those in that channel"
	}
	return "the one it goes to"
}

// inWords returns a sentence that says which text the call was copied from. It returns "" if d is nil or if the
// values come only from fields that a system filled in.
func (d *Dictation) inWords() string {
	if d == nil || d.From.CallID == "" || d.Field {
		return ""
	}
	s := "Copied from a result" + d.From.result() + ": "
	var values []string
	for i, v := range d.Values {
		if i == mostInWords {
			values = append(values, fmt.Sprintf("%d more", len(d.Values)-i))
			break
		}
		values = append(values, quotable(v))
	}
	if len(values) > 0 {
		s += strings.Join(values, ", ") + "; "
	}
	s += fmt.Sprintf("%.0f %% of the words that are not yours.", 100*d.Share)
	if d.Delegated {
		s += " You asked to do what that text says."
	}
	if d.Vouched {
		s += " You said that it is approved."
	}
	return s
}

// inWords says what a secret is, where it goes and whom it is meant for.
func (s *Secret) inWords() string {
	out := "Carries a secret: " + quotable(s.Kind)
	if s.Evidence != "" {
		out += " " + quotable(s.Evidence)
	}
	if s.Path != "" {
		out += " at " + quotable(s.Path)
	}
	out += "; " + s.Audience.inWords()
	if len(s.To) > 0 {
		out += " (" + quotedList(s.To) + ")"
	}
	if len(s.Home) > 0 {
		out += "; it is for " + quotedList(s.Home)
	}
	return out + "."
}

// inWords says where a secret goes.
func (a SecretAudience) inWords() string {
	switch a {
	case SecretSelf:
		return "it stays on this machine or with you"
	case SecretStore:
		return "it goes into a store of secrets"
	case SecretProvider:
		return "it goes to the provider that issued it"
	case SecretBound:
		return "it goes to a host with which it was found"
	}
	return "it goes outside its own audience"
}

// quotedList returns values as a list for a sentence.
func quotedList(values []string) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = quotable(v)
	}
	return strings.Join(out, ", ")
}

// quotable returns s for use in a sentence. It quotes s if a reader could mistake s for part of the sentence.
func quotable(s string) string {
	if runes := []rune(s); len(runes) > longestWord {
		s = string(runes[:longestWord-1]) + "…"
	}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("@.:/_+-*#$[]&=?%~…•", r) {
			return strconv.Quote(s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}
