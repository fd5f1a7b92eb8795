package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// changeRow is a definition before and after a change.
type changeRow struct {
	Before   jsontext.Value `json:"before"`
	After    jsontext.Value `json:"after"`
	Label    string         `json:"label"` // malicious or benign: who made the change; both must be reported
	Category string         `json:"category"`
	Source   string         `json:"source"` // the origin of the row; may be empty
}

func (c changeRow) kind() string { return c.Label }

func (c changeRow) check() error {
	switch {
	case c.Before.Kind() != '{' || c.After.Kind() != '{':
		return errors.New(`"before" and "after" must be definitions of a tool`)
	case c.Label != "malicious" && c.Label != "benign":
		return errors.New(`"label" must be malicious or benign`)
	}
	return nil
}

// Diff returns the parts of a definition whose meaning differs between before and after. It returns an error if one
// of them cannot be read.
type Diff func(before, after json.RawMessage) (parts []string, err error)

// Changes measures how well changes of definitions are reported. A row is a positive if before and after have
// different values, whoever made the change, and a negative if they differ only in order, spaces and spelling. The
// package determines that itself, without the packages that are measured.
func Changes(o Options, diff Diff) (*Report, error) {
	rows, err := read[changeRow](o)
	if err != nil {
		return nil, err
	}
	report := newReport(o.By)
	rugPulls := &tally{}
	for i, a := range answers(rows, func(c *changeRow) answer { return c.ask(diff) }, o.Progress) {
		r := &rows[i]
		out := outcome{
			Place:      r.Place,
			categories: o.By.groups(r.Place, r.data.Source, []string{cmp.Or(r.data.Category, "(none)")}),
			kind:       r.data.Label,
			text:       string(r.data.Before) + " → " + string(r.data.After),
			positive:   !sameJSON(r.data.Before, r.data.After),
			answer:     a,
		}
		report.add(out)
		if out.positive && r.data.Label == "malicious" {
			rugPulls.add(true, a)
		}
	}
	report.finish(false)
	report.Security = &SecurityTestMetrics{
		RugPullDetectionRate: rugPulls.metrics().Recall,
		AvgDetectionTimeMs:   report.Metrics.AvgTimeMS,
	}
	return report, nil
}

// ask compares the row's definitions. If they cannot be compared, they count as changed.
func (c *changeRow) ask(diff Diff) answer {
	start := time.Now()
	parts, err := diff(json.RawMessage(c.Before), json.RawMessage(c.After))
	a := answer{found: err != nil || len(parts) > 0, took: time.Since(start)}
	if err != nil {
		parts = []string{"unreadable"}
	}
	slices.Sort(parts)
	a.by = slices.Compact(parts)
	return a
}

// sameJSON reports whether two JSON texts have the same value, ignoring the order of members and the notation of
// strings and numbers.
func sameJSON(a, b []byte) bool {
	x, err := value(a)
	if err != nil {
		return false
	}
	y, err := value(b)
	return err == nil && same(x, y)
}

func value(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

func same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			w, ok := b[k]
			if !ok || !same(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && sameNumber(a.String(), b.String())
	}
	return a == b
}

// maxNumber is the maximum length of a number whose value is compared; an exponent could otherwise stand for more
// digits than fit in memory.
const maxNumber = 40

func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > maxNumber || len(b) > maxNumber || hugeExponent(a) || hugeExponent(b) {
		return false
	}
	x, ok := new(big.Rat).SetString(a)
	if !ok {
		return false
	}
	y, ok := new(big.Rat).SetString(b)
	return ok && x.Cmp(y) == 0
}

// hugeExponent reports whether a number's exponent has more than three digits.
func hugeExponent(n string) bool {
	at := bytes.IndexAny([]byte(n), "eE")
	return at >= 0 && len(n)-at > 5
}
