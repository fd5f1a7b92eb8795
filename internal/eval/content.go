package eval

import (
	"cmp"
	"errors"
	"slices"

	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

// contentRow is a text with or without an injected instruction.
type contentRow struct {
	Text     *string `json:"text"`
	Label    string  `json:"label"` // injection or benign
	Kind     string  `json:"kind"`
	Category string  `json:"category"`
	Source   string  `json:"source"` // the origin of the row; may be empty
}

func (c contentRow) kind() string { return c.Kind }

func (c contentRow) check() error {
	switch {
	case c.Text == nil:
		return errors.New(`"text" is missing`)
	case c.Label != "injection" && c.Label != "benign":
		return errors.New(`"label" must be injection or benign`)
	}
	return nil
}

// Content measures how well injected instructions are found.
func Content(o Options) (*Report, error) {
	rows, err := read[contentRow](o)
	if err != nil {
		return nil, err
	}
	report := newReport(o.By)
	for i, a := range answers(rows, (*contentRow).ask, o.Progress) {
		r := rows[i]
		report.add(outcome{
			Place:      r.Place,
			categories: o.By.groups(r.Place, r.data.Source, []string{cmp.Or(r.data.Category, "(none)")}),
			kind:       r.data.Kind,
			text:       *r.data.Text,
			positive:   r.data.Label == "injection",
			answer:     a,
		})
	}
	report.finish(false)
	return report, nil
}

// ask searches the row's text for instructions. A text that cannot be read counts as a finding, as at the gate.
func (c *contentRow) ask() answer {
	doc, err := text.Parse(text.Quote(*c.Text), "text")
	if err != nil {
		return answer{found: true, by: []string{"unreadable"}}
	}
	found := scan.Content(doc)
	a := answer{found: scan.Injected(found)}
	for _, f := range found {
		if !slices.Contains(a.by, f.Check) {
			a.by = append(a.by, f.Check)
		}
	}
	return a
}
