package definition

import "strings"

// reachWords is the number of words after an act, or before one in the passive, that can belong to it.
const reachWords = 18

// bannedWords is the number of words to which a "not" applies.
const bannedWords = 6

// act finds the acts in the sentence.
func (s *sentence) act(t string) {
	inCase, demand := false, false
	ban := -1
	for i := range s.words {
		w := &s.words[i]
		if w.breaks || w.stops {
			inCase = inCase && !w.breaks && !w.stops
			if w.stops || w.class&joiner == 0 {
				ban = -1
			}
		}
		if w.class&condition != 0 {
			ban = -1
			inCase, demand = true, s.is(t, i, "unless") || s.is(t, i, "while")
		}
		w.covered = inCase
		if w.class&negator != 0 && !s.is(t, i+1, "only") {
			ban = i
		}
		if w.class&acts == 0 || w.form == 0 {
			continue
		}
		d := mention{class: w.class & acts, word: i}
		joined := false
		d.mood, joined = s.moodOf(t, i)
		if n := s.before(t, i); d.mood == unsaid && !(ban >= 0 && ban == i-1) && !(n < 0 && ban >= 0 && ban < i &&
			i-ban <= 2) {
			continue
		}
		if w.covered && d.mood != unsaid && !(demand && d.mood == ordered) {
			d.mood = possible
		}
		d.negated = ban >= 0 && i-ban <= bannedWords || d.mood == ordered && d.class&actCall == 0 &&
			i+1 < len(s.words) && s.words[i+1].class&negator != 0
		if joined && len(s.mentions) > 0 && s.mentions[len(s.mentions)-1].negated && s.orBefore(t, i) {
			d.negated = true
		}
		if d.negated && !joined {
			ban = -1
		}
		s.mentions = append(s.mentions, d)
	}
	for n := range s.mentions {
		s.reach(n)
	}
}

// purpose reports whether word i is "to" before an act.
func (s *sentence) purpose(i int) bool {
	if !s.words[i].infinitive || i+1 == len(s.words) {
		return false
	}
	next := &s.words[i+1]
	return next.class&acts != 0 && next.form&base != 0 && next.class&toolData == 0
}

// is reports whether word i is w.
func (s *sentence) is(t string, i int, w string) bool {
	return i >= 0 && i < len(s.words) && strings.EqualFold(t[s.words[i].start:s.words[i].end], w)
}

// orBefore reports whether "or" precedes word i.
func (s *sentence) orBefore(t string, i int) bool {
	return s.is(t, i-1, "or") || s.is(t, i-1, "nor") || s.is(t, i-2, "or") || s.words[i].breaks
}

// before returns the word that determines the meaning of word i, skipping adverbs and "not", and whether a clause
// begins there. It returns -1 at the start of a clause.
func (s *sentence) before(t string, i int) int {
	for n := i; ; n-- {
		if i-n > bannedWords || s.words[n].breaks || s.words[n].stops || n == 0 {
			return -1
		}
		p := &s.words[n-1]
		switch {
		case p.class&(negator|adverb|lasting) != 0 && p.class&(pointer|subject|modal) == 0, s.is(t, n-1, "do"),
			s.is(t, n-1, "does"), s.is(t, n-1, "on") && n > 1 && s.words[n-2].class&adverb != 0:
			continue
		}
		return n - 1
	}
}

// takes reports whether an object follows word i, which shows that the word is a verb.
func (s *sentence) takes(i int) bool {
	own := s.words[i].class
	if i+1 >= len(s.words) {
		return own&(actSteal|actSkip) != 0
	}
	n := &s.words[i+1]
	switch {
	case n.stops:
		return false
	case n.class&particle != 0 && i+2 < len(s.words):
		return s.takes(i + 1)
	case own&phrasal != 0 && n.class&(functional|condition|pointer) != 0:
		return true
	case own&actRead != 0 && n.class&secret != 0 && n.shape == shapeNone: // access keys
		return !s.words[i].accessing
	}
	return n.class&(pointer|secret|talk|rule|foreign|outside|every|person|belongs|adverb|covert|negator) != 0 ||
		n.shape != shapeNone ||
		n.class&toolData != 0 && n.class&acts == 0 || s.words[i].class&(actCall|actHeed|actSteal|actSkip) != 0 &&
		n.class&auxiliary == 0
}

// moodOf returns the mood of the act at word i, and whether it continues an earlier act.
func (s *sentence) moodOf(t string, i int) (m mood, joined bool) {
	w := &s.words[i]
	if w.accessing && s.is(t, i+1, "to") {
		return unsaid, false
	}
	n := s.before(t, i)
	if n < 0 {
		switch {
		case w.form&base != 0 && s.takes(i):
			return ordered, false
		case w.form&third != 0 && s.takes(i):
			return stated, false
		}
		return unsaid, false
	}
	p := &s.words[n]
	switch {
	case p.class&modal != 0 && w.form&base != 0, p.class&subject != 0 && w.form&(base|third) != 0:
		return ordered, false
	case p.class&permits != 0:
		return possible, false
	case p.class&auxiliary != 0 && w.form&past != 0:
		for k := n - 1; k >= max(0, n-3) && !s.words[k+1].stops; k-- {
			if s.words[k].class&modal != 0 || s.is(t, k, "to") {
				return ordered, false
			}
		}
		return stated, false
	case p.class&auxiliary != 0 && w.form&ing != 0:
		return stated, false
	case s.is(t, n, "to"):
		if n > 0 && s.words[n-1].class&(modal|auxiliary|subject) != 0 {
			return ordered, false
		}
	case p.class&joiner != 0:
		return s.joined(i)
	case s.is(t, n, "will") || s.is(t, n, "by"):
		return stated, false
	case w.form&third != 0 && (s.is(t, n, "tool") || s.is(t, n, "server") || s.is(t, n, "function")):
		return stated, false
	case w.form&past != 0 && w.form&base == 0 && s.owed(i):
		return ordered, false
	case p.class&pointer != 0 && !(w.form&third != 0 && (s.is(t, n, "it") || s.is(t, n, "this") ||
		s.is(t, n, "that") || s.is(t, n, "which"))):
	case w.form&third != 0 && s.takes(i):
		return stated, false
	}
	return unsaid, false
}

// owed reports whether the act at word i is required in the passive: "should have a link appended".
func (s *sentence) owed(i int) bool {
	for k := i - 1; k >= max(0, i-bannedWords) && !s.words[k+1].stops; k-- {
		if s.words[k].class&modal != 0 && k+1 < i && s.words[k+1].class&modal != 0 {
			return true
		}
	}
	return false
}

// joined returns the mood of an act after "and" or a similar word: that of the earlier act, or its own.
func (s *sentence) joined(i int) (m mood, is bool) {
	w := &s.words[i]
	if !s.takes(i) {
		return unsaid, false
	}
	if len(s.mentions) > 0 && !s.words[s.mentions[len(s.mentions)-1].word].covered {
		last := s.mentions[len(s.mentions)-1]
		if before := &s.words[last.word]; before.form&w.form != 0 && last.mood != unsaid {
			return last.mood, true
		}
	}
	switch {
	case w.form&base != 0:
		return ordered, false
	case w.form&third != 0:
		return stated, false
	}
	return unsaid, false
}

// reach collects the words that belong to mention n: those up to the next act, and for the passive also those before
// it.
func (s *sentence) reach(n int) {
	d := &s.mentions[n]
	until := min(len(s.words), d.word+1+reachWords)
	for i := d.word + 1; i < until && !s.words[i].stops; i++ {
		if n+1 < len(s.mentions) && i == s.mentions[n+1].word || s.purpose(i) {
			break
		}
		d.what |= s.words[i].class
		d.shapes |= 1 << s.words[i].shape
	}
	if s.words[d.word].form&past == 0 || s.words[d.word].form&base != 0 {
		return
	}
	for i := d.word - 1; i >= max(0, d.word-reachWords) && !s.words[i+1].stops && !s.words[i].covered; i-- {
		if n > 0 && i == s.mentions[n-1].word {
			break
		}
		d.what |= s.words[i].class
		d.shapes |= 1 << s.words[i].shape
	}
}
