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
	Value      string      // the decoded value: never log it, never store it
	Spans      []text.Span // where it is
	How        string      // the encoding that was undone, such as "base64"; "" for none
	Path       string      // path of the first span
	Severity   mcpproxy.Severity
	Confidence float64
	Example    bool // it looks like documentation
}

// Part returns the index of the part in which the finding begins.
func (f *Finding) Part() int { return f.Spans[0].Part }

// Signal converts the finding to a signal, without its value.
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

// Detector finds secrets and personal data. Its rules are compiled on first use, or by [Detector.Warm].
type Detector struct {
	shapes  []Rule           // rules with a pattern
	names   *names           // rules for assigned values, by name
	heads   heads            // prefixes of shapes
	kinds   map[string]*Rule // the enabled kinds of personal data, by id
	compile sync.Once
	points  pointer
	located []shape // by index in shapes
	err     error
}

// New returns a detector with the given rules and the given kinds of personal data, by id or category. Without kinds
// it finds all of them.
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

// Warm compiles the rules, so that no call has to wait for this.
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

// Find returns the sensitive values in doc, in reading order. If several rules match the same stretch, the rule with
// the highest confidence wins. An error means that the document was not read and must be treated as suspect.
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
		return nil, fmt.Errorf("searching for secrets: %w", err)
	}
	named := d.names.lookup()
	for _, v := range views {
		name := ""
		if doc.Parts[v.Part].Kind != text.Key {
			name = memberName(doc, v.Part)
		}
		if !v.Mirrored() && !v.ClosedUp() { // there, names are not next to their values
			found = named.find(found, v, name)
		}
		found = d.findPersonal(found, v, doc)
	}
	found = surest(found)
	found = deepest(found, doc)
	setPaths(found, doc)
	return found, nil
}

// memberName returns the name to which a part is assigned: the name of an entry such as {"name": "TOKEN", "value":
// "…"}, or else of an object member. The result for a cookie begins with "cookie".
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

// findPersonal adds the personal data in v. It skips text that was reversed or decoded from rot13, in which numbers
// are meaningless.
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

// deepest drops findings in a JSON string that were also found in the JSON inside the string.
func deepest(found []Finding, doc *text.Document) []Finding {
	type place struct {
		rule *Rule
		part int
	}
	inner := map[place][]text.Span{} // in reading order, like found
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

// setPaths sets the paths of the findings. The name of a member can be a secret, so paths are masked.
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

// findShapes adds the matches of shapes in all views.
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
				return nil, fmt.Errorf("the match of %s could not be located", d.shapes[i].ID)
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

// locateAll returns the positions of a pattern's values in buf.
func locateAll(pattern *re2.Regexp, buf []byte) (values [][2]int) {
	for pass := 0; ; pass++ {
		matches := pattern.FindAllSubmatchIndex(buf, -1)
		for _, at := range matches {
			if len(at) >= 4 && at[2] >= 0 {
				at = at[2:4]
			}
			values = append(values, [2]int{at[0], at[1]})
		}
		// The character that ends a value can also begin the next. Such a pattern would skip every other value of a
		// list.
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

// appendFinding adds the match of a rule at v.Text[start:end], unless it is a placeholder.
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
	} // users know what their own patterns match
	if rule.Proof != nil && rule.Proof(value) {
		f.Confidence, f.Example = 1, false
	}
	return append(found, f)
}

// surest drops findings within the stretch of a finding with higher confidence, and sorts the rest in reading order.
// It keeps all different values from one encoded stretch.
func surest(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		switch {
		case a.Confidence != b.Confidence:
			return -compare(a.Confidence, b.Confidence)
		case a.How != b.How && (a.How == "" || b.How == ""):
			return strings.Compare(a.How, b.How) // undecoded before decoded
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

// maxCompared is the maximum number of values of one stretch that are compared.
const maxCompared = 100

// isNew reports whether f adds to the values that were already found in the same stretch: no such value contains the
// value of f. It returns false if nothing was found there.
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

// stretches is the set of bytes that findings cover, by part, with one bit for each byte.
type stretches map[int][]uint64

// add marks spans. It returns false if all of them are marked already, or, for a value that would be split, if any of
// them is.
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

// take marks a span, and reports whether a byte of it was not marked before.
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
