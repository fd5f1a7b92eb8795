package flow

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/intent"
	"mcpproxy/internal/text"
)

// The limits of the stored error texts, and the conditions for a text to be an error.
const (
	maxErrorWords = 1 << 12 // words per generation
	errorLines    = 3       // lines after the report of an error that belong to it
	errorShare    = 0.6     // share of a query's words that must come from such lines
	minErrorWords = 3
	recordDigits  = 7 // digits in a row that may identify a person
)

// clue is a piece of text that every report of one kind of error contains. Most lines are searched only for the
// pieces.
type clue struct {
	piece   string
	reports func(line string, at, end int) bool // whether line[at:end], the piece, is part of a report
}

// clues find the matches of this expression ten times faster than the expression itself:
//
//	(?:[A-Za-z]{3,}(?:Error|Exception)\b|\berror\[|\b(?:npm )?ERR!|\bERR_[A-Z]|\b(?:FATAL|ERROR|PANIC)\b|
//	\b(?:error|panic|fatal|warning|traceback)\b[^.]{0,40}:|
//	\b(?:timed out|connection refused|unreachable|deprecated)\b|\bTraceback\b|\bSQLSTATE\b|\bFailed[A-Z])
var clues = []clue{
	{"rror", func(s string, at, end int) bool {
		return isType(s, at-1, end) ||
			strings.HasSuffix(s[:at], "e") && !wordAt(s, at-2) &&
				(strings.HasPrefix(s[end:], "[") || announces(s, end))
	}},
	{"xception", func(s string, at, end int) bool { return isType(s, at-1, end) }},
	{"ERR", func(s string, at, end int) bool {
		return !wordAt(s, at-1) && (strings.HasPrefix(s[end:], "!") ||
			strings.HasPrefix(s[end:], "_") && isCapital(s, end+1) ||
			strings.HasPrefix(s[end:], "OR") && !wordAt(s, end+2))
	}},
	{"FATAL", isWordAt},
	{"PANIC", isWordAt},
	{"panic", announcesAt},
	{"fatal", announcesAt},
	{"warning", announcesAt},
	{"raceback", func(s string, at, end int) bool {
		return !wordAt(s, at-2) && (strings.HasSuffix(s[:at], "T") && !wordAt(s, end) ||
			strings.HasSuffix(s[:at], "t") && announces(s, end))
	}},
	{"SQLSTATE", isWordAt},
	{"Failed", func(s string, at, end int) bool { return !wordAt(s, at-1) && isCapital(s, end) }},
	{"timed out", isWordAt},
	{"refused", func(s string, at, end int) bool {
		const before = "connection "
		return strings.HasSuffix(s[:at], before) && isWordAt(s, at-len(before), end)
	}},
	{"unreachable", isWordAt},
	{"deprecated", isWordAt},
}

// isType reports whether the name of an error type ends at end. at is the position of the capital letter that begins
// its last word.
func isType(s string, at, end int) bool {
	if at < 3 || s[at] != 'E' || wordAt(s, end) {
		return false
	}
	for _, c := range []byte(s[at-3 : at]) {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return false
		}
	}
	return true
}

// isWordAt reports whether s[at:end] is not part of a longer word.
func isWordAt(s string, at, end int) bool { return !wordAt(s, at-1) && !wordAt(s, end) }

// announcesAt reports whether the word s[at:end] introduces the text of an error.
func announcesAt(s string, at, end int) bool { return !wordAt(s, at-1) && announces(s, end) }

// announces reports whether a word ends at end and a colon follows in the same sentence.
func announces(s string, end int) bool {
	if wordAt(s, end) {
		return false
	}
	left := maxAnnounced
	for _, r := range s[end:] {
		switch {
		case r == ':':
			return true
		case r == '.' || left == 0:
			return false
		}
		left--
	}
	return false
}

// maxAnnounced is the maximum number of characters between the word that introduces an error and the colon.
const maxAnnounced = 40

// wordAt reports whether s has an ASCII letter, a digit or an underscore at i.
func wordAt(s string, i int) bool { return i >= 0 && i < len(s) && (isAlnum(s[i]) || s[i] == '_') }

func isCapital(s string, i int) bool { return i < len(s) && s[i] >= 'A' && s[i] <= 'Z' }

// cluesIn returns the clues whose piece a text contains.
func cluesIn(s string) (out []*clue) {
	for i := range clues {
		if strings.Contains(s, clues[i].piece) {
			out = append(out, &clues[i])
		}
	}
	return out
}

// reportsError reports whether a line says that a program has failed. found are the clues in the whole text.
func reportsError(line string, found []*clue) bool {
	for _, c := range found {
		for from := 0; ; {
			at := strings.Index(line[from:], c.piece)
			if at < 0 {
				break
			}
			at += from
			if c.reports(line, at, at+len(c.piece)) {
				return true
			}
			from = at + 1
		}
	}
	return false
}

// troubles stores the words of the errors in results. To search the web for the text of an error is normal work, and
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
		found := cluesIn(part.Text)
		if len(found) == 0 {
			continue
		}
		behind := 0
		for line := range strings.Lines(part.Text) {
			if reportsError(line, found) {
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

// absorb adds the words that another session recorded.
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
			continue // a version number is not personal
		}
		words++
		if e.has(w) || said(w) {
			known++
		}
	}
	return known >= minErrorWords && float64(known) >= errorShare*float64(words) && !holdsRecord(s)
}

// holdsRecord reports whether a text contains a person's address or a long number.
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

// searching lists words in the names of tools that search.
var searching = []string{"search", "websearch", "google", "bing", "brave", "duckduckgo", "tavily", "exa", "perplexity", "searxng", "kagi"}

// searchesErrors reports whether a call searches for the texts of errors and carries no other text.
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

// asOwn marks the edges of a search for an error as harmless, unless the data is sensitive.
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
