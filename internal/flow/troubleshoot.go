package flow

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/intent"
	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/text"
)

// The limits of the stored error texts, and the conditions under which a text is an error.
const (
	maxErrorWords = 1 << 12 // words of one generation
	errorLines    = 3       // lines that belong to an error after the line that reports it
	errorShare    = 0.6     // share of a query's words that must be in such lines
	minErrorWords = 3
	recordDigits  = 7 // digits in a row that may identify a person
)

// reports matches text that reports an error of a program.
var reports = lazyregexp.New(`(?:[A-Za-z]{3,}(?:Error|Exception)\b|\berror\[|\b(?:npm )?ERR!|\bERR_[A-Z]|\b(?:FATAL|ERROR|PANIC)\b|` +
	`\b(?:error|panic|fatal|warning|traceback)\b[^.]{0,40}:|\b(?:timed out|connection refused|unreachable|deprecated)\b|\bTraceback\b|\bSQLSTATE\b|\bFailed[A-Z])`)

// reporting are substrings, one of which is in every match of reports, so that most lines need no regular expression.
var reporting = []string{
	"rror", "xception", "ERR", "FATAL", "PANIC", "panic", "fatal", "warning", "raceback", "SQLSTATE", "Failed",
	"timed out", "refused", "unreachable", "deprecated",
}

// reportsError reports whether a line says that a program has failed.
func reportsError(line string) bool {
	return slices.ContainsFunc(reporting, func(piece string) bool { return strings.Contains(line, piece) }) &&
		reports().MatchString(line)
}

// troubles stores the words of the errors in results. Searching the web for the text of an error is normal work, and
// such a text contains no personal record.
type troubles struct {
	words, older map[uint32]struct{}
}

// learn records the errors in a result.
func (e *troubles) learn(doc *text.Document) {
	left := maxCarrierText
	for _, part := range doc.Parts {
		if part.Kind != text.Value || part.Opened() {
			continue
		}
		if left -= len(part.Text); left < 0 {
			return
		}
		if !slices.ContainsFunc(reporting, func(piece string) bool { return strings.Contains(part.Text, piece) }) {
			continue
		}
		behind := 0
		for line := range strings.Lines(part.Text) {
			if reportsError(line) {
				behind = errorLines + 1
			}
			if behind > 0 && strings.TrimSpace(line) != "" {
				behind--
				e.note(line)
			}
		}
	}
}

func (e *troubles) note(line string) {
	for w := range intent.Words(line) {
		if e.words == nil || len(e.words) >= maxErrorWords {
			e.older, e.words = e.words, map[uint32]struct{}{}
		}
		e.words[carrierKey(w)] = struct{}{}
	}
}

// absorb adds the words of another session.
func (e *troubles) absorb(from *troubles) {
	if len(from.words) > 0 {
		e.older = joinSets(e.older, e.words, from.older)
		e.words = from.words
	}
}

// bytes estimates the memory of the words.
func (e *troubles) bytes() int { return tokenSize * (len(e.words) + len(e.older)) }

func (e *troubles) has(word string) bool {
	key := carrierKey(word)
	if _, ok := e.words[key]; ok {
		return true
	}
	_, ok := e.older[key]
	return ok
}

// tells reports whether a text is the text of an error and contains no personal record. said reports whether the user
// has said a word, because the user may have quoted the error.
func (e *troubles) tells(s string, said func(word string) bool) bool {
	words, known := 0, 0
	for w := range intent.Words(s) {
		if strings.Trim(w, "0123456789") == "" {
			continue // a version is not personal
		}
		words++
		if e.has(w) || said(w) {
			known++
		}
	}
	return known >= minErrorWords && float64(known) >= errorShare*float64(words) && !holdsRecord(s)
}

// holdsRecord reports whether a text contains somebody's address or a long number.
func holdsRecord(s string) bool {
	for a := range sureAddresses(s) {
		if a.kind == kindEmail || strings.Contains(a.text, "@") && a.kind == kindURL && strings.Contains(a.text, "://") {
			return true
		}
	}
	row := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			row++
		case c != ' ':
			row = 0
		}
		if row >= recordDigits {
			return true
		}
	}
	return false
}

// searching are words in the names of tools that search.
var searching = []string{"search", "websearch", "google", "bing", "brave", "duckduckgo", "tavily", "exa", "perplexity", "searxng", "kagi"}

// searchesErrors reports whether a call searches for the texts of errors and carries nothing else.
func (s *Session) searchesErrors(p Transfer, to []mcpproxy.Destination) bool {
	if p.Act == nil || p.Act.Effect != mcpproxy.EffectRead || !p.Class.Leaves() || len(p.Secrets) > 0 {
		return false
	}
	if len(to) > 0 || !slices.ContainsFunc(p.Act.Words, func(w string) bool { return slices.Contains(searching, w) }) {
		return false
	}
	found := false
	for _, part := range p.Doc.Parts {
		if part.Kind != text.Value || part.Opened() || len(part.Text) < minDictated {
			continue
		}
		if !s.troubles.tells(part.Text, s.passages.Holds) {
			return false
		}
		found = true
	}
	return found
}

// asOwn marks the edges of a search for an error as allowed, unless the data is sensitive.
func asOwn(edges []mcpproxy.Edge) []mcpproxy.Edge {
	if hasSensitive(edges) {
		return edges
	}
	out := slices.Clone(edges)
	for i := range out {
		out[i].Own, out[i].Risk = true, mcpproxy.RiskNone
	}
	return out
}
