package detect

import (
	"fmt"
	"slices"
	"sync"

	re2 "github.com/wasilibs/go-re2"
	"github.com/wasilibs/go-re2/experimental"

	"mcpproxy"
	"mcpproxy/internal/text"
)

// maxFindings bounds the secrets of one document. One with more counts as
// unreadable: what is not listed could not be masked.
const maxFindings = 2000

// Finding is one secret in a document.
type Finding struct {
	Rule  *Rule
	Value string // the secret itself: never log it, never store it
	Part  int    // index into Document.Parts
	Path  string
}

// Signal is the finding as the rest of the house may see it.
func (f Finding) Signal() mcpproxy.Signal {
	return mcpproxy.Signal{
		Source: mcpproxy.SourcePII, Kind: f.Rule.ID, Category: f.Rule.Category,
		Severity: f.Rule.Severity, Confidence: f.Rule.Confidence,
		Evidence: Masked(f.Rule.ID, f.Value), Path: f.Path, Example: isExample(f.Value),
	}
}

// Detector finds secrets. Its rules are compiled on first use, or by [Detector.Warm].
type Detector struct {
	rules   []Rule
	compile sync.Once
	set     *experimental.Set
	locate  []func() *re2.Regexp
	err     error
}

// New returns a detector for the given rules.
func New(rules []Rule) *Detector { return &Detector{rules: rules} }

// Warm compiles the rules, so that no call has to wait for it.
func (d *Detector) Warm() error {
	d.compile.Do(func() {
		patterns := make([]string, len(d.rules))
		for i, r := range d.rules {
			patterns[i] = r.Pattern
			d.locate = append(d.locate, sync.OnceValue(func() *re2.Regexp { return re2.MustCompile(r.Pattern) }))
		}
		d.set, d.err = experimental.CompileSet(patterns)
	})
	return d.err
}

// Find returns the secrets in doc, in reading order, each value once per part.
// An error means that the document was not read and must be treated as suspect.
func (d *Detector) Find(doc *text.Document) ([]Finding, error) {
	if len(doc.Parts) == 0 {
		return nil, nil
	}
	if err := d.Warm(); err != nil {
		return nil, fmt.Errorf("compiling the secret rules: %w", err)
	}
	joined := doc.Join()
	hits, err := d.set.FindAllWithError(joined.Buf, len(d.rules))
	if err != nil {
		return nil, fmt.Errorf("reading for secrets: %w", err)
	}
	slices.Sort(hits)
	var found []Finding
	seen := map[Finding]bool{}
	for _, i := range hits {
		if found, err = d.locateAll(found, seen, i, joined); err != nil {
			return nil, fmt.Errorf("reading for secrets: %w", err)
		}
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return a.Part - b.Part })
	for i := range found { // a secret can be a key, and so part of a path
		found[i].Path = doc.PathWith(doc.Parts[found[i].Part], func(name string) string { return MaskText(name, found) })
	}
	return found, nil
}

// locateAll adds where rule i matches.
func (d *Detector) locateAll(found []Finding, seen map[Finding]bool, i int, joined *text.Joined) ([]Finding, error) {
	rule := &d.rules[i]
	for _, at := range d.locate[i]().FindAllSubmatchIndex(joined.Buf, -1) {
		start, end := at[0], at[1]
		if len(at) >= 4 && at[2] >= 0 {
			start, end = at[2], at[3]
		}
		if joined.InName(start) {
			continue // names are read on their own
		}
		end = min(end, joined.End(start)) // a value ends with its string
		value := string(joined.Buf[start:end])
		if rule.Entropy > 0 && entropy(value) < rule.Entropy {
			continue
		}
		part := joined.At(start)
		if same := (Finding{Value: value, Part: part}); seen[same] {
			continue
		} else {
			seen[same] = true
		}
		if len(found) == maxFindings { // what is not found cannot be masked
			return nil, fmt.Errorf("more than %d secrets", maxFindings)
		}
		found = append(found, Finding{Rule: rule, Value: value, Part: part})
	}
	return found, nil
}
