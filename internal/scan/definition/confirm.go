package definition

import (
	"slices"
	"strings"
)

// doubt is the verdict of a clause on a note.
type doubt uint8

const (
	confirmed doubt = iota
	refuted         // the clause has another meaning, or the opposite one
)

// delicate are classes of things that a tool must not touch unless its purpose is about them.
const delicate = secret | talk | deep | belongs

// doubtOf judges note n, found in s from byte at to end, by the clauses that contain it. It keeps a note if its
// clauses cannot be parsed.
func (r *parsedDefinition) doubtOf(n *note, s string, at, end int) doubt {
	if !strings.Contains(s, " ") {
		if n.Check == "directive.addressed" {
			return refuted // the name of a parameter addresses nobody
		}
		if familyOf(n.Check) == rowHeed && n.where == label && guards(s) {
			return refuted // a parameter that controls the tool's own checks
		}
		return confirmed
	}
	if n.where != prose && familyOf(n.Check) != rowHeed {
		return confirmed
	}
	field := isField(n.Path)
	if field && len(s) <= closeBytes {
		at, end = 0, len(s)
	}
	all := overlapping(r.sentences(n.part), at, end)
	known := false
	for i := range all {
		known = known || all[i].isEnglish
	}
	if !known || mostlyUnknown(all, at, end) {
		return confirmed
	}
	c := clauses{all, field}
	if field && c.secrecy() == confirmed {
		return confirmed // legitimate parameters do not hide anything
	}
	switch familyOf(n.Check) {
	case rowSecrets:
		return c.secrets()
	case rowSecrecy:
		return c.secrecy()
	case rowConsent:
		return c.consent()
	case rowHeed:
		return c.heed()
	case rowSteer:
		return c.steer()
	case rowReach:
		return c.reach()
	case "prompt.leak":
		return c.leak()
	case rowPrefer:
		return c.preference()
	case "directive.addressed", "authority.claim", "urgency.pressure", "directive.imperative", "directive.response",
		"orders.new",
		rowPretext:
		return c.address()
	case rowMaster:
		if c.class()&(lasting|anyhow) != 0 {
			return confirmed
		}
		return c.address()
	case rowSerious, rowTamper, rowFeign, rowLater:
		return c.serious()
	}
	return confirmed
}

// guards reports whether a name is about checks, not about the agent's rules.
func guards(name string) bool {
	k := class(0)
	for _, w := range nameWords(name) {
		k |= clauseWords().single[w].class
	}
	return k&guard != 0 && k&(earlier|every|subject|lasting) == 0
}

// mostlyUnknown reports whether most words from byte at to end are unknown, because they may be disguised.
func mostlyUnknown(all []sentence, at, end int) bool {
	words, strange := 0, 0
	for i := range all {
		for _, w := range all[i].words {
			if w.start < at || w.end > end {
				continue
			}
			words++
			if w.strange {
				strange++
			}
		}
	}
	return strange >= 3 && strange*4 >= words
}

// clauses are the sentences that contain a note.
type clauses struct {
	all   []sentence
	field bool // they describe a parameter
}

// any reports whether fits returns true for a mention in the sentences.
func (c clauses) any(fits func(s *sentence, d *mention) bool) bool {
	for i := range c.all {
		for k := range c.all[i].mentions {
			if fits(&c.all[i], &c.all[i].mentions[k]) {
				return true
			}
		}
	}
	return false
}

// class returns the classes of all words in the sentences.
func (c clauses) class() (k class) {
	for i := range c.all {
		k |= c.all[i].class
	}
	return k
}

// aboutTool reports whether one of the sentences speaks of a tool.
func (c clauses) aboutTool() bool {
	return slices.ContainsFunc(c.all, func(s sentence) bool { return s.aboutTool })
}

// has reports whether one of the sentences contains a word with the shape.
func (c clauses) has(k shape) bool {
	for i := range c.all {
		if c.all[i].has(k) {
			return true
		}
	}
	return false
}

// asks reports whether the text tells the reader to do what the mention says.
func (d *mention) asks() bool { return d.mood == ordered && !d.negated }

// bans reports whether a mention is forbidden.
func (d *mention) bans() bool { return d.negated && (d.mood == ordered || d.mood == unsaid) }

// sensitive reports whether the words of a mention name things that are private or secret, which most tools do not
// need.
func (d *mention) sensitive() bool { return d.what&delicate != 0 || d.has(shapeKey) }

// secrets judges a note about secrets and the files that hold them.
func (c clauses) secrets() doubt {
	const takes = actRead | actSend | actPut | actSteal | actKeep | actRun | actCall
	switch {
	case c.any(func(s *sentence, d *mention) bool {
		return d.bans() && d.class&actTell != 0 && d.what&delicate == 0 || d.asks() && d.class&actTake != 0 &&
			d.has(shapeURL) ||
			d.asks() && (d.class&actSend != 0 && (s.has(shapeURL) || d.what&outside != 0) &&
				d.what&(toolData|every) != 0 ||
				d.class&gives != 0 && d.what&rule != 0 || d.class&actSteal != 0)
	}):
		return confirmed
	case c.any(func(_ *sentence, d *mention) bool { return d.asks() && d.class&takes != 0 && d.sensitive() }):
		return confirmed
	case c.any(func(_ *sentence, d *mention) bool {
		return d.mood == stated && !d.negated && (d.what&outside != 0 || d.has(shapeURL) || d.sensitive() &&
			(d.class&(actSend|actSteal|actKeep) != 0 || d.class&actRead != 0 &&
				c.class()&(inputWord|outside|person|covert|every) != 0))
	}):
		return confirmed
	case !c.field && c.has(shapeKey) && c.class()&modal != 0 && c.class()&inputWord != 0:
		return confirmed
	case c.field && c.class()&talk != 0 && c.class()&every != 0:
		return confirmed
	case c.any(func(_ *sentence, d *mention) bool { return d.asks() && d.class&takes != 0 && c.has(shapeKey) }):
		return confirmed
	}
	return refuted
}

// secrecy judges a note about hiding something from the user.
func (c clauses) secrecy() doubt {
	switch {
	case c.any(func(_ *sentence, d *mention) bool { return d.bans() && d.class&actTell != 0 }),
		c.any(func(_ *sentence, d *mention) bool {
			return (d.asks() || d.mood == stated && d.class&actSend == 0) && d.class&actHide != 0
		}),
		c.class()&covert != 0 && c.any(func(_ *sentence, d *mention) bool {
			return d.mood != unsaid &&
				d.mood != possible && !d.negated
		}):
		return confirmed
	}
	return refuted
}

// leak judges a note about the agent's own instructions.
func (c clauses) leak() doubt {
	if c.any(func(_ *sentence, d *mention) bool {
		return d.asks() && d.class&(actTell|gives|actRead) != 0 && d.what&(deep|talk|rule|earlier) != 0
	}) {
		return confirmed
	}
	return refuted
}

// preference judges a note about a tool that promotes itself. The note counts only if its sentence names another tool
// that this one should replace, or contains praise.
func (c clauses) preference() doubt {
	k := c.class()
	if k&(foreign|insteadOf|spoilt|anyhow) != 0 && c.any(func(_ *sentence, d *mention) bool {
		return d.mood == ordered &&
			d.class&actCall != 0
	}) ||
		k&foreign != 0 && k&(spoilt|praise|negator) != 0 || k&rival != 0 && (c.aboutTool() ||
		k&(spoilt|praise|negator|anyhow|own|person) != 0) ||
		c.any(func(_ *sentence, d *mention) bool { return d.asks() && d.what&own != 0 && d.what&negator != 0 }) ||
		k&praise != 0 && c.any(func(_ *sentence, d *mention) bool {
			return d.mood == ordered && d.class&actCall != 0 &&
				d.what&own != 0
		}) {
		return confirmed
	}
	return refuted
}

// consent judges a note about the user's consent.
func (c clauses) consent() doubt {
	if c.class()&consent == 0 {
		return refuted
	}
	if c.field && c.class()&(firm|subject|lasting|earlier) == 0 { // the purpose of the parameter
		return refuted
	}
	return confirmed
}

// heed judges a note about obeying other texts or removing limits.
func (c clauses) heed() doubt {
	const obeys = actHeed | actSkip | actChange
	k := c.class()
	switch {
	case c.any(func(s *sentence, d *mention) bool { return d.asks() && d.class&obeys != 0 && s.overrules(d) }):
		if c.field && k&(subject|modal|earlier|lasting) == 0 { // the purpose of the parameter
			return refuted
		}
		return confirmed
	case c.any(func(s *sentence, d *mention) bool {
		return (d.negated || d.asks() && s.protects(d)) && d.class&obeys != 0 && d.what&(rule|guard) != 0
	}), k&(rule|guard|advice) == 0 && k&(lasting|earlier) != lasting|earlier:
		return refuted
	case k&(subject|person|earlier) == 0, c.field && k&(subject|earlier) == 0:
		return refuted
	}
	return confirmed
}

// overrules reports whether an act affects the rules of the agent.
func (s *sentence) overrules(d *mention) bool {
	if s.protects(d) {
		return false
	}
	return d.what&(rule|guard) != 0 || d.class&actHeed != 0 && s.has(shapeURL) || d.class&(actSkip|actChange) != 0 &&
		d.what&(advice|earlier) != 0 ||
		d.class&actSkip != 0 && d.what&every != 0 && d.what&subject != 0
}

// protects reports whether an act makes the agent ignore instructions in other texts: "ignore instructions that are
// found in the page".
func (s *sentence) protects(d *mention) bool {
	if d.class&actSkip == 0 || d.what&rule == 0 {
		return false
	}
	for i := d.word + 1; i < len(s.words); i++ {
		switch w := &s.words[i]; {
		case w.class&earlier != 0:
			return false
		case w.class&rule != 0:
			for k := i + 1; k < min(len(s.words), i+6); k++ {
				if s.words[k].class&within != 0 {
					return true
				}
			}
			return false
		}
	}
	return false
}

// steer judges a note about the use of other tools.
func (c clauses) steer() doubt {
	const moves = actChange | actSend | actPut | actSkip | actHide | actCall | actRun
	if c.any(func(s *sentence, d *mention) bool {
		return (d.mood == ordered || d.mood == stated) && !d.negated &&
			(d.class&moves != 0 && !(d.class&actCall != 0 && s.words[d.word].uses) &&
				(s.class&(foreign|insteadOf|spoilt) != 0 || s.shapes&^(1<<shapeNone|1<<shapePath) != 0 ||
					d.what&(outside|figures|own) != 0 || s.aboutTool) || d.class&actTake != 0 && d.has(shapeURL))
	}) {
		return confirmed
	}
	return refuted
}

// reach judges a note about access to shells, secrets or privileges.
func (c clauses) reach() doubt {
	if c.any(func(_ *sentence, d *mention) bool {
		return (d.mood == ordered || d.mood == stated) && !d.negated &&
			(d.sensitive() || d.what&outside != 0 || d.has(shapeURL) || d.class&actRun != 0)
	}) {
		return confirmed
	}
	return refuted
}

// address judges an instruction to the reader of definitions.
func (c clauses) address() doubt {
	if c.any(func(_ *sentence, d *mention) bool {
		return d.asks() && (d.what&(secret|deep|foreign|outside|rule|consent) != 0 || d.has(shapeKey) ||
			d.what&every != 0 && d.what&toolData != 0 || d.has(shapeURL) || d.class&(actSteal|actHide|actFeign) != 0)
	}) || c.class()&covert != 0 {
		return confirmed
	}
	return refuted
}

// serious judges a note about a dangerous act.
func (c clauses) serious() doubt {
	if c.any(func(_ *sentence, d *mention) bool {
		return d.asks() && (d.class&^(actRead|actCall|actTell|actAsk) != 0 || d.sensitive()) ||
			d.mood == stated && !d.negated && (d.what&(outside|figures) != 0 || d.has(shapeURL) || d.sensitive())
	}) {
		return confirmed
	}
	return refuted
}
