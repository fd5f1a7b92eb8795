package definition

import "strings"

// position says how a phrase stands in its text.
type position int

const (
	instructed position = iota // it tells the reader what to do
	described                  // it says what the tool does
	exemplary                  // it is an example
	quoted                     // it is quoted as a sample
	reported                   // it is what the tool looks for in other texts
)

// share is what is left of a soft signal's confidence.
func (p position) share() float64 {
	switch p {
	case described:
		return 0.8
	case exemplary:
		return 0.5
	case quoted, reported:
		return 0.4
	}
	return 1
}

// How far back the sentence is read.
const sentenceBytes = 240

// positionOf classifies what begins at byte at of s by the part of its sentence
// that stands before.
func positionOf(s string, at int) position {
	before := strings.ToLower(s[max(0, at-sentenceBytes):at])
	if i := strings.LastIndexAny(before, ".!?\n<>"); i >= 0 && !strings.HasSuffix(before[:i+1], "e.g.") {
		before = before[i+1:]
	}
	words := strings.FieldsFunc(before, func(r rune) bool {
		return r == ' ' || r == '\t' || r == ',' || r == '(' || r == '"' || r == '\'' || r == '`'
	})
	if len(words) == 0 {
		return instructed
	}
	if reports(words) {
		return reported
	}
	for _, w := range words[max(0, len(words)-4):] {
		if samples[strings.Trim(w, ":")] {
			if strings.ContainsAny(before[max(0, len(before)-3):], ":\"'`“") {
				return quoted
			}
			return exemplary
		}
	}
	if i := strings.LastIndexByte(before, ':'); i > 0 && labelled(before[:i]) {
		return quoted
	}
	if w := words[0]; len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !notVerbs[w] {
		return described
	}
	return instructed
}

// labelled reports whether what ends with a colon is the label of a sample, as
// in "expected output:".
func labelled(before string) bool {
	words := strings.Fields(before)
	for _, w := range words[max(0, len(words)-3):] {
		if samples[w] && w != "as" {
			return true
		}
	}
	return false
}

// samples are words that introduce an example.
var samples = wordSet(`e.g. e.g eg example examples sample samples expected mock mocked training canned illustrative fixture dummy as
	beispiel exemple ejemplo esempio exemplo пример 例 예`)

// notVerbs end in s and say nothing about who acts.
var notVerbs = map[string]bool{"this": true, "always": true, "users": true, "tools": true, "results": true, "instructions": true, "perhaps": true,
	"besides": true, "regardless": true, "whereas": true, "others": true, "emails": true, "requirements": true, "steps": true, "notes": true}

// watchers are verbs of tools that look for attacks, in the forms in which a
// description begins.
var watchers = map[string]bool{"detects": true, "detect": true, "detecting": true, "analyzes": true, "analyze": true, "analyses": true, "analyse": true,
	"scans": true, "scan": true, "checks": true, "check": true, "flags": true, "flag": true, "blocks": true, "block": true, "prevents": true,
	"prevent": true, "identifies": true, "identify": true, "finds": true, "find": true, "classifies": true, "classify": true, "tests": true, "test": true,
	"explains": true, "explain": true, "reports": true, "report": true, "searches": true, "audits": true, "audit": true, "filters": true, "filter": true,
	"rejects": true, "reject": true, "recognizes": true, "evaluates": true, "inspects": true, "protects": true, "warns": true, "monitors": true,
	"looks": true, "catches": true, "documents": true, "lists": true, "guards": true}

// subjects lead from a watcher to what it watches for.
var subjects = map[string]bool{"that": true, "which": true, "like": true, "as": true, "whether": true, "attempting": true, "attempts": true, "attempt": true,
	"trying": true, "containing": true, "for": true, "against": true, "of": true, "who": true, "if": true, "saying": true, "asking": true, "phrases": true,
	"strings": true, "patterns": true, "phrase": true, "instructing": true}

// reports reports whether the words before a phrase say that the tool watches
// for such phrases: "flags prompts that …".
func reports(words []string) bool {
	near := false
	for _, w := range words[max(0, len(words)-4):] {
		near = near || subjects[w]
	}
	if !near {
		return false
	}
	for _, w := range words {
		if watchers[w] {
			return true
		}
	}
	return false
}
