package definition

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/scan/learned"
	"mcpproxy/internal/text"
)

const idWording = "wording.learned"

// worded is a sentence of a definition with the score of its wording.
type worded struct {
	part  int
	of    *sentence
	in    string // the text in which the offsets of the sentence count
	text  string
	field string // the words in the name of the parameter that it describes
	score float32
}

// inspectWording scores the sentences of a tool with the learned model: how much they resemble instructions that
// serve somebody else. A high score is a hint. It is proof if a match of the grammar has the same meaning, or if it is
// very high and nothing in the sentence and in the tool's purpose speaks against it.
func inspectWording(tool *ToolView, _ *RegistryView) []Signal {
	if tool.kind() != KindTool {
		return nil
	}
	r := tool.read()
	var worst worded
	proof := false
	judge := r.proofs(tool)
	r.eachSentence(tool, func(w worded, t *learned.Traits) {
		w.score = learned.Score(t)
		if w.of.careful() && !r.backed(&w) {
			return
		}
		proven := w.score >= judge(&w)
		worse := proven && !proof || proven == proof && w.score > worst.score
		if (proven || w.score >= learned.Hint) && (worst.of == nil || worse) {
			worst, proof = w, proven
		}
	})
	if worst.of == nil {
		return nil
	}
	s := Signal{
		Tier:       scan.TierSoft,
		ThreatType: threatPoisoning,
		Severity:   mcpproxy.SeverityLow,
		Confidence: 0.4,
		Evidence:   strings.TrimSpace(worst.text),
		Detail:     "The wording resembles attacks" + worst.telling() + ".",
		Path:       r.path(r.doc.Parts[worst.part]),
	}
	if proof {
		s.Tier, s.Severity = scan.TierHard, mcpproxy.SeverityHigh
		s.Confidence = scan.InjectedAt
	}
	return []Signal{s}
}

// backedBy is the minimum confidence of a note of the grammar that turns the score of a sentence into proof.
const backedBy = 0.15

// backsNothing are the kinds of notes that legitimate tools cause too: praise, and acts without asking.
var backsNothing = map[string]bool{
	rowPrefer:         true,
	rowConsent:        true,
	"consent.skipped": true,
}

// judged reports whether a match of the grammar in the sentence is of a kind that legitimate tools cause too. Its own
// check decides whether it is proof.
func (r *parsedDefinition) judged(w *worded) bool {
	return slices.ContainsFunc(r.of[w.part], func(i int) bool {
		span := r.notes[i].Spans[0]
		return backsNothing[r.notes[i].Check] && span.Start < w.of.end && span.End > w.of.start
	})
}

// backed reports whether a match of the grammar near the sentence has the same meaning, as an order or a statement
// about the tool, not as a sample.
func (r *parsedDefinition) backed(w *worded) bool {
	return slices.ContainsFunc(r.of[w.part], func(i int) bool {
		n := &r.notes[i]
		span := n.Spans[0]
		return !backsNothing[n.Check] && n.sure >= backedBy && n.stands <= described && n.doubt != refuted &&
			span.Start < w.of.end+closeBytes && span.End+closeBytes > w.of.start
	})
}

// proofs returns a function that determines from which score on the wording of a sentence is proof.
func (r *parsedDefinition) proofs(tool *ToolView) func(*worded) float32 {
	purpose := purposeOf(tool)
	watcher := guards(tool.Name)
	return func(w *worded) float32 {
		switch {
		case purpose.explains(w.in, w.of):
			return unproven
		case r.backed(w):
			return learned.Proof
		case r.talks || watcher || r.judged(w) || w.of.careful() || samplesText(w.text):
			return unproven
		}
		return learned.Alone
	}
}

// unproven is a score that no sentence has.
const unproven = math.MaxFloat32

// careful reports whether the sentence only asks the reader for caution.
func (s *sentence) careful() bool { return s.bansOnly() || s.protective() }

// bansOnly reports whether the acts that the sentence asks for are all forbidden, and the user's knowledge and consent
// are not affected: "never pass a password". Only acts of English sentences are known.
func (s *sentence) bansOnly() bool {
	bans := false
	for i := range s.mentions {
		d := &s.mentions[i]
		switch {
		case d.bans() && d.class&(actTell|actAsk) == 0 && d.what&(person|consent) == 0:
			bans = true
		case d.mood != unsaid && !d.negated, d.negated:
			return false
		}
	}
	return bans
}

// protective reports whether the sentence asks the reader to ignore instructions in other texts.
func (s *sentence) protective() bool {
	return slices.ContainsFunc(s.mentions, func(d mention) bool { return d.asks() && s.protects(&d) })
}

// fewestQuoted is the minimum number of words between quotation marks that are a sample of a text.
const fewestQuoted = 3

// samplesText reports whether a sentence describes what the tool looks for in texts, or quotes a text.
func samplesText(s string) bool {
	if words := wordsOf(strings.ToLower(s)); len(words) > 0 && reports(words) {
		return true
	}
	for rest := s; ; {
		_, after, found := strings.Cut(rest, `"`)
		if !found {
			return false
		}
		quoted, following, closed := strings.Cut(after, `"`)
		if closed && len(strings.Fields(quoted)) >= fewestQuoted {
			return true
		}
		rest = following
	}
}

// fewestWords is the minimum number of words of a sentence that is scored.
const fewestWords = 4

// shortestText is the minimum length, in bytes, of a string that is scored.
const shortestText = 9

// EachSentence calls f with the traits of each sentence of a tool, as the learned model uses them, and with the
// minimum score at which the sentence would prove an attack. The traits are reused after the call.
func EachSentence(tool *ToolView, f func(t *learned.Traits, proof float32)) {
	r := tool.read()
	judge := r.proofs(tool)
	r.eachSentence(tool, func(w worded, t *learned.Traits) { f(t, judge(&w)) })
}

// eachSentence calls f for every sentence that is scored.
func (r *parsedDefinition) eachSentence(tool *ToolView, f func(worded, *learned.Traits)) {
	t := learned.Borrow()
	defer learned.Return(t)
	own := traitsOf{names: map[string]bool{tool.Name: true}}
	for _, p := range r.doc.Parts {
		if p.Kind == text.Key {
			own.names[p.Text] = true
		}
	}
	for i, p := range r.doc.Parts {
		if len(p.Text) < shortestText {
			continue
		}
		path := r.path(p)
		at, ok := spotOf(path, p)
		if !ok {
			continue
		}
		w := worded{part: i}
		if at == spotKey {
			w.text = strings.Join(nameWords(p.Text), " ")
			s := readSentence(w.text, 0, len(w.text))
			w.of, w.in = &s, w.text
			own.add(t, at, &w, nil)
			f(w, t)
			t.Reset()
			continue
		}
		if at == spotField || at == spotOutput || at == spotValue {
			path = strings.TrimSuffix(path, ".description")
			w.field = path[strings.LastIndexByte(path, '.')+1:]
		}
		all := r.sentences(i)
		meanings := r.meanings[i]
		for n := range all {
			w.of, w.in = &all[n], p.Text
			w.text = p.Text[w.of.start:w.of.end]
			here := meaningsIn(&meanings, w.of.start, w.of.end)
			if at == spotProse && !own.begun {
				own.begin(tool.Name, w.of, here)
			}
			if !fragment(w.text, w.of) {
				own.add(t, at, &w, here)
				f(w, t)
				t.Reset()
			}
		}
	}
}

// meaningsIn removes from all, which is sorted, the meanings that begin before end, and returns those that begin at
// start or later.
func meaningsIn(all *[]scan.Meaning, start, end int) []scan.Meaning {
	for len(*all) > 0 && (*all)[0].Start < start {
		*all = (*all)[1:]
	}
	n := 0
	for n < len(*all) && (*all)[n].Start < end {
		n++
	}
	here := (*all)[:n]
	*all = (*all)[n:]
	return here
}

// fragment reports whether a sentence is only the remainder of a split.
func fragment(s string, of *sentence) bool {
	n := 0
	for i := range of.words {
		n += 1 + ideographs(s[of.words[i].start-of.start:of.words[i].end-of.start])/2
	}
	s = strings.TrimSpace(s)
	return n < fewestWords || s[0] == '"' && len(s) < 40
}

// spot is the position of a sentence in a definition.
type spot int

const (
	spotProse spot = iota
	spotField
	spotOutput
	spotValue
	spotKey
)

// fewestNameWords is the minimum number of words of a name that can be an instruction.
const fewestNameWords = 3

// spotOf returns the position of a part, and whether its wording is scored.
func spotOf(path string, p text.Part) (at spot, ok bool) {
	switch {
	case p.Kind == text.Key:
		return spotKey, strings.Contains(path, "properties") && len(nameWords(p.Text)) >= fewestNameWords
	case path == "description":
		return spotProse, true
	case strings.HasSuffix(path, ".description"):
		if strings.HasPrefix(path, "outputSchema") {
			return spotOutput, true
		}
		return spotField, true
	case strings.Contains(path, ".default"), strings.Contains(path, ".enum"), strings.Contains(path, ".const"),
		strings.Contains(path, ".examples"):
		return spotValue, strings.ContainsAny(p.Text, " /")
	}
	return 0, false
}

// empty reports whether a word carries no information alone.
func empty(word string) bool {
	return len(word) < 3 || clauseWords().single[word].class&(functional|joiner|pointer|auxiliary) != 0
}

// mostTelling is the number of words that a finding about the wording names.
const mostTelling = 4

// telling names the words and pairs of words with the highest weights.
func (w *worded) telling() string {
	type weighed struct {
		words string
		by    float32
	}
	var all []weighed
	t := learned.Borrow()
	defer learned.Return(t)
	eachWord(w.text, w.of, nil, func(before, word string) {
		for _, words := range []string{word, before + " " + word} {
			unsaid := strings.HasPrefix(words, wordStart) || strings.Contains(words, masked)
			if unsaid || empty(word) || words != word && empty(before) {
				continue
			}
			if words == word {
				t.Text(learned.Words, 'w', word)
			} else {
				t.Text(learned.Words, 'b', before, word)
			}
			if by := learned.Weight(t); by > 0 {
				all = append(all, weighed{words, by})
			}
			t.Reset()
		}
	})
	slices.SortStableFunc(all, func(a, b weighed) int {
		switch {
		case a.by > b.by:
			return -1
		case a.by < b.by:
			return 1
		}
		return 0
	})
	var named []string
	for _, x := range all {
		if q := fmt.Sprintf("%q", x.words); !slices.Contains(named, q) && len(named) < mostTelling {
			named = append(named, q)
		}
	}
	if len(named) == 0 {
		return ""
	}
	return ": " + strings.Join(named, ", ") + " weigh most"
}
