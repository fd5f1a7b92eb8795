package scan

import (
	"strings"

	"mcpproxy/internal/text"
)

// minInstruction is how sure a phrase must be to count as an instruction when
// it was disguised.
const minInstruction = 0.55

// minText is the length of the shortest text that can say anything, in bytes.
const minText = 9

// Content finds the instructions and the hidden text in d, in reading order.
// Every view of every part is read; what several views show is reported once,
// as the plainest of them shows it.
func Content(d *text.Document) []Finding { return content().Find(d) }

// Find finds what the grammar's rows describe in d, in reading order; see
// [Content].
func (g *Grammar) Find(d *text.Document) []Finding { return g.FindAndTell(d, nil) }

// Meaning is what a word or a phrase of a text means, as a set of concepts, and where it
// begins. Which concept is which number may change from one release to the next.
type Meaning struct {
	Start    int
	Concepts [3]uint64
}

// FindAndTell is [Grammar.Find], and calls tell with the meanings in each part as it stands,
// in order. The slice is used again after the call.
func (g *Grammar) FindAndTell(d *text.Document, tell func(part int, all []Meaning)) []Finding {
	t := g.pool.Get().(*scratch)
	defer g.putBack(t)
	s := scanner{
		d:       d,
		scratch: t,
		tell:    tell,
		hails:   g.hails,
	}
	for _, v := range d.Views() {
		s.view(v)
	}
	for i := range s.found {
		s.found[i].Path = d.Path(d.Parts[s.found[i].Spans[0].Part])
	}
	return s.found
}

// Warm builds the vocabulary, so that no text has to wait for it.
func Warm() { content().Warm() }

// scratch is the pooled state of a scanner.
type scratch struct {
	r *viewReader
	m *matcher
	regions
	meanings []Meaning
}

// maxIdle is how many elements a scratch keeps room for in each of its buffers: less than
// 1 MB.
const maxIdle = 1 << 13

// putBack returns a scratch to the pool, without the text it read and without buffers that
// grew large for it.
func (g *Grammar) putBack(t *scratch) {
	t.r.text = ""
	shed(&t.r.marks)
	shed(&t.r.points)
	shed(&t.meanings)
	shed(&t.m.taken)
	shed(&t.m.found)
	shed((*[]interval)(&t.code))
	shed((*[]interval)(&t.unseen))
	g.pool.Put(t)
}

// shed drops a buffer that has room for more than maxIdle elements.
func shed[T any](buffer *[]T) {
	if cap(*buffer) > maxIdle {
		*buffer = nil
	}
}

// scanner gathers the findings of one document.
type scanner struct {
	*scratch
	d     *text.Document
	v     *text.View
	found []Finding
	seen  map[proofKey]intervals // where each check found something already
	at    map[key]int            // index into found
	tell  func(part int, all []Meaning)
	hails bool // what is asked of machines is read
}

// proofKey is a check in a part, at one level of proof.
type proofKey struct {
	check string
	part  int
	level int
}

// key is what makes two observations one finding.
type key struct {
	check string
	part  int
	how   string
}

// view reads one view.
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
	if s.hails {
		s.hailed()
	}
	s.shapes()
}

// phrase judges a match of a row by where it stands.
func (s *scanner) phrase(m match) {
	row := &s.m.rows[m.row]
	marks := s.r.marks
	if s.hails && row.Check == checkRole && s.supposed(m.first) {
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

// disguised reports an instruction once more if it stood where people do not
// see it, or appeared only after decoding.
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

// observation is something seen in the current view.
type observation struct {
	check      string
	tier       Tier
	sure       float64
	start, end int
}

// level ranks what o proves, from 0 to topLevel.
func (o observation) level() int {
	if o.tier == TierHard {
		return topLevel
	}
	return min(int(o.sure*topLevel), topLevel-1)
}

const topLevel = 6

// shown reports whether a plainer view showed as much where o stands.
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
	if s.seen == nil { // most documents hold nothing
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

// stronger reports whether o proves more than f.
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

// decodes reports whether how undoes an encoding, rather than how text is
// written or cut.
func decodes(how string) bool {
	for _, name := range [...]string{"base64", "base32", "hex", "character codes", "tag characters", "variation selectors", "rot13", "reversal"} {
		if strings.Contains(how, name) {
			return true
		}
	}
	return false
}
