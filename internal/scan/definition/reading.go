package definition

import (
	"slices"
	"strings"

	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

// parsedDefinition is a definition in the form that the checks read.
type parsedDefinition struct {
	doc      *text.Document
	path     func(text.Part) string
	notes    []note
	of       map[int][]int          // part → its notes
	talks    bool                   // the tool's purpose is conversations and models
	read     map[int][]sentence     // part → its sentences, parsed on demand
	worst    map[int]int            // part whose notes add up to an injection → the strongest note
	meanings map[int][]scan.Meaning // for tools, the meanings of the words of each part
}

// note is one match of the grammar.
type note struct {
	scan.Finding
	part   int
	where  where
	sure   float64 // confidence after the reduction for its position
	hard   bool
	stands position
	doubt  doubt // the verdict of its clause
}

// parseDefinition parses a definition. It panics on failure, so that every check that needs it counts as failed.
func parseDefinition(t *ToolView) *parsedDefinition {
	raw, err := t.declared()
	if err != nil {
		panic(err)
	}
	doc, err := text.Parse(raw, "")
	if err != nil {
		panic(err)
	}
	r := &parsedDefinition{
		doc:   doc,
		of:    map[int][]int{},
		worst: map[int]int{},
		read:  map[int][]sentence{},
	}
	paths := doc.Paths(func(name string) string { return name })
	r.path = func(p text.Part) string { return strings.TrimPrefix(paths(p), ".") }
	r.talks = t.kind() == KindTool && talkative(t)
	var tell func(int, []scan.Meaning)
	if t.kind() == KindTool {
		r.meanings = map[int][]scan.Meaning{}
		tell = func(part int, all []scan.Meaning) { r.meanings[part] = slices.Clone(all) }
	}
	for _, f := range grammar().FindAndTell(doc, tell) {
		r.note(f)
	}
	r.doubts()
	r.aims(t)
	r.weigh()
	return r
}

// sentences returns the sentences of a part.
func (r *parsedDefinition) sentences(part int) []sentence {
	all, ok := r.read[part]
	if !ok {
		all = sentencesOf(r.doc.Parts[part].Text)
		r.read[part] = all
	}
	return all
}

// light are kinds of findings that legitimate definitions often have; their confidence is reduced by this factor.
var light = map[string]float64{
	"tool.request":         0,
	"directive.imperative": 0.5,
	"credential.request":   0.5,
	"directive.response":   0.6,
	"urgency.pressure":     0.5,
	"role.takeover":        0.6,
	rowReach:               0.4,
	"refusal.forbidden":    0.5,
}

// families are kinds of findings with the same meaning, which do not add up.
var families = map[string]string{
	"exfiltration.request": rowSecrets,
	"credential.request":   rowSecrets,
	"secrecy.demand":       rowSecrecy,
	"consent.skipped":      rowConsent,
	"limits.removed":       rowHeed,
	"phrase.injection":     rowHeed,
	"refusal.forbidden":    rowHeed,
	rowAddress:             "directive.addressed",
	rowTalk:                rowSecrets,
}

// aspects are kinds of findings that require a sentence.
var aspects = map[string]bool{
	rowTamper:     true,
	rowPretext:    true,
	rowLater:      true,
	rowSerious:    true,
	"orders.new":  true,
	"prompt.leak": true,
	rowAddress:    true,
	rowMaster:     true,
	rowFeign:      true,
	rowSecrecy:    true,
	rowConsent:    true,
}

// familyOf returns the family of a kind of finding.
func familyOf(kind string) string {
	if f := families[kind]; f != "" {
		return f
	}
	return kind
}

// note adds a finding with its confidence at its position.
func (r *parsedDefinition) note(f scan.Finding) {
	at := f.Spans[0]
	part := r.doc.Parts[at.Part]
	f.Path = r.path(part)
	if f.Check == rowSecretsField {
		if !isField(f.Path) {
			return
		}
		f.Check = rowSecrets
	}
	if f.Check == rowPrefer && isField(f.Path) {
		return
	}
	if aspects[f.Check] && !encoded(f.How) && !strings.Contains(part.Text, " ") { // a name is not a sentence
		return
	}
	n := note{
		Finding: f,
		part:    at.Part,
		where:   placeOf(f.Path, part.Kind),
		sure:    f.Confidence,
		hard:    f.Tier == scan.TierHard,
	}
	if r.talks && f.Check == rowTalk { // passing on the conversation is its purpose
		n.hard, n.sure = false, n.sure/2
	}
	if share, ok := light[f.Check]; ok && !n.hard {
		n.sure *= share
	}
	if f.Check == "markup.fake" && strings.HasPrefix(f.Evidence, "{") {
		n.sure *= 0.3 // many tools handle messages in JSON
	}
	if f.How == "" || !encoded(f.How) {
		r.stand(&n, part.Text, min(at.Start, len(part.Text)))
	}
	r.of[n.part] = append(r.of[n.part], len(r.notes))
	r.notes = append(r.notes, n)
}

// stand reduces the confidence of a note according to its position in s.
func (r *parsedDefinition) stand(n *note, s string, at int) {
	p, end := positionOf(s, at), max(at, min(n.Spans[0].End, len(s)))
	if p != reported && (familyOf(n.Check) == rowHeed && positionOf(s, end) == reported || watches(s, end)) {
		p = reported // it describes at its end what it looks for
	}
	n.stands = p
	consent := n.Check == rowConsent || n.Check == "consent.skipped"
	switch {
	case p == reported, p == quoted && n.Check != rowSecrets && n.Check != rowSteer,
		consent && p == described: // a tool may describe what it does without asking
		n.hard = false
	case n.Check == "command.execute" && sampled(s, len(strings.TrimRight(s[:end], ".!?)\"'` "))):
		n.hard, n.sure = false, n.sure/4
	case consent && forbids(s, at, end): // "do not … without asking"
		n.hard, n.sure = false, n.sure/4
	case familyOf(n.Check) == rowSecrecy && aboutGames(s, at, end):
		n.hard, n.sure = false, n.sure/2
	}
	if !n.hard {
		n.sure *= p.share()
	}
}

// doubts reduces the weight of notes that their clauses contradict. It does not do this in a part that contains
// disguised text, or text that imitates the marks of a chat.
func (r *parsedDefinition) doubts() {
	for part, own := range r.of {
		s := r.doc.Parts[part].Text
		if slices.ContainsFunc(own, func(i int) bool {
			return r.notes[i].How != "" || r.notes[i].Check == "markup.fake" && r.notes[i].Confidence >= 0.5
		}) {
			continue
		}
		for _, i := range own {
			n := &r.notes[i]
			at := n.Spans[0]
			n.doubt = r.doubtOf(n, s, min(at.Start, len(s)), min(at.End, len(s)))
			if n.doubt == refuted {
				n.hard, n.sure = false, n.sure*refutedShare
			}
		}
	}
}

// refutedShare is the part of a note's weight that remains if its clause denies it.
const refutedShare = 0.15

// weigh finds the parts in which notes of several families, close to the strongest note, add up to an injection.
func (r *parsedDefinition) weigh() {
	for part, own := range r.of {
		best := -1
		for _, i := range own {
			if r.notes[i].Check != rowPrefer && (best < 0 || r.notes[i].sure > r.notes[best].sure) {
				best = i
			}
		}
		if best >= 0 &&
			r.sum(
				own,
				best,
				func(n *note) bool { return n.Check != rowPrefer && n.sure >= minCounted },
			) >= scan.InjectedAt {
			r.worst[part] = best
		}
	}
}

// closeBytes is the maximum distance, in bytes, from the strongest note at which other notes add to it.
const closeBytes = 480

// encodedBytes is the maximum number of bytes of a letter in an encoding.
const encodedBytes = 6

// sum returns the combined confidence of the notes in own that pick selects and that are close to the note best. Each
// family counts once, with its highest confidence.
func (r *parsedDefinition) sum(own []int, best int, pick func(*note) bool) float64 {
	total := 0.0
	most := map[string]float64{}
	at := r.notes[best].Spans[0]
	for _, i := range own {
		n := &r.notes[i]
		if !pick(n) {
			continue
		}
		near := closeBytes
		if encoded(n.How) {
			near *= encodedBytes
		}
		if s := n.Spans[0]; s.Start > at.End+near || at.Start > s.End+near {
			continue
		}
		family := familyOf(n.Check)
		if n.sure > most[family] {
			total += n.sure - most[family]
			most[family] = n.sure
		}
	}
	return total
}

// minCounted is the minimum confidence of a note that adds up with others.
const minCounted = 0.2

// group is the set of kinds of findings that one check reports.
type group struct {
	kinds  []string
	threat string
	where  func(where) bool
	least  float64 // minimum combined confidence at which soft notes of a part are reported
	proof  float64 // minimum combined confidence at which they are hard
}

// told converts the notes of g to signals, one for each part.
func (r *parsedDefinition) told(g group) []Signal {
	var out []Signal
	done := map[int]bool{}
	for _, n := range r.notes {
		if done[n.part] || !slices.Contains(g.kinds, n.Check) || !g.where(n.where) {
			continue
		}
		done[n.part] = true
		if s, ok := r.judge(g, n.part); ok {
			out = append(out, s)
		}
	}
	return out
}

// judge converts the notes of g in a part to one signal.
func (r *parsedDefinition) judge(g group, part int) (Signal, bool) {
	best := -1
	for _, i := range r.of[part] {
		if n := r.notes[i]; slices.Contains(g.kinds, n.Check) && (best < 0 || isStronger(n, r.notes[best])) {
			best = i
		}
	}
	if best < 0 {
		return Signal{}, false
	}
	sum := r.sum(r.of[part], best, func(n *note) bool { return slices.Contains(g.kinds, n.Check) })
	n := r.notes[best]
	s := Signal{
		Tier:       scan.TierSoft,
		ThreatType: g.threat,
		Confidence: min(sum, 1),
		Severity:   softer(n.Severity),
		Evidence:   n.Evidence,
		Detail:     describe(n),
		Path:       n.Path,
	}
	worst, injected := r.worst[part]
	if n.hard || sum >= g.proof || injected && worst == best {
		s.Tier = scan.TierHard
		s.Severity = n.Severity
		s.Confidence = max(sum, n.sure, scan.InjectedAt)
	} else if sum < g.least {
		return Signal{}, false
	}
	s.Confidence = min(s.Confidence, 1)
	return s, true
}

// isStronger reports whether a is stronger evidence than b.
func isStronger(a, b note) bool {
	if a.hard != b.hard {
		return a.hard
	}
	return a.sure > b.sure
}

// encoded reports whether how names an encoding, rather than a change of form or a split.
func encoded(how string) bool {
	for _, name := range [...]string{"base64", "base32", "hex", "character codes", "tag characters",
		"variation selectors", "rot13", "reversal",
		"escapes", "form encoding", "quoted-printable"} {
		if strings.Contains(how, name) {
			return true
		}
	}
	return false
}
