package definition

import (
	"slices"
	"strings"

	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

// reading is a definition as the checks read it.
type reading struct {
	doc   *text.Document
	path  func(text.Part) string
	notes []note
	of    map[int][]int // part → its notes
	worst map[int]int   // part in which notes amount to an injection together → the strongest of them
}

// note is one thing that the grammar found.
type note struct {
	scan.Finding
	part  int
	where where
	sure  float64 // after the discount for its position
	hard  bool
}

// newReading reads a definition. It panics when that cannot be done, so that
// every check which needed it counts as failed.
func newReading(t *ToolView) *reading {
	raw, err := t.declared()
	if err != nil {
		panic(err)
	}
	doc, err := text.Parse(raw, "")
	if err != nil {
		panic(err)
	}
	r := &reading{doc: doc, of: map[int][]int{}, worst: map[int]int{}}
	paths := doc.Paths(func(name string) string { return name })
	r.path = func(p text.Part) string { return strings.TrimPrefix(paths(p), ".") }
	for _, f := range grammar.Find(doc) {
		r.note(f)
	}
	r.weigh()
	return r
}

// light are kinds of finding that honest definitions are full of; they count
// only by this share.
var light = map[string]float64{"tool.request": 0, "directive.imperative": 0.5, "credential.request": 0.5,
	"directive.response": 0.6, "urgency.pressure": 0.5, "role.takeover": 0.6, rowReach: 0.4,
	"refusal.forbidden": 0.5}

// families are kinds of finding that say the same in other words. They do not
// add up.
var families = map[string]string{"exfiltration.request": rowLoot, "credential.request": rowLoot, "secrecy.demand": rowSecrecy, "consent.skipped": rowSecrecy,
	"limits.removed": rowHeed, "phrase.injection": rowHeed, "refusal.forbidden": rowHeed}

// familyOf is what a kind of finding adds up as.
func familyOf(kind string) string {
	if f := families[kind]; f != "" {
		return f
	}
	return kind
}

// note adds a finding with what it is worth where it stands.
func (r *reading) note(f scan.Finding) {
	at := f.Spans[0]
	part := r.doc.Parts[at.Part]
	f.Path = r.path(part)
	n := note{Finding: f, part: at.Part, where: placeOf(f.Path, part.Kind), sure: f.Confidence, hard: f.Tier == scan.TierHard}
	if share, ok := light[f.Check]; ok && !n.hard {
		n.sure *= share
	}
	if f.Check == "markup.fake" && strings.HasPrefix(f.Evidence, "{") {
		n.sure *= 0.3 // messages in JSON are what many tools handle
	}
	if f.How == "" || !encoded(f.How) {
		p := positionOf(part.Text, min(at.Start, len(part.Text)))
		if p == reported || p == quoted && n.Check != rowLoot && n.Check != rowSteer {
			n.hard = false
		}
		if !n.hard {
			n.sure *= p.share()
		}
	}
	r.of[n.part] = append(r.of[n.part], len(r.notes))
	r.notes = append(r.notes, n)
}

// weigh finds the parts in which soft notes amount to an injection together.
func (r *reading) weigh() {
	for part, own := range r.of {
		var found []scan.Finding
		best := own[0]
		for _, i := range own {
			n := &r.notes[i]
			if n.sure > r.notes[best].sure {
				best = i
			}
			if n.sure >= minCounted {
				f := n.Finding
				f.Confidence, f.Tier, f.Check = n.sure, scan.TierSoft, familyOf(n.Check)
				found = append(found, f)
			}
		}
		if len(found) > 1 && scan.Injected(found) {
			r.worst[part] = best
		}
	}
}

// minCounted is how sure a note must be to add up with others.
const minCounted = 0.2

// group is a set of kinds of finding that one check answers for.
type group struct {
	kinds  []string
	threat string
	where  func(where) bool
	least  float64 // what soft notes of a part must be worth together to be told
	proof  float64 // from here on they are hard
}

// told makes signals of the notes of g, one for each part.
func (r *reading) told(g group) []Signal {
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

// judge makes one signal of the notes of g in a part.
func (r *reading) judge(g group, part int) (Signal, bool) {
	best, sum := -1, 0.0
	most := map[string]float64{}
	for _, i := range r.of[part] {
		n := r.notes[i]
		if !slices.Contains(g.kinds, n.Check) {
			continue
		}
		family := familyOf(n.Check)
		if n.sure > most[family] {
			sum += n.sure - most[family]
			most[family] = n.sure
		}
		if best < 0 || outdoes(n, r.notes[best]) {
			best = i
		}
	}
	if best < 0 {
		return Signal{}, false
	}
	n := r.notes[best]
	s := Signal{Tier: scan.TierSoft, ThreatType: g.threat, Confidence: min(sum, 1), Severity: softer(n.Severity), Evidence: n.Evidence,
		Detail: describe(n), Path: n.Path}
	worst, injected := r.worst[part]
	if n.hard || sum >= g.proof || injected && worst == best {
		s.Tier, s.Severity, s.Confidence = scan.TierHard, n.Severity, max(sum, n.sure, scan.InjectedAt)
	} else if sum < g.least {
		return Signal{}, false
	}
	s.Confidence = min(s.Confidence, 1)
	return s, true
}

// outdoes reports whether a proves more than b.
func outdoes(a, b note) bool {
	if a.hard != b.hard {
		return a.hard
	}
	return a.sure > b.sure
}

// encoded reports whether how undoes an encoding, rather than how text is
// written or cut.
func encoded(how string) bool {
	for _, name := range [...]string{"base64", "base32", "hex", "character codes", "tag characters", "variation selectors", "rot13", "reversal",
		"escapes", "form encoding", "quoted-printable"} {
		if strings.Contains(how, name) {
			return true
		}
	}
	return false
}
