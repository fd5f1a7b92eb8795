package definition

import (
	"strings"

	"mcpproxy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

// minAim is the minimum length, in bytes, of a text whose aims are examined.
const minAim = 20

// aim is a harmful purpose of a clause.
type aim struct {
	check  string
	sure   float64
	hard   bool
	detail string
}

// aims adds notes for the aims of the clauses of a definition.
func (r *parsedDefinition) aims(t *ToolView) {
	p := purposeOf(t)
	p.told = r.toldPurpose(t)
	for i := range r.doc.Parts {
		part := &r.doc.Parts[i]
		if part.Kind != text.Value || part.Opened() || len(part.Text) < minAim || !strings.Contains(part.Text, " ") {
			continue
		}
		path, s := "", part.Text
		all := r.sentences(i)
		for k := range all {
			x := &all[k]
			if !x.isEnglish {
				continue
			}
			if path == "" {
				path = r.path(*part)
			}
			a, at := p.aimOf(s, x, isField(path))
			if at < 0 {
				continue
			}
			if stands := positionOf(s, x.words[at].start); stands != instructed && stands != described ||
				watches(s, x.end) || anyWord(s[x.start:x.end], attacks()) {
				continue
			}
			r.of[i] = append(r.of[i], len(r.notes))
			tier := scan.TierSoft
			if a.hard {
				tier = scan.TierHard
			}
			r.notes = append(r.notes, note{
				Finding: scan.Finding{
					Check:      a.check,
					Tier:       tier,
					Severity:   mcpproxy.SeverityHigh,
					Confidence: a.sure,
					Evidence:   cut(strings.TrimSpace(s[x.start:x.end])),
					Detail:     a.detail,
					Spans:      []text.Span{{Part: i, Start: x.start, End: x.end}},
					Path:       path,
				},
				part:  i,
				where: placeOf(path, part.Kind),
				sure:  a.sure,
				hard:  a.hard,
			})
		}
	}
}

// toldPurpose returns the classes of the words in the first sentence of the description.
func (r *parsedDefinition) toldPurpose(t *ToolView) class {
	for i := range r.doc.Parts {
		if part := &r.doc.Parts[i]; part.Kind == text.Value && len(part.Text) > 0 && part.Text == t.Description {
			return r.sentences(i)[0].class
		}
	}
	return 0
}

// purpose is what a tool works with.
type purpose struct {
	class                 // according to its name
	told  class           // according to the first sentence of its description
	names map[string]bool // the words of its name
}

// purposeOf determines the purpose from the name and the title of t.
func purposeOf(t *ToolView) purpose {
	p := purpose{names: map[string]bool{}}
	for _, name := range [...]string{t.Name, t.Title} {
		for _, w := range nameWords(name) {
			p.names[w] = true
			p.class |= clauseWords().single[w].class | clauseWords().single[strings.TrimSuffix(w, "s")].class
		}
	}
	if talkative(t) {
		p.class |= talk | deep
	}
	if p.class&talk != 0 {
		p.class |= deep
	}
	return p
}

// aimOf returns the aim of a sentence that has nothing to do with the tool's purpose, and the index of the word for
// the act. The index is -1 if there is no aim.
func (p purpose) aimOf(t string, s *sentence, field bool) (a aim, word int) {
	if p.handsOver(t, s) {
		p.class |= talk | deep
	}
	if field && len(s.words) > 0 {
		if a, ok := p.intake(t, s); ok {
			return a, 0
		}
	}
	for i := range s.mentions {
		d := &s.mentions[i]
		for _, look := range [...]func(*sentence, *mention, bool) (aim, bool){p.theft, p.relay, p.secrecy, p.deception,
			p.unasked, p.takeover} {
			if a, ok := look(s, d, field); ok {
				return a, d.word
			}
		}
	}
	return p.weakAim(t, s)
}

const gives = actSend | actPut | actSteal

// theft detects the aim to get credentials or the conversation.
func (p purpose) theft(s *sentence, d *mention, _ bool) (aim, bool) {
	if !d.asks() || d.class&(gives|actRead|actKeep|actRun) == 0 {
		return aim{}, false
	}
	leaves := s.class&(inputWord|outside) != 0 || s.has(shapeCode) || s.has(shapeURL) || d.what&(inputWord|own) != 0
	gone := s.gives(leaves)
	switch {
	case d.class&(gives|actKeep) != 0 && d.what&persistence != 0:
		return aim{rowSerious, 0.75, true, ""}, true
	case d.has(shapeKey) && gone && s.keyTaken(d):
		return aim{rowSecrets, 0.85, true, ""}, true
	case d.what&deep != 0 && p.class&(deep|talk) == 0 && gone && d.class&gives != 0:
		return aim{rowTalk, 0.8, true, ""}, true
	case d.what&secret != 0 && p.class&secret == 0 && d.what&(every|person|belongs) != 0 && gone && leaves:
		return aim{rowSecrets, 0.72, d.what&(every|belongs) != 0 || s.class&covert != 0, ""}, true
	case d.what&belongs != 0 && d.what&person != 0 && gone && p.class&belongs == 0 && (s.has(shapeURL) ||
		s.class&outside != 0):
		return aim{rowSecrets, 0.72, true, ""}, true
	}
	return aim{}, false
}

// gives reports whether the data that a sentence mentions is to be passed on.
func (s *sentence) gives(leaves bool) bool {
	for i := range s.mentions {
		if d := &s.mentions[i]; d.asks() && d.class&(gives|actKeep) != 0 {
			return leaves || d.what&(toolData|pointer) != 0
		}
	}
	return false
}

// keyTaken reports whether a sentence says that a file with credentials is read, and not that data is written beside
// it.
func (s *sentence) keyTaken(d *mention) bool {
	if d.class&(actRead|actSend|actSteal) != 0 {
		return true
	}
	for i := d.word + 1; i < len(s.words); i++ {
		if s.words[i].shape == shapeKey {
			for k := i - 1; k > d.word; k-- {
				if s.words[k].into {
					return false
				}
				if s.words[k].class&pointer == 0 {
					break
				}
			}
			return true
		}
	}
	return false
}

// relay detects the aim to get the data of other tools passed through this tool, or sent elsewhere.
func (p purpose) relay(s *sentence, d *mention, field bool) (aim, bool) {
	if !d.asks() {
		return aim{}, false
	}
	others := s.class&foreign != 0
	switch {
	case others && (d.class&gives != 0 || s.words[d.word].calls()) && d.what&own != 0 && s.class&toolData != 0:
		return aim{rowSteer, 0.8, true, ""}, true
	case others && d.class&actPut != 0 && d.what&foreign != 0 && d.what&(every|toolData) != 0 && d.what&rule == 0:
		return aim{rowSteer, 0.72, true, ""}, true
	case d.class&(actSend|actChange) != 0 && d.has(shapeURL) && s.class&(toolData|every|belongs) != 0 &&
		(d.what&every != 0 || s.class&(every|foreign|insteadOf) != 0):
		return aim{rowSteer, 0.75, true, ""}, true
	case !field && d.class&actSend != 0 && d.has(shapeURL) && d.what&toolData != 0:
		return aim{rowSteer, 0.72, true, ""}, true
	case d.class&actChange != 0 && d.what&figures != 0 && s.has(shapeName) && s.class&condition != 0:
		return aim{rowTamper, 0.72, true, ""}, true
	}
	return aim{}, false
}

// secrecy detects the aim to hide an act from the user.
func (p purpose) secrecy(s *sentence, d *mention, field bool) (aim, bool) {
	switch {
	case d.bans() && d.class&actTell != 0 && d.class&(actSend|actRead) == 0 && d.what&person != 0 &&
		d.what&toolData == 0 && s.telling(d):
		return aim{rowSecrecy, 0.72, !field && d.mood == ordered, ""}, true
	case d.asks() && d.class&actHide != 0 && d.what&person != 0:
		return aim{rowSecrecy, 0.75, true, ""}, true
	}
	return aim{}, false
}

// telling reports whether the act means to tell somebody something, and not to display data.
func (s *sentence) telling(d *mention) bool { return s.words[d.word].tells }

// deception detects the aim to make the agent tell the user something untrue.
func (p purpose) deception(s *sentence, d *mention, field bool) (aim, bool) {
	switch {
	case field || !d.asks():
	case d.class&actTell != 0 && d.what&person != 0 && s.class&anyhow != 0,
		d.class&actTell != 0 && d.what&goodNews != 0 && (d.what&person != 0 || s.class&anyhow != 0) &&
			s.class&condition != 0 && d.what&negator == 0:
		return aim{rowFeign, 0.72, true, ""}, true
	case d.class&actFeign != 0 && d.class&actHeed == 0:
		return aim{rowFeign, 0.6, d.what&(person|goodNews|toolData) != 0, ""}, true
	}
	return aim{}, false
}

// unasked detects the aim to act without the user's consent.
func (p purpose) unasked(s *sentence, d *mention, field bool) (aim, bool) {
	switch {
	case field || p.class&consent != 0:
	case d.asks() && d.class&actSkip != 0 && d.what&consent != 0:
		return aim{rowConsent, 0.72, true, ""}, true
	case d.asks() && d.class&actHeed != 0 && d.what&consent != 0 && d.what&person != 0:
		return aim{rowConsent, 0.72, true, ""}, true
	case d.bans() && d.mood == ordered && d.class&actAsk != 0 && d.what&person != 0 && d.what&consent != 0 &&
		s.class&(every|lasting) != 0:
		return aim{rowConsent, 0.6, false, ""}, true
	}
	return aim{}, false
}

// takeover detects the aim to make the agent obey somebody else.
func (p purpose) takeover(s *sentence, d *mention, field bool) (aim, bool) {
	switch {
	case !d.asks():
	case d.class&actHeed != 0 && d.class&actCall == 0 && d.what&rule != 0 && d.what&advice == 0 &&
		s.class&toolData != 0 && s.class&(every|own) != 0 && !field:
		return aim{rowHeed, 0.7, true, ""}, true
	case d.class&actSkip != 0 && d.what&rule != 0 && d.what&earlier != 0 && !field && !s.protects(d):
		return aim{rowHeed, 0.72, true, ""}, true
	}
	return aim{}, false
}
