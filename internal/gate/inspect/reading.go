package inspect

import (
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/bind"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

// Reading is a document with the findings in it.
type Reading struct {
	Doc          *text.Document
	Found        []detect.Finding
	Instructions []scan.Finding // only in results
	Err          error          // why the document could not be read; nil if it was
	Elapsed      time.Duration

	said []string // values among the findings that the user's own words contain
}

// read parses one JSON value and searches it for sensitive data.
func (in *Inspector) read(raw []byte, root string) Reading {
	start := time.Now()
	doc, err := text.Parse(raw, root)
	return in.look(doc, err, start)
}

// argumentsRoot is the first element of paths in a call's arguments.
const argumentsRoot = "arguments"

// look searches a document for sensitive data. err is the error from parsing it.
func (in *Inspector) look(doc *text.Document, err error, start time.Time) Reading {
	r := Reading{Doc: doc, Err: err}
	if err == nil && in.Detector != nil {
		r.Found, r.Err = in.Detector.Find(doc)
	}
	r.Elapsed = time.Since(start)
	return r
}

// Secrets returns the data that flow tracking follows: data whose disclosure does harm.
func (r Reading) Secrets() []flow.Secret {
	out := make([]flow.Secret, 0, len(r.Found))
	for i := range r.Found {
		if f := &r.Found[i]; f.Signal().Sensitive() {
			out = append(out, flow.Secret{
				Value:    f.Value,
				Category: f.Rule.Category,
				Part:     f.Part(),
				Kind:     f.Rule.ID,
				Spans:    f.Spans,
			})
		}
	}
	return out
}

// Followed returns the secrets of a result for flow tracking. If the result comes from the user's own system, they
// include values that only their names identify as secrets.
func (r Reading) Followed(by mcpproxy.Class) []flow.Secret {
	out := r.Secrets()
	if by.Side == mcpproxy.External || by.ReturnsUntrusted {
		return out
	}
	for i := range r.Found {
		f := &r.Found[i]
		s := f.Signal()
		if s.Category != "high_entropy" || s.Sensitive() || s.Example || s.Suppressed || s.Confidence < minGuess {
			continue
		}
		out = append(out, flow.Secret{
			Value:    f.Value,
			Category: f.Rule.Category,
			Part:     f.Part(),
			Kind:     f.Rule.ID,
			Spans:    f.Spans,
			Guessed:  true,
		})
	}
	return out
}

// minGuess is the minimum confidence of a value that is tracked because of its name.
const minGuess = 0.5

// Owned returns the secrets with the hosts to which the document binds them. They include values that are not tracked
// because they look too much like something else.
func (r Reading) Owned() []flow.Secret {
	var out []flow.Secret
	var binder *bind.Binder
	for i := range r.Found {
		f := &r.Found[i]
		if !IsSecret(f.Rule.Category) || f.Example || len(out) == maxSignals {
			continue
		}
		if binder == nil {
			binder = bind.New(r.Doc)
		}
		out = append(out, flow.Secret{
			Value:   f.Value,
			Kind:    f.Rule.ID,
			Hosts:   binder.Hosts(f.Spans[0]),
			Service: binder.Service(f.Spans[0]),
		})
	}
	return out
}

// Instructed returns the positions of instructions to the agent.
func (r Reading) Instructed() []text.Span {
	if !scan.Injected(r.Instructions) {
		return nil
	}
	var out []text.Span
	for _, f := range r.Instructions {
		out = append(out, f.Spans...)
	}
	return out
}

// Hidden returns the findings that must be masked. Not all personal data is secret.
func (r Reading) Hidden() []detect.Finding {
	out := make([]detect.Finding, 0, len(r.Found))
	for _, f := range r.Found {
		if f.Hides() {
			out = append(out, f)
		}
	}
	return out
}

// Identifying returns the findings of personal data that a record at rest does not show. A value that holds a part of
// a secret is not among them: the secret is masked.
func (r Reading) Identifying() []detect.Finding {
	var out []detect.Finding
	for i := range r.Found {
		if r.Found[i].Identifies() && !r.hides(r.Found[i].Spans) {
			out = append(out, r.Found[i])
		}
	}
	return out
}

// hides reports whether one of spans overlaps a value that must be masked.
func (r Reading) hides(spans []text.Span) bool {
	return slices.ContainsFunc(r.Found, func(f detect.Finding) bool {
		return f.Hides() && slices.ContainsFunc(f.Spans, func(h text.Span) bool {
			return slices.ContainsFunc(spans, func(s text.Span) bool {
				return s.Part == h.Part && s.Start < h.End && h.Start < s.End
			})
		})
	})
}

// around is the distance from a finding, in bytes, that its evidence can include.
const around = 200

// places are the positions of hidden values, by part, sorted.
type places map[int][]text.Span

func (r Reading) hiddenPlaces() places {
	out := places{}
	for i := range r.Found {
		f := &r.Found[i]
		for _, s := range f.Spans {
			if f.Hides() {
				out[s.Part] = append(out[s.Part], s)
			}
		}
	}
	for _, row := range out {
		slices.SortFunc(row, func(a, b text.Span) int { return a.Start - b.Start })
		for i := 1; i < len(row); i++ { // a long value can extend beyond the values in it
			row[i].End = max(row[i].End, row[i-1].End)
		}
	}
	return out
}

// near reports whether a hidden value is in or near spans. A quote could then reveal a piece of it.
func (p places) near(spans []text.Span) bool {
	for _, s := range spans {
		row := p[s.Part]
		i, _ := slices.BinarySearchFunc(row, s.Start-around, func(h text.Span, at int) int { return h.Start - at })
		if i < len(row) && row[i].Start < s.End+around {
			return true
		}
		if i > 0 && row[i-1].End+around > s.Start { // it begins earlier and may extend to here
			return true
		}
	}
	return false
}

// maxSignals is the maximum number of signals of one Reading. The most serious are kept.
const maxSignals = 100

// Signals returns signals for the findings, one for each value.
func (r Reading) Signals() []mcpproxy.Signal {
	var out []mcpproxy.Signal
	if len(r.Found) > 0 {
		out = r.foundSignals()
	}
	if len(r.Instructions) > 0 {
		out = append(out, r.instructionSignals()...)
	}
	if r.Err != nil {
		out = append(out, mcpproxy.Signal{
			Source:     mcpproxy.SourceStatic,
			Kind:       "inspection_failed",
			Category:   "inspection",
			Severity:   mcpproxy.SeverityHigh,
			Confidence: 1,
			Evidence:   r.Err.Error(),
		})
	} else if r.Doc.Truncated() {
		out = append(out, mcpproxy.Signal{
			Source:     mcpproxy.SourceStatic,
			Kind:       "inspection_truncated",
			Category:   "inspection",
			Severity:   mcpproxy.SeverityMedium,
			Confidence: 1,
			Evidence:   "more disguised text than mcpproxy examines",
		})
	}
	return out
}

// foundSignals returns the signals for sensitive values, one for each value.
func (r Reading) foundSignals() []mcpproxy.Signal {
	type thing struct{ rule, value string }
	seen := map[thing]bool{}
	var out []mcpproxy.Signal
	for _, wanted := range []bool{true, false} {
		for i := range r.Found {
			f := &r.Found[i]
			s := f.Signal()
			if s.Sensitive() != wanted || seen[thing{f.Rule.ID, f.Value}] || len(out) == maxSignals {
				continue
			}
			seen[thing{f.Rule.ID, f.Value}] = true
			s.Said = slices.Contains(r.said, f.Value)
			out = append(out, s)
		}
	}
	return out
}

// instructionSignals returns the signals for instructions to the agent, with secrets masked.
func (r Reading) instructionSignals() []mcpproxy.Signal {
	var out []mcpproxy.Signal
	masker := detect.NewMasker(r.Hidden())
	path, hidden := r.Doc.Paths(masker.Text), r.hiddenPlaces()
	for _, f := range r.Instructions[:min(len(r.Instructions), maxSignals)] {
		s := contentSignal(f)
		if hidden.near(f.Spans) {
			s.Evidence = "[it holds a secret]"
		}
		s.Evidence, s.Path = masker.Text(s.Evidence), path(r.Doc.Parts[f.Spans[0].Part])
		out = append(out, s)
	}
	return out
}

// contentSignal converts a finding to a signal.
func contentSignal(f scan.Finding) mcpproxy.Signal {
	return mcpproxy.Signal{
		Source:     mcpproxy.SourceStatic,
		Kind:       f.Check,
		Category:   f.Threat,
		Severity:   f.Severity,
		Confidence: f.Confidence,
		Evidence:   f.Evidence,
		Path:       f.Path,
	}
}
