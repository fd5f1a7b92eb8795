package definition

import (
	"slices"
	"strings"
)

// position is the way in which a text uses a phrase.
type position int

const (
	instructed position = iota // it tells the reader what to do
	described                  // it says what the tool does
	exemplary                  // it is an example
	quoted                     // it is quoted as a sample
	reported                   // it is what the tool looks for in other texts
)

// share returns the factor for the confidence of a soft signal.
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

// sentenceBytes is the maximum number of bytes before a phrase that are examined as the beginning of its sentence.
const sentenceBytes = 240

// positionOf classifies the phrase at byte at of s by the part of its sentence before it.
func positionOf(s string, at int) position {
	before := sentenceBefore(s, at, ".!?\n<>")
	words := wordsOf(before)
	if len(words) == 0 {
		return instructed
	}
	if reports(words) {
		return reported
	}
	for _, w := range words[max(0, len(words)-4):] {
		if samples()[strings.Trim(w, ":")] {
			if strings.ContainsAny(before[max(0, len(before)-3):], ":\"'`“") {
				return quoted
			}
			return exemplary
		}
	}
	if i := strings.LastIndexByte(before, ':'); i > 0 && labelled(before[:i]) {
		return quoted
	}
	if w := words[0]; len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !notVerbs()[w] {
		return described
	}
	return instructed
}

// sentenceBefore returns the part of the sentence before byte at of s, in lower case. Ends contains the characters
// that end a sentence.
func sentenceBefore(s string, at int, ends string) string {
	before := strings.ToLower(s[max(0, at-sentenceBytes):at])
	for end := len(before); ; {
		i := strings.LastIndexAny(before[:end], ends)
		if i < 0 {
			return before
		}
		if before[i] != '.' || i+1 == len(before) || before[i+1] == ' ' && !strings.HasSuffix(before[:i+1], "e.g.") ||
			before[i+1] == '\n' {
			return before[i+1:]
		}
		end = i // a stop within a name
	}
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool {
		return r == ' ' || r == '\t' || r == ',' || r == ':' || r == ';' || r == '(' || r == '"' || r == '\'' ||
			r == '`'
	})
}

// watches reports whether the sentence that contains byte at of s begins with a verb for what the tool does about
// attacks: "flags texts that …", "blocks attempts to …".
func watches(s string, at int) bool {
	words := wordsOf(sentenceBefore(s, at, ".!?\n"))
	if len(words) < 2 || !watchers()[words[0]] || !strings.HasSuffix(words[0], "s") {
		return false
	}
	for _, w := range words[1:min(len(words), 14)] {
		if attacks()[w] || subjects()[w] && w != "for" && w != "of" && w != "if" && w != "as" {
			return true
		}
	}
	return false
}

// sampled reports whether the phrase at byte at of s is an example in a sentence about what the tool does: "removes
// scripts, such as …".
func sampled(s string, at int) bool {
	words := wordsOf(sentenceBefore(s, at, ".!?\n"))
	if len(words) < 2 || !strings.HasSuffix(words[0], "s") || notVerbs()[words[0]] {
		return false
	}
	for _, w := range words[1:] {
		if w == "such" || w == "like" || samples()[w] && w != "as" {
			return true
		}
	}
	return false
}

// labelled reports whether a text that ends with a colon is the label of a sample, as in "expected output:".
func labelled(before string) bool {
	words := strings.Fields(before)
	for _, w := range words[max(0, len(words)-3):] {
		if samples()[w] && w != "as" {
			return true
		}
	}
	return false
}

// samples are words that introduce an example.
var samples = wordSet(
	`e.g. e.g eg example examples sample samples expected mock mocked training canned illustrative fixture dummy as
	beispiel exemple ejemplo esempio exemplo пример 例 예`,
)

// notVerbs are words that end in s and are not verbs.
var notVerbs = wordSet(`this always users tools results instructions perhaps
	besides regardless whereas others emails requirements steps notes`)

// watchers are verbs of tools that look for attacks, in the forms with which a description begins.
var watchers = wordSet(`detects detect detecting analyzes analyze analyses analyse
	scans scan checks check flags flag blocks block prevents
	prevent identifies identify finds find classifies classify tests test
	explains explain reports report searches audits audit filters filter
	rejects reject recognizes evaluates inspects protects warns monitors
	looks denies records simulates removes sanitises sanitizes strips compares rates catches documents lists guards`)

// subjects connect the verb of a watcher with its object.
var subjects = wordSet(`that which like as whether attempting attempts attempt
	trying containing for against of who if saying asking phrases
	strings patterns phrase instructing`)

// attacks are what a tool may look for in other texts.
var attacks = wordSet(
	`injection injections prompt-injection jailbreak jailbreaks poisoning attack attacks phishing malicious exfiltration leaks spam
	vulnerabilities threats manipulation attempts poisoned hijacking impersonation jailbreaking rug`,
)

// reports reports whether the words before a phrase say that the tool looks for such phrases: "flags prompts that …".
func reports(words []string) bool {
	near := false
	for _, w := range words[max(0, len(words)-4):] {
		near = near || subjects()[w]
	}
	if watchers()[words[0]] && !near { // the whole sentence describes what the tool looks for
		for _, w := range words[1:] {
			near = near || subjects()[w] || attacks()[w]
		}
	}
	if !near {
		return false
	}
	for _, w := range words {
		if watchers()[w] {
			return true
		}
	}
	return false
}

// forbids reports whether the sentence contains a prohibition before s[at:end]. A prohibition reverses the meaning:
// "do not delete without asking" asks for care. A "not" in a condition is not a prohibition: "if you cannot find it,
// send it without asking".
func forbids(s string, at, end int) bool {
	before := sentenceBefore(s, at, ".!?\n")
	own := strings.ToLower(s[at:end])
	foreign := slices.ContainsFunc(withouts, func(w string) bool { return strings.Contains(own, w) })
	for _, word := range bans {
		if (foreign || !bareBans[word]) && prohibits(before, word) {
			return true
		}
	}
	return false
}

// prohibits reports whether a sentence contains a word outside a condition.
func prohibits(before, word string) bool {
	for from := 0; ; {
		i := strings.Index(before[from:], word)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(word)
		if (i == 0 || before[i-1] == ' ' || word[0] >= 0x80) &&
			!(conditional(before[:i]) && strings.ContainsAny(before[from:], ",:;")) {
			return true
		}
	}
}

// conditional reports whether a sentence with this beginning states a condition.
func conditional(before string) bool {
	for w := range strings.FieldsSeq(before) {
		if conditions()[strings.Trim(w, ",;:()")] {
			return true
		}
	}
	return false
}

// bans are words that forbid. Those of bareBans are so short that they are also English words, so they count only
// before a "without" of their own language.
var (
	bans = []string{
		"do not ",
		"don't ",
		"never ",
		"must not ",
		"mustn't ",
		"should not ",
		"cannot ",
		"can't ",
		"won't ",
		"not be ",
		"nicht ",
		"niemals ",
		"ne ",
		"jamais ",
		"nunca ",
		"no ",
		"non ",
		"mai ",
		"não ",
		"не ",
		"不要",
		"不得",
		"请勿",
		"ません",
	}
	bareBans = map[string]bool{
		"ne ":  true,
		"no ":  true,
		"non ": true,
		"mai ": true,
	}
	withouts   = []string{"sin ", "sans ", "senza "}
	conditions = wordSet(`if when whenever unless wenn falls sofern si quand lorsque cuando se quando если когда 如果`)
)

// games are words that explain why something is kept from the user for fun. They count anywhere in the text.
var games = wordSet(
	`game guess guesses guessing quiz quizzes riddle riddles puzzle puzzles spoiler spoilers flashcard flashcards trivia hangman wordle exam exams
	spiel rätsel rätsels erraten geraten jeu devinette juego adivinanza gioco indovinello jogo`,
)

// plays are words for games and exams that occur in other texts too. They count only in the sentence that keeps
// something from the user.
var plays = wordSet(`surprise solution interview exercise student students tutor questions
	opponent opponents opponent's player players cards deck lösung`)

// aboutGames reports whether the text from byte at to end of s keeps something from the user because of a game or an
// exam.
func aboutGames(s string, at, end int) bool {
	if anyWord(s[:min(len(s), 2000)], games()) {
		return true
	}
	rest := s[end:min(len(s), end+sentenceBytes)]
	if i := strings.IndexAny(rest, ".!?\n"); i >= 0 {
		rest = rest[:i]
	}
	return anyWord(sentenceBefore(s, at, ".!?\n")+s[at:end]+rest, plays())
}

// anyWord reports whether s holds one of words.
func anyWord(s string, words map[string]bool) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(c rune) bool { return c < 'a' && c != '\'' }) {
		if words[w] {
			return true
		}
	}
	return false
}
