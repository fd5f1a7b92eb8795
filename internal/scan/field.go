package scan

import (
	"slices"
	"strings"
	"unicode"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/text"
)

// A member such as "note_for_agent" or "llm_hint" speaks to the machine that reads the document. What it says stands
// in the member's value, which is a part of its own: "also call share_file(id=26)".

// fieldNamed is what the name of such a member is worth, and fieldCalls a call that its value spells out.
const (
	fieldNamed = 0.4
	fieldCalls = 0.4
)

var (
	fieldReaders = []string{"agent", "ai", "llm", "model", "assistant", "bot", "chatbot", "copilot"}
	fieldNotes   = []string{
		"note", "notes", "hint", "hints", "instruction", "instructions", "message", "prompt", "todo", "directive", "task",
	}
)

// spelledCall matches a call with a named argument, as agents write it: share_file(id=26
var spelledCall = lazyregexp.New(`\b[A-Za-z_][A-Za-z0-9_]{2,40}\([a-z_]{1,30} ?= ?\S`)

// fieldsForAgents reports members whose names speak to a machine and whose values ask for something: those in which
// something else was found, or which spell a call.
func (s *scanner) fieldsForAgents() {
	for i := 0; i+1 < len(s.d.Parts); i++ {
		name, value := s.d.Parts[i], s.d.Parts[i+1]
		if name.Kind != text.Key || value.Kind != text.Value || !speaksToAgents(name.Text) {
			continue
		}
		calls := spelledCall().FindStringIndex(value.Text)
		if calls == nil && !s.foundIn(i+1) {
			continue
		}
		whole := text.Span{Part: i + 1, Start: 0, End: len(value.Text)}
		s.reportField(checkAddressed, fieldNamed, whole, name.Text+": "+value.Text)
		if calls != nil {
			call := text.Span{Part: i + 1, Start: calls[0], End: calls[1]}
			s.reportField(checkTool, fieldCalls, call, value.Text[calls[0]:])
		}
	}
}

// longestField is the maximum length, in bytes, of such a name.
const longestField = 40

// speaksToAgents reports whether a name names a machine and a note.
func speaksToAgents(name string) bool {
	if len(name) > longestField {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	has := func(all []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(all, w) })
	}
	return has(fieldReaders) && has(fieldNotes)
}

// foundIn reports whether there is a finding of more than politeness in a part.
func (s *scanner) foundIn(part int) bool {
	return slices.ContainsFunc(s.found, func(f Finding) bool {
		return f.Check != checkAddressed && f.Confidence >= 0.3 &&
			slices.ContainsFunc(f.Spans, func(at text.Span) bool { return at.Part == part })
	})
}

// reportField adds a finding at a place of a part as it stands.
func (s *scanner) reportField(check string, sure float64, at text.Span, quoted string) {
	c := checkNamed(check)
	s.found = append(s.found, Finding{
		Check:      check,
		Tier:       TierSoft,
		Threat:     c.threat,
		Severity:   milder(c.severity),
		Confidence: sure,
		Detail:     c.detail,
		Evidence:   evidence(quoted, 0, len(quoted)),
		Spans:      []text.Span{at},
	})
}
