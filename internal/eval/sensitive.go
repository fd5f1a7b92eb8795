package eval

import (
	"errors"
	"slices"
	"strings"

	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

// sensitiveRow is a text with or without secrets or personal data.
type sensitiveRow struct {
	Text     *string  `json:"text"`
	Label    string   `json:"label"` // what it contains, or looks like; several are joined by |
	Value    string   `json:"value"` // the value that must be found; if empty, any
	Values   []string `json:"values"`
	Positive *bool    `json:"positive"`
	Kind     string   `json:"kind"` // secret or pii: which findings count; anything else: all
	Weak     bool     `json:"weak"` // its label is uncertain
	Spans    []span   `json:"spans"`
	Source   string   `json:"source"` // the origin of the row, such as owner/repository@commit:path; may be empty
}

// span assigns one of several labels to a value.
type span struct {
	Entity string `json:"entity"`
	Value  string `json:"value"`
}

func (s sensitiveRow) kind() string { return s.Kind }

func (s sensitiveRow) check() error {
	switch {
	case s.Text == nil:
		return errors.New(`"text" is missing`)
	case s.Positive == nil:
		return errors.New(`"positive" must say whether the text holds something to find: true or false`)
	}
	return nil
}

// wanted returns the values of which one must be found, without those whose label is out of scope.
func (s sensitiveRow) wanted() []string {
	var values []string
	for _, sp := range s.Spans {
		if isInScope(sp.Entity) {
			values = append(values, sp.Value)
		}
	}
	if len(s.Spans) == 0 {
		values = append(append(values, s.Values...), s.Value)
	}
	return slices.DeleteFunc(values, func(v string) bool { return v == "" })
}

// Sensitive measures how well secrets and personal data are found.
func Sensitive(o Options, d *detect.Detector) (*Report, error) {
	all, err := read[sensitiveRow](o)
	if err != nil {
		return nil, err
	}
	report := newReport(o.By)
	var rows []row[sensitiveRow]
	for _, r := range all {
		switch {
		case r.data.Weak && !o.Weak:
			report.Weak++
		case len(inScope(labels(r.data.Label))) == 0:
			report.outOfScope(labels(r.data.Label))
		default:
			rows = append(rows, r)
		}
	}
	if err := d.Warm(); err != nil {
		return nil, err
	}
	for i, a := range answers(rows, func(s *sensitiveRow) answer { return s.ask(d) }, o.Progress) {
		r := rows[i]
		report.add(outcome{
			Place:      r.Place,
			categories: o.By.groups(r.Place, r.data.Source, inScope(labels(r.data.Label))),
			kind:       r.data.Kind,
			text:       *r.data.Text,
			positive:   *r.data.Positive,
			answer:     a,
		})
	}
	report.finish(true)
	return report, nil
}

// ask searches the row's text for secrets. If the detector fails, that counts as a finding, as at the gate.
func (s *sensitiveRow) ask(d *detect.Detector) answer {
	doc, err := text.Parse(text.Quote(*s.Text), "text")
	var found []detect.Finding
	if err == nil {
		found, err = d.Find(doc)
		found = slices.DeleteFunc(found, func(f detect.Finding) bool { return !counts(s.Kind, f.Rule) })
	}
	if err != nil {
		return answer{found: true, by: []string{"unreadable"}}
	}
	wanted := s.wanted()
	var a answer
	for i := range found {
		f := &found[i]
		if id := f.Rule.ID; !slices.Contains(a.by, id) {
			a.by = append(a.by, id)
		}
		switch {
		case !*s.Positive:
			a.found = a.found || !f.Example
		case len(wanted) == 0:
			a.found = true
		default:
			a.found = a.found || slices.ContainsFunc(wanted, func(v string) bool { return overlaps(doc, f, v) })
		}
	}
	return a
}

// counts reports whether a finding of rule counts for a row of this kind. An address in a text without secrets is not
// a false alarm, and neither is the path of a file that may contain secrets.
func counts(kind string, rule *detect.Rule) bool {
	switch kind {
	case "secret":
		return !rule.Personal() && rule.Category != "sensitive_file"
	case "pii":
		return rule.Personal()
	}
	return true
}

// overlaps reports whether a finding and the expected value overlap in the text. A finding in a decoded view is
// compared by its decoded value.
func overlaps(doc *text.Document, f *detect.Finding, value string) bool {
	for _, s := range f.Spans {
		for _, at := range occurrences(doc.Parts[s.Part].Text, value) {
			if at < s.End && s.Start < at+len(value) {
				return true
			}
		}
	}
	return f.How != "" && f.Value != "" && (strings.Contains(f.Value, value) || strings.Contains(value, f.Value))
}

// occurrences returns the positions of part in s.
func occurrences(s, part string) []int {
	var at []int
	for from := 0; part != ""; {
		i := strings.Index(s[from:], part)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		from += i + len(part)
	}
	return at
}
