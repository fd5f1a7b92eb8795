package detect

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	re2 "github.com/wasilibs/go-re2"

	"mcpproxy"
	"mcpproxy/internal/detect/personal"
	"mcpproxy/internal/text"
)

// Finding is one secret or piece of personal data in a document.
type Finding struct {
	Rule       *Rule
	Value      string      // the value itself, disguises undone: never log it, never store it
	Spans      []text.Span // where it stands
	How        string      // the disguise that was undone, such as "base64"; "" for none
	Path       string      // of the first span
	Severity   mcpproxy.Severity
	Confidence float64
	Example    bool // it looks like documentation
}

// Part is the index of the part that the finding begins in.
func (f *Finding) Part() int { return f.Spans[0].Part }

// Signal is the finding as the rest of the house may see it.
func (f *Finding) Signal() mcpproxy.Signal {
	return mcpproxy.Signal{
		Source:     mcpproxy.SourcePII,
		Kind:       f.Rule.ID,
		Category:   f.Rule.Category,
		Severity:   f.Severity,
		Confidence: f.Confidence,
		Evidence:   Masked(f.Rule.ID, f.Value),
		Path:       f.Path,
		Example:    f.Example,
	}
}

// Detector finds secrets and personal data. Its rules are compiled on first
// use, or by [Detector.Warm].
type Detector struct {
	shapes  []Rule           // found by their own shape
	names   *names           // found by the name they are assigned to
	heads   heads            // how shapes begin
	kinds   map[string]*Rule // of personal data that is looked for, by id
	compile sync.Once
	points  pointer
	located []shape // of shapes
	err     error
}

// New returns a detector for the given rules, and for the kinds of personal data
// named by id or category: for all when none is named.
func New(rules []Rule, kinds ...string) *Detector {
	d := &Detector{kinds: personalKinds(kinds)}
	var named []Rule
	for _, r := range rules {
		if r.Pattern != "" {
			d.shapes = append(d.shapes, r)
		} else {
			named = append(named, r)
		}
	}
	d.names, d.heads = newNames(named), newHeads(d.shapes)
	return d
}

// Warm compiles the rules, so that no call has to wait for it.
func (d *Detector) Warm() error {
	d.compile.Do(func() { d.err = d.compileAll() })
	return d.err
}

func (d *Detector) compileAll() (err error) {
	if err := d.names.compile(); err != nil || len(d.shapes) == 0 {
		return err
	}
	patterns := make([]string, len(d.shapes))
	d.located = make([]shape, len(d.shapes))
	for i := range d.shapes {
		if d.located[i], patterns[i], err = newShape(&d.shapes[i]); err != nil {
			return err
		}
	}
	d.points, err = newPointer(d.located, patterns)
	return err
}

// Find returns what is sensitive in doc, in reading order. Where several rules
// claim the same stretch, the surest one has it. An error means that the
// document was not read and must be treated as suspect.
func (d *Detector) Find(doc *text.Document) ([]Finding, error) {
	if len(doc.Parts) == 0 {
		return nil, nil
	}
	if err := d.Warm(); err != nil {
		return nil, fmt.Errorf("compiling the rules: %w", err)
	}
	views := doc.Views()
	found, err := d.findShapes(nil, append(views[:len(views):len(views)], d.heads.chains(doc)...))
	if err != nil {
		return nil, fmt.Errorf("reading for secrets: %w", err)
	}
	named := d.names.lookup()
	for _, v := range views {
		name := ""
		if doc.Parts[v.Part].Kind != text.Key {
			name = memberName(doc, v.Part)
		}
		if !v.Mirrored() && !v.ClosedUp() { // there, no name is next to its value
			found = named.find(found, v, name)
		}
		found = d.findPersonal(found, v, doc)
	}
	found = surest(found)
	found = deepest(found, doc)
	setPaths(found, doc)
	return found, nil
}

// memberName is the name of what the part is the value of: an entry of a list such as
// {"name": "TOKEN", "value": "…"}, or else an object member. That of a cookie begins with "cookie".
func memberName(doc *text.Document, part int) string {
	name := doc.Name(doc.Parts[part])
	entry, cookie := doc.Entry(part)
	if entry == "" || len(entry) > maxName {
		return name
	}
	if cookie || strings.Contains(strings.ToLower(name), "cookie") {
		return "cookie " + entry
	}
	return entry
}

// findPersonal adds the personal data in v. What is read backwards or in rot13 is
// no number of anybody.
func (d *Detector) findPersonal(found []Finding, v *text.View, doc *text.Document) []Finding {
	if len(d.kinds) == 0 || v.Mirrored() {
		return found
	}
	field := ""
	if p := doc.Parts[v.Part]; p.Kind != text.Key {
		field = doc.Field(p)
	}
	for _, hit := range personal.Find(v.Text, field) {
		rule := d.kinds[hit.Rule.ID]
		if rule == nil {
			continue
		}
		value := v.Text[hit.Start:hit.End]
		found = append(found, Finding{
			Rule:       rule,
			Value:      strings.Clone(value),
			Spans:      v.Spans(hit.Start, hit.End),
			How:        v.How,
			Severity:   hit.Severity,
			Confidence: hit.Confidence,
			Example:    isTestCard(value),
		})
	}
	return found
}

// deepest drops what was found in a string that holds JSON and again in the JSON
// itself.
func deepest(found []Finding, doc *text.Document) []Finding {
	type place struct {
		rule *Rule
		part int
	}
	inner := map[place][]text.Span{} // in reading order, since found is
	for i := range found {
		f := &found[i]
		for host, ok := doc.Host(f.Spans[0]); ok; host, ok = doc.Host(host) {
			p := place{f.Rule, host.Part}
			inner[p] = append(inner[p], host)
		}
	}
	if len(inner) == 0 {
		return found
	}
	return slices.DeleteFunc(found, func(f Finding) bool {
		within := inner[place{f.Rule, f.Part()}]
		i, _ := slices.BinarySearchFunc(
			within,
			f.Spans[0].Start,
			func(s text.Span, start int) int { return s.End - 1 - start },
		)
		return i < len(within) && within[i].Start <= f.Spans[0].Start && f.Spans[0].End <= within[i].End
	})
}

// setPaths says where the findings stand. A secret can be a member's name, and
// so be part of a path.
func setPaths(found []Finding, doc *text.Document) {
	var keys []Finding
	for i := range found {
		if doc.Parts[found[i].Part()].Kind == text.Key {
			keys = append(keys, found[i])
		}
	}
	path := doc.Paths(NewMasker(keys).Text)
	for i := range found {
		found[i].Path = path(doc.Parts[found[i].Part()])
	}
}

// findShapes adds what the shapes match in any of the views.
func (d *Detector) findShapes(found []Finding, views []*text.View) ([]Finding, error) {
	if len(d.shapes) == 0 {
		return found, nil
	}
	joined := text.Join(views)
	hits, err := d.points.hits(joined.Buf)
	if err != nil {
		return nil, err
	}
	for _, i := range hits {
		shape := &d.located[i]
		pattern, err := shape.locate()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.shapes[i].ID, err)
		}
		values := locateAll(pattern, joined.Buf)
		if len(values) == 0 {
			missed, err := shape.missed(joined.Buf)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", d.shapes[i].ID, err)
			}
			if missed {
				return nil, fmt.Errorf("what matches %s could not be located", d.shapes[i].ID)
			}
		}
		for _, at := range values {
			v, from := joined.At(at[0])
			to := min(from+at[1]-at[0], len(v.Text)) // a value ends with its view
			if from, ok := shape.begin(v.Text, from); ok {
				found = appendFinding(found, &d.shapes[i], v, from, to)
			}
		}
	}
	return found, nil
}

// locateAll is where the values of a pattern stand in buf.
func locateAll(pattern *re2.Regexp, buf []byte) (values [][2]int) {
	for pass := 0; ; pass++ {
		matches := pattern.FindAllSubmatchIndex(buf, -1)
		for _, at := range matches {
			if len(at) >= 4 && at[2] >= 0 {
				at = at[2:4]
			}
			values = append(values, [2]int{at[0], at[1]})
		}
		// What ends one value can be what begins the next: such a pattern passes
		// over every other one of a list.
		if len(matches) == 0 || pass == 1 || !strings.Contains(pattern.String(), "(?:^|") {
			return values
		}
		buf = slices.Clone(buf)
		for _, at := range values {
			for n := at[0]; n < at[1]; n++ {
				buf[n] = '\n'
			}
		}
	}
}

// appendFinding adds what rule saw at v.Text[start:end], if it is not a
// placeholder.
func appendFinding(found []Finding, rule *Rule, v *text.View, start, end int) []Finding {
	value := v.Text[start:end]
	if value == "" || rule.Entropy > 0 && entropy(value) < rule.Entropy || rule.Check != nil && !rule.Check(value) {
		return found
	}
	f := Finding{
		Rule:       rule,
		Value:      strings.Clone(value),
		Spans:      v.Spans(start, end),
		How:        v.How,
		Severity:   rule.Severity,
		Confidence: rule.Confidence,
		Example:    rule.Category != "custom" && isExample(value),
	} // users know what they look for
	if rule.Proof != nil && rule.Proof(value) {
		f.Confidence, f.Example = 1, false
	}
	return append(found, f)
}

// surest drops what lies in the stretch of a surer finding, and sorts the rest
// in reading order. Different values that came out of one encoded stretch are all
// kept.
func surest(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		switch {
		case a.Confidence != b.Confidence:
			return -compare(a.Confidence, b.Confidence)
		case a.How != b.How && (a.How == "" || b.How == ""):
			return strings.Compare(a.How, b.How) // as it stands before disguised
		}
		return len(b.Value) - len(a.Value)
	})
	taken, inside := stretches{}, map[text.Span][]string{}
	kept := found[:0]
	for _, f := range found {
		if taken.add(f.Spans) || isNew(inside[f.Spans[0]], &f) {
			kept = append(kept, f)
			if f.How != "" {
				inside[f.Spans[0]] = append(inside[f.Spans[0]], f.Value)
			}
		}
	}
	slices.SortStableFunc(kept, func(a, b Finding) int {
		x, y := a.Spans[0], b.Spans[0]
		if x.Part != y.Part {
			return x.Part - y.Part
		}
		return x.Start - y.Start
	})
	return kept
}

// maxCompared bounds the values of one stretch that are compared.
const maxCompared = 100

// isNew reports whether f says more than the values that came out of the same
// stretch already.
func isNew(values []string, f *Finding) bool {
	if len(values) == 0 {
		return false
	}
	return !slices.ContainsFunc(values[:min(len(values), maxCompared)], func(v string) bool {
		return strings.Contains(v, f.Value)
	})
}

func compare(a, b float64) int {
	if a < b {
		return -1
	}
	return 1
}

// stretches are the bytes taken of each part, one bit for each.
type stretches map[int][]uint64

// add takes spans. It reports false when all of them are taken already, or, of
// a value that would be split, any of them.
func (s stretches) add(spans []text.Span) bool {
	added := false
	for _, span := range spans {
		if s.take(span) {
			added = true
		} else if len(spans) > 1 {
			return added
		}
	}
	return added
}

// take takes a span, and reports whether it was not taken as a whole.
func (s stretches) take(span text.Span) bool {
	end := max(span.End, span.Start+1)
	row := s[span.Part]
	if need := (end + 63) / 64; len(row) < need {
		row = append(row, make([]uint64, max(need, 2*len(row))-len(row))...)
		s[span.Part] = row
	}
	free := false
	for at := span.Start; at < end; {
		bits := ^uint64(0) << (at % 64)
		next := min((at/64+1)*64, end)
		if next%64 != 0 {
			bits &= 1<<(next%64) - 1
		}
		free = free || row[at/64]&bits != bits
		row[at/64] |= bits
		at = next
	}
	return free
}
