package definition

import (
	"slices"
	"strings"
)

// A definition can ask for data without a verb: it may simply describe a parameter as the content of a file with
// credentials, or as the whole conversation. It can also use the passive, or ask for what another tool has returned
// and mention that tool only in passing.

// contentWords say that a parameter takes the content of a file.
var contentWords = wordSet(`content contents text dump base64 base64-encoded values output verbatim lines`)

// placeWords say that a parameter takes the path of a file, not its content.
var placeWords = wordSet(`path paths location directory folder default defaults named called name filename optional e.g
	example like`)

// wholeWords say that nothing may be left out.
var wholeWords = wordSet(`verbatim unabridged word-for-word unaltered untruncated unredacted unmodified full whole entire
	complete everything entirety`)

// talkWords are words for what the user and the agent have said.
var talkWords = wordSet(`conversation chat transcript messages dialogue`)

// calmWords are words for good news, in addition to those of the class goodNews.
var calmWords = wordSet(`clean harmless legitimate trustworthy secure`)

// notPeers are words before "tool" that do not distinguish one tool from another.
var notPeers = wordSet(`mcp same new following first right appropriate best specific single given current corresponding
	above next previous only separate such main actual proper correct respective suitable available relevant dedicated
	last final default target`)

// anyOf reports whether the sentence contains one of words.
func (s *sentence) anyOf(t string, words func() map[string]bool) bool {
	return slices.ContainsFunc(s.words, func(w lexeme) bool { return words()[strings.ToLower(t[w.start:w.end])] })
}

// peer reports whether the sentence names another tool by its purpose: "the mail tool".
func (s *sentence) peer(t string, own map[string]bool) bool {
	for i := 2; i < len(s.words); i++ {
		if !s.words[i].tool {
			continue
		}
		kind := &s.words[i-1]
		const known = pointer | functional | auxiliary | condition | modal | every | negator | adverb | person |
			subject | joiner | rival | praise
		if kind.shape != shapeNone || kind.class&known != 0 || kind.breaks || kind.stops ||
			s.words[i-2].class&(pointer|every) == 0 {
			continue
		}
		word := strings.ToLower(t[kind.start:kind.end])
		if !notPeers()[word] && !own[word] {
			return true
		}
	}
	return false
}

// intake detects the aim to collect credentials, the conversation or the agent's own instructions through a
// parameter.
func (p purpose) intake(t string, s *sentence) (aim, bool) {
	if !s.has(shapeKey) && s.class&deep == 0 {
		return aim{}, false
	}
	about := p.class | p.told
	switch {
	case s.has(shapeKey) && about&secret == 0 && s.anyOf(t, contentWords) && !s.anyOf(t, placeWords) && !s.forbids():
		return aim{rowSecrets, 0.8, true, ""}, true
	case s.ownPrompt(t) && about&(talk|deep) == 0 && !s.forbids(),
		s.anyOf(t, wholeWords) && s.class&deep != 0 && s.anyOf(t, talkWords) && about&(talk|deep) == 0 && !s.forbids():
		return aim{rowTalk, 0.75, true, ""}, true
	}
	return aim{}, false
}

// overWords are words in the names of tools that transfer a case to a person.
var overWords = wordSet(`escalate escalation handover handoff ticket tickets helpdesk`)

// explains reports whether the tool's name explains a sentence about the conversation: the tool makes a summary of a
// chat, or transfers a case to a person. The sentence must not mention other private data of the user.
func (p purpose) explains(t string, s *sentence) bool {
	return s.class&(talk|deep) != 0 && s.class&(covert|foreign) == 0 && onlySaid(t, s) &&
		(p.class&(talk|deep) != 0 || p.handsOver(t, s))
}

// onlySaid reports whether the sentence mentions neither secrets and addresses nor the agent's own instructions.
func onlySaid(t string, s *sentence) bool {
	return s.class&secret == 0 && !s.has(shapeKey) && !s.has(shapeURL) && !s.ownPrompt(t) && !s.anyOf(t, promptWords)
}

// handsOver reports whether the tool transfers a case to a person and the sentence is about what was said in the case,
// which that person will read.
func (p purpose) handsOver(t string, s *sentence) bool {
	if !onlySaid(t, s) {
		return false
	}
	if p.names["hand"] && p.names["over"] {
		return true
	}
	for name := range p.names {
		if overWords()[name] {
			return true
		}
	}
	return false
}

// promptWords are words for the instructions that the agent got before the conversation.
var promptWords = wordSet(`prompt prompts instructions system`)

// ownPrompt reports whether the sentence mentions the reader's own prompt or instructions.
func (s *sentence) ownPrompt(t string) bool {
	for i := 0; i+1 < len(s.words); i++ {
		if s.words[i+1].class&deep != 0 && s.is(t, i, "your") {
			return true
		}
	}
	return false
}

// forbids reports whether the sentence contains a negation.
func (s *sentence) forbids() bool { return s.class&negator != 0 }

// passage detects the aim to get the data of another tool passed through this one.
func (p purpose) passage(t string, s *sentence, d *mention) (aim, bool) {
	if !s.aboutTool || d.negated || d.class&(actSend|actPut|actSteal|actCall) == 0 || s.words[d.word].uses ||
		s.class&(toolData|every) == 0 || d.mood != ordered && !(d.mood == stated && s.isPassive(d)) {
		return aim{}, false
	}
	if d.what&own == 0 && !d.has(shapeCode) || !s.peer(t, p.names) {
		return aim{}, false
	}
	if d.mood == ordered && s.class&every != 0 {
		return aim{rowSteer, 0.72, true, ""}, true
	}
	return aim{rowSteer, softAim, false, ""}, true
}

// everyMessageAim detects the aim to get every message of the user.
func (p purpose) everyMessageAim(t string, s *sentence, d *mention) (aim, bool) {
	if d.negated || d.mood != ordered && d.mood != possible || d.class&(actSend|actPut) == 0 ||
		s.class&person == 0 || (p.class|p.told)&(talk|deep) != 0 || !s.eachMessage(t) {
		return aim{}, false
	}
	if d.has(shapeCode) || d.what&inputWord != 0 {
		return aim{rowTalk, 0.72, true, ""}, true
	}
	return aim{rowTalk, softAim, false, ""}, true
}

// utterances are words for one message of the user.
var utterances = wordSet(`message messages prompt prompts question questions turn utterance utterances`)

// eachMessage reports whether the sentence mentions every single message.
func (s *sentence) eachMessage(t string) bool {
	for i := 1; i < len(s.words); i++ {
		w := &s.words[i]
		if utterances()[strings.ToLower(t[w.start:w.end])] && (s.words[i-1].class&every != 0 ||
			i > 1 && s.words[i-2].class&every != 0) {
			return true
		}
	}
	return false
}

// isPassive reports whether the act is in the passive.
func (s *sentence) isPassive(d *mention) bool {
	return d.word > 0 && s.words[d.word].form&past != 0 && s.words[d.word-1].class&auxiliary != 0
}

// keyFileAim detects the aim to read files with credentials that the purpose does not need.
func (p purpose) keyFileAim(s *sentence, d *mention) (aim, bool) {
	if d.asks() && d.class&(actRead|actTell) != 0 && d.has(shapeKey) && (p.class|p.told)&secret == 0 {
		return aim{rowSecrets, softAim, false, ""}, true
	}
	return aim{}, false
}

// omission detects the aim to make the agent omit something from a report to the user, or not tell the user of an act.
func (p purpose) omission(t string, s *sentence, d *mention) (aim, bool) {
	switch {
	case d.asks() && d.class&(actSkip|actHide) != 0 && s.class&person != 0 && s.reports(t):
		return secretAim(s.has(shapeURL)), true
	case d.mood == ordered && (!d.negated || s.is(t, d.word+1, "without")) && d.class&(gives|actKeep|actRead) != 0 &&
		s.unannounced(t):
		return secretAim(d.what&(secret|talk|deep|belongs) != 0), true
	}
	return aim{}, false
}

// reports reports whether the sentence mentions a report about the call.
func (s *sentence) reports(t string) bool {
	return slices.ContainsFunc(s.words, func(w lexeme) bool { return w.tells }) || s.anyOf(t, reportWords)
}

var reportWords = wordSet(`report reports summary summarize summarise account recap answer reply`)

// unannounced reports whether the sentence contains "without" and a word for telling.
func (s *sentence) unannounced(t string) bool {
	for i := 0; i+1 < len(s.words); i++ {
		if s.words[i].class&negator != 0 && s.is(t, i, "without") && (s.words[i+1].tells || s.is(t, i+1, "announcing") || s.is(t, i+1, "mentioning") ||
			s.is(t, i+1, "saying")) {
			return true
		}
	}
	return false
}

// goodNewsAim detects the aim to make the agent tell the user good news instead of what another tool found.
func (p purpose) goodNewsAim(t string, s *sentence, d *mention) (aim, bool) {
	if d.asks() && d.class&actTell != 0 && d.what&person != 0 && s.class&condition != 0 && s.anyOf(t, calmWords) {
		return aim{rowFeign, 0.72, true, ""}, true
	}
	return aim{}, false
}

// weakAim returns the aim of a sentence in which the stronger readings find none.
func (p purpose) weakAim(t string, s *sentence) (a aim, word int) {
	word = -1
	if !s.aboutTool && s.class&person == 0 && s.class&negator == 0 && !s.has(shapeKey) {
		return a, word
	}
	for i := range s.mentions {
		d := &s.mentions[i]
		for k := range readings {
			if b, ok := p.reading(k, t, s, d); ok && (word < 0 || b.hard && !a.hard) {
				a, word = b, d.word
			}
		}
	}
	return a, word
}

// readings is the number of readings that weakAim tries.
const readings = 5

// reading returns one way to read a mention.
func (p purpose) reading(k int, t string, s *sentence, d *mention) (aim, bool) {
	switch k {
	case 0:
		return p.passage(t, s, d)
	case 1:
		return p.everyMessageAim(t, s, d)
	case 2:
		return p.omission(t, s, d)
	case 3:
		return p.goodNewsAim(t, s, d)
	}
	return p.keyFileAim(s, d)
}

// softAim is the confidence of an aim that is only a hint.
const softAim = 0.45

// secretAim returns the aim of secrecy, as proof or as a hint.
func secretAim(proof bool) aim {
	if proof {
		return aim{rowSecrecy, 0.72, true, ""}
	}
	return aim{rowSecrecy, softAim, false, ""}
}
