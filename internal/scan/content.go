package scan

import (
	"strings"

	"mcpproxy/internal/text"
)

// minInstruction is the minimum confidence with which an encoded phrase counts as an instruction.
const minInstruction = 0.55

// minText is the minimum length, in bytes, of a text that is examined.
const minText = 9

// Content finds the instructions and the hidden text in d, in reading order. It reads every view of every part. A
// finding in several views is reported once, for the view with the fewest encodings.
func Content(d *text.Document) []Finding { return content().Find(d) }

// Find finds the matches of the grammar's rows in d, in reading order; see [Content].
func (g *Grammar) Find(d *text.Document) []Finding { return g.FindAndTell(d, nil) }

// Meaning is the meaning of a word or a phrase of a text, as a set of concepts, with its position. The numbers of
// concepts may change between releases.
type Meaning struct {
	Start    int
	Concepts [3]uint64
}

// FindAndTell is [Grammar.Find], but also calls tell with the meanings of each part, in order. The slice is reused
// after the call.
func (g *Grammar) FindAndTell(d *text.Document, tell func(part int, all []Meaning)) []Finding {
	t := g.pool.Get().(*scratch)
	defer g.putBack(t)
	s := scanner{
		d:       d,
		scratch: t,
		tell:    tell,
		appeals: g.appeals,
	}
	for _, v := range d.Views() {
		s.view(v)
	}
	if g.appeals {
		s.fieldsForAgents()
	}
	for i := range s.found {
		s.found[i].Path = d.Path(d.Parts[s.found[i].Spans[0].Part])
	}
	return s.found
}

// Warm builds the vocabulary in advance.
func Warm() {
	content().Warm()
	allRoles()
}

// scratch is the pooled state of a scanner.
type scratch struct {
	r *viewReader
	m *matcher
	regions
	meanings []Meaning
	roles    []roleToken
}

// maxIdle is the maximum capacity of each buffer of an idle scratch, in elements: less than 1 MB.
const maxIdle = 1 << 13

// putBack returns a scratch to the pool, without the last text and without buffers that grew large.
func (g *Grammar) putBack(t *scratch) {
	t.r.text = ""
	shed(&t.r.marks)
	shed(&t.r.points)
	shed(&t.meanings)
	shed(&t.roles)
	shed(&t.m.taken)
	shed(&t.m.found)
	shed((*[]interval)(&t.code))
	shed((*[]interval)(&t.unseen))
	g.pool.Put(t)
}

// shed drops a buffer with a capacity of more than maxIdle elements.
func shed[T any](buffer *[]T) {
	if cap(*buffer) > maxIdle {
		*buffer = nil
	}
}

// scanner collects the findings of one document.
type scanner struct {
	*scratch
	d       *text.Document
	v       *text.View
	found   []Finding
	seen    map[proofKey]intervals // positions at which each check has already found something
	at      map[key]int            // index into found
	tell    func(part int, all []Meaning)
	appeals bool // whether it searches for instructions to machines; see appeal.go
}

// proofKey is a check in a part, at one level of evidence.
type proofKey struct {
	check string
	part  int
	level int
}

// key identifies observations that are one finding.
type key struct {
	check string
	part  int
	how   string
}

// view examines one view.
func (s *scanner) view(v *text.View) {
	s.v = v
	if v.How == "" {
		s.hidden()
	}
	if len(v.Text) < minText {
		return
	}
	s.r.read(v, !v.Mirrored())
	if s.tell != nil && v.How == "" {
		s.meanings = s.meanings[:0]
		for _, m := range s.r.marks {
			s.meanings = append(s.meanings, Meaning{m.start, m.means})
		}
		s.tell(v.Part, s.meanings)
	}
	s.survey()
	for _, m := range s.m.run(s.r.marks) {
		s.phrase(m)
	}
	if s.appeals {
		s.findAppeals()
		s.findMandates()
		s.forgedTurns()
	}
	s.shapes()
}

// phrase weighs the match of a row by its position.
func (s *scanner) phrase(m match) {
	row := &s.m.rows[m.row]
	marks := s.r.marks
	if s.appeals && row.Check == checkRole && s.supposed(m.first) {
		return
	}
	o := observation{
		check: row.Check,
		tier:  row.Tier,
		sure:  row.Sure,
		start: marks[m.first].start,
		end:   marks[m.last].end,
	}
	if m.partly {
		o.tier, o.sure = TierSoft, o.sure/2
	}
	switch s.position(m, row.Plain) {
	case negated:
		return
	case asked:
		o.tier, o.sure = TierSoft, min(0.2, o.sure/2)
	case discussed:
		o.tier, o.sure = TierSoft, min(0.1, o.sure/2)
	default:
		s.disguised(o)
	}
	s.observe(o)
}

// disguised reports an instruction a second time if people cannot see it or if it appeared only after decoding.
func (s *scanner) disguised(o observation) {
	if o.sure < minInstruction {
		return
	}
	o.tier, o.sure = TierHard, max(o.sure, 0.9)
	if s.unseen.meets(o.start, o.end) {
		o.check = checkHidden
		s.observe(o)
	}
	if decodes(s.v.How) {
		o.check = checkDecoded
		s.observe(o)
	}
}

// observation is an observation in the current view.
type observation struct {
	check      string
	tier       Tier
	sure       float64
	start, end int
}

// level returns the strength of o as evidence, from 0 to topLevel.
func (o observation) level() int {
	if o.tier == TierHard {
		return topLevel
	}
	return min(int(o.sure*topLevel), topLevel-1)
}

const topLevel = 6

// shown reports whether a view with fewer encodings has an equally strong observation at the same place.
func (s *scanner) shown(o observation, at text.Span) bool {
	if s.v.How == "" {
		return false
	}
	for level := o.level(); level <= topLevel; level++ {
		if s.seen[proofKey{o.check, at.Part, level}].meets(at.Start, at.End) {
			return true
		}
	}
	return false
}

// observe adds o to the findings, unless a plainer view showed it.
func (s *scanner) observe(o observation) {
	spans := s.v.Spans(o.start, o.end)
	at := spans[0]
	if s.shown(o, at) {
		return
	}
	if s.seen == nil { // most documents contain nothing suspicious
		s.seen, s.at = map[proofKey]intervals{}, map[key]int{}
	}
	where := proofKey{o.check, at.Part, o.level()}
	s.seen[where] = s.seen[where].with(at.Start, at.End)
	k := key{o.check, at.Part, s.v.How}
	i, known := s.at[k]
	if !known {
		i = len(s.found)
		s.at[k] = i
		s.found = append(s.found, s.finding(o))
	} else if f := &s.found[i]; stronger(o, f) {
		spans := f.Spans
		*f = s.finding(o)
		f.Spans = spans
	}
	s.found[i].Spans = merge(s.found[i].Spans, spans)
}

// stronger reports whether o is stronger evidence than f.
func stronger(o observation, f *Finding) bool {
	if (o.tier == TierHard) != (f.Tier == TierHard) {
		return o.tier == TierHard
	}
	return o.sure > f.Confidence
}

func (s *scanner) finding(o observation) Finding {
	c := checkNamed(o.check)
	f := Finding{
		Check:      o.check,
		Tier:       o.tier,
		Threat:     c.threat,
		Severity:   c.severity,
		Confidence: min(max(o.sure, 0), 1),
		Detail:     c.detail,
		How:        s.v.How,
		Evidence:   evidence(s.v.Text, o.start, o.end),
	}
	if o.tier == TierSoft {
		f.Severity = milder(f.Severity)
	}
	return f
}

// decodes reports whether how names an encoding, rather than a change of form or a split.
func decodes(how string) bool {
	for _, name := range [...]string{"base64", "base32", "hex", "character codes", "tag characters", "variation selectors", "rot13", "reversal"} {
		if strings.Contains(how, name) {
			return true
		}
	}
	return false
}
