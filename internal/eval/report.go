package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcpproxy/internal/scan"
)

// Report holds the results of a measurement, in total and by category.
type Report struct {
	// By is the grouping of the rows or sessions; empty for labels.
	By             By                 `json:"by,omitempty"`
	Metrics        Metrics            `json:"metrics"`
	ByCategory     map[string]Metrics `json:"by_category"`
	Misses         []Item             `json:"misses"`
	FalsePositives []Item             `json:"false_positives"`
	// OutOfScope counts the rows that are skipped because none of their labels is searched for; Weak counts those
	// marked as weak.
	OutOfScope *LeftOut `json:"out_of_scope,omitempty"`
	Weak       int      `json:"weak_left_out,omitempty"`
	// Sessions are the figures of recorded sessions by label. Checks are the times of the gate's decisions. Both are
	// for flows only.
	Sessions map[string]SessionMetrics `json:"sessions,omitempty"`
	Checks   *Times                    `json:"check_ms,omitempty"`
	// Suites are the figures of recorded sessions by suite, if requested, sorted by name.
	Suites []SuiteMetrics `json:"by_suite,omitempty"`
	// Carrying counts, for cases measured together, the false alarms with 40 letters or more from some case's
	// internal result that no external result contains.
	Carrying int `json:"false_alarms_that_carry,omitempty"`
	// ByTier are malicious definitions by the finding that they need, Reviews counts benign ones with only soft
	// findings, and Security has the figures of RFC-004; for definitions only.
	ByTier   map[scan.Tier]Metrics `json:"by_tier,omitempty"`
	Reviews  []Item                `json:"reviews,omitempty"`
	Security *SecurityTestMetrics  `json:"security_test_metrics,omitempty"`

	all   tally
	parts map[string]*tally
}

// LeftOut counts skipped rows, in total and by label.
type LeftOut struct {
	Rows   int            `json:"rows"`
	Labels map[string]int `json:"labels"`
}

// Item is one row with a wrong result.
type Item struct {
	Place
	Category string   `json:"category"`
	Kind     string   `json:"kind,omitempty"`
	Found    []string `json:"found,omitempty"` // the findings
	Text     string   `json:"text,omitempty"`
	*Step             // for a recorded session
}

// Metrics are the figures of a set of rows. A ratio is nil if its denominator is zero: there is no recall without
// positives.
type Metrics struct {
	Recall            *float64 `json:"recall"`
	FalsePositiveRate *float64 `json:"false_positive_rate"`
	Precision         *float64 `json:"precision"`
	F1                *float64 `json:"f1"`
	// MacroRecall is the mean of the categories' recalls.
	MacroRecall *float64 `json:"macro_recall,omitempty"`
	// MacroDetectable leaves out the encodings that no comparison of contents can detect; for flows only.
	MacroDetectable *float64 `json:"macro_recall_detectable,omitempty"`
	AvgTimeMS       float64  `json:"avg_time_ms"`
	Positives       int      `json:"positives"`
	Negatives       int      `json:"negatives"`
	Found           int      `json:"found"`
	FalseAlarms     int      `json:"false_alarms"`
	// AnyFindings counts the negatives with any finding, even if it is too weak for a false alarm; for definitions
	// only.
	AnyFindings    *int     `json:"any_findings,omitempty"`
	AnyFindingRate *float64 `json:"any_finding_rate,omitempty"`
}

// tally counts answers.
type tally struct {
	positives, negatives, found, alarms, noticed int
	took                                         time.Duration
}

func (t *tally) add(positive bool, a answer) {
	t.took += a.took
	if !positive && a.noticed {
		t.noticed++
	}
	switch {
	case positive && a.found:
		t.positives++
		t.found++
	case positive:
		t.positives++
	case a.found:
		t.negatives++
		t.alarms++
	default:
		t.negatives++
	}
}

func (t *tally) metrics() Metrics {
	m := Metrics{
		Positives:         t.positives,
		Negatives:         t.negatives,
		Found:             t.found,
		FalseAlarms:       t.alarms,
		Recall:            ratio(t.found, t.positives),
		FalsePositiveRate: ratio(t.alarms, t.negatives),
		Precision:         ratio(t.found, t.found+t.alarms),
		F1:                ratio(2*t.found, t.positives+t.found+t.alarms),
	}
	if n := t.positives + t.negatives; n > 0 {
		m.AvgTimeMS = float64(t.took) / float64(time.Millisecond) / float64(n)
	}
	return m
}

func ratio(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	r := float64(part) / float64(whole)
	return &r
}

// outcome is one row with its result.
type outcome struct {
	Place
	categories []string
	kind, text string
	positive   bool
	answer
}

func newReport(by By) *Report {
	return &Report{
		By:             by,
		ByCategory:     map[string]Metrics{},
		Misses:         []Item{},
		FalsePositives: []Item{},
		parts:          map[string]*tally{},
	}
}

func (r *Report) outOfScope(labels []string) {
	if r.OutOfScope == nil {
		r.OutOfScope = &LeftOut{Labels: map[string]int{}}
	}
	r.OutOfScope.Rows++
	for _, l := range labels {
		r.OutOfScope.Labels[l]++
	}
}

// add counts one row: once in total, and in each of its categories.
func (r *Report) add(o outcome) {
	r.count(o)
	item := Item{
		Place:    o.Place,
		Category: strings.Join(o.categories, "|"),
		Kind:     o.kind,
		Found:    o.by,
		Text:     o.text,
	}
	switch {
	case o.positive && !o.found:
		r.Misses = append(r.Misses, item)
	case !o.positive && o.found:
		r.FalsePositives = append(r.FalsePositives, item)
	case !o.positive && o.noticed:
		r.Reviews = append(r.Reviews, item)
	}
}

// count adds one row to the totals only.
func (r *Report) count(o outcome) {
	r.all.add(o.positive, o.answer)
	for _, c := range o.categories {
		c = cmp.Or(c, "(none)")
		if r.parts[c] == nil {
			r.parts[c] = &tally{}
		}
		r.parts[c].add(o.positive, o.answer)
	}
}

// finish computes the figures.
func (r *Report) finish(macro bool) {
	r.Metrics = r.all.metrics()
	for c, t := range r.parts {
		r.ByCategory[c] = t.metrics()
	}
	if macro {
		r.Metrics.MacroRecall = r.macro(func(string) bool { return true })
	}
}

// finishNoticed also computes the figures of weaker findings.
func (r *Report) finishNoticed() {
	r.finish(false)
	with := func(m Metrics, t *tally) Metrics {
		m.AnyFindings, m.AnyFindingRate = &t.noticed, ratio(t.noticed, t.negatives)
		return m
	}
	r.Metrics = with(r.Metrics, &r.all)
	for c, t := range r.parts {
		r.ByCategory[c] = with(r.ByCategory[c], t)
	}
}

// macro returns the mean recall of the categories for which counted is true, or nil if none of them has positives.
func (r *Report) macro(counted func(category string) bool) *float64 {
	sum, n := 0.0, 0
	for _, c := range slices.Sorted(maps.Keys(r.ByCategory)) {
		if recall := r.ByCategory[c].Recall; recall != nil && counted(c) {
			sum += *recall
			n++
		}
	}
	if n == 0 {
		return nil
	}
	mean := sum / float64(n)
	return &mean
}

// Gate holds the required figures; nil means no requirement.
type Gate struct{ MinRecall, MaxFPR *float64 }

// Missed returns the requirements that m does not meet. A figure that could not be computed does not meet a
// requirement, because a check that measured nothing must not look like a passed one.
func (g Gate) Missed(m Metrics) []string {
	var missed []string
	switch {
	case g.MinRecall == nil:
	case m.Recall == nil:
		missed = append(missed, "there is no recall: the input has no positives")
	case *m.Recall < *g.MinRecall:
		missed = append(missed, fmt.Sprintf("recall %.6g is below %.6g", *m.Recall, *g.MinRecall))
	}
	switch {
	case g.MaxFPR == nil:
	case m.FalsePositiveRate == nil:
		missed = append(missed, "there is no false-positive rate: the input has no negatives")
	case *m.FalsePositiveRate > *g.MaxFPR:
		missed = append(
			missed,
			fmt.Sprintf("the false-positive rate %.6g is above %.6g", *m.FalsePositiveRate, *g.MaxFPR),
		)
	}
	return missed
}
