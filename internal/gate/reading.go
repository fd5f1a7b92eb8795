package gate

import (
	"slices"
	"time"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

// reading is a document and what was found in it.
type reading struct {
	doc          *text.Document
	found        []detect.Finding
	instructions []scan.Finding // of results only
	err          error          // the document could not be read
	elapsed      time.Duration
}

// read parses one JSON value and looks for what is sensitive in it.
func (g *Gate) read(s *Settings, raw []byte, root string) reading {
	start := time.Now()
	doc, err := text.Parse(raw, root)
	return g.look(s, doc, err, start)
}

// argumentsRoot is what paths call a call's arguments.
const argumentsRoot = "arguments"

// readArguments is read for a call's arguments.
func (g *Gate) readArguments(p *Pass) reading {
	if p.ahead != nil {
		return g.look(p.settings, p.ahead, nil, time.Now())
	}
	return g.read(p.settings, p.Call.Arguments, argumentsRoot)
}

// look looks for what is sensitive in a document that took err to parse.
func (g *Gate) look(s *Settings, doc *text.Document, err error, start time.Time) reading {
	r := reading{doc: doc, err: err}
	if err == nil && s.Detector != nil {
		r.found, r.err = s.Detector.Find(doc)
	}
	r.elapsed = time.Since(start)
	return r
}

// Secrets finds the secrets in a document that is no call, such as what a server
// declares; the evidence is masked. There are none while detection is off.
func (g *Gate) Secrets(doc *text.Document) ([]mcpproxy.Signal, error) {
	s := g.settings.Load()
	if s.Detector == nil {
		return nil, nil
	}
	return s.Detector.Secrets(doc)
}

// secrets is what flow follows: what does harm when it leaves.
func (r reading) secrets() []flow.Secret {
	out := make([]flow.Secret, 0, len(r.found))
	for i := range r.found {
		if f := &r.found[i]; f.Signal().Sensitive() {
			out = append(out, flow.Secret{Value: f.Value, Category: f.Rule.Category, Part: f.Part()})
		}
	}
	return out
}

// instructed is where instructions to the agent stand, if the document carries any.
func (r reading) instructed() []text.Span {
	if !scan.Injected(r.instructions) {
		return nil
	}
	var out []text.Span
	for _, f := range r.instructions {
		out = append(out, f.Spans...)
	}
	return out
}

// hidden is what must not be shown: not all that is personal is secret.
func (r reading) hidden() []detect.Finding {
	out := make([]detect.Finding, 0, len(r.found))
	for _, f := range r.found {
		if f.Hides() {
			out = append(out, f)
		}
	}
	return out
}

// around is how far from a finding its evidence may reach, in bytes.
const around = 200

// places are where hidden values stand, by part, each part's in order.
type places map[int][]text.Span

func (r reading) hiddenPlaces() places {
	out := places{}
	for i := range r.found {
		f := &r.found[i]
		for _, s := range f.Spans {
			if f.Hides() {
				out[s.Part] = append(out[s.Part], s)
			}
		}
	}
	for _, row := range out {
		slices.SortFunc(row, func(a, b text.Span) int { return a.Start - b.Start })
		for i := 1; i < len(row); i++ { // a long one reaches past those in it
			row[i].End = max(row[i].End, row[i-1].End)
		}
	}
	return out
}

// near reports whether something hidden stands in or near spans. Then a quote
// could give a piece of it away.
func (p places) near(spans []text.Span) bool {
	for _, s := range spans {
		row := p[s.Part]
		i, _ := slices.BinarySearchFunc(row, s.Start-around, func(h text.Span, at int) int { return h.Start - at })
		if i < len(row) && row[i].Start < s.End+around {
			return true
		}
		if i > 0 && row[i-1].End+around > s.Start { // it begins before and may reach here
			return true
		}
	}
	return false
}

// maxSignals bounds the signals of one reading, the gravest first.
const maxSignals = 100

// signals are what was found, each value once.
func (r reading) signals() []mcpproxy.Signal {
	var out []mcpproxy.Signal
	if len(r.found) > 0 {
		out = r.foundSignals()
	}
	if len(r.instructions) > 0 {
		out = append(out, r.instructionSignals()...)
	}
	if r.err != nil {
		out = append(out, mcpproxy.Signal{Source: mcpproxy.SourceStatic, Kind: "inspection_failed",
			Category: "inspection", Severity: mcpproxy.SeverityHigh, Confidence: 1, Evidence: r.err.Error()})
	} else if r.doc.Truncated() {
		out = append(out, mcpproxy.Signal{Source: mcpproxy.SourceStatic, Kind: "inspection_truncated",
			Category: "inspection", Severity: mcpproxy.SeverityMedium, Confidence: 1,
			Evidence: "there was more disguised text than is read"})
	}
	return out
}

// foundSignals are the sensitive values, each once.
func (r reading) foundSignals() []mcpproxy.Signal {
	type thing struct{ rule, value string }
	seen := map[thing]bool{}
	var out []mcpproxy.Signal
	for _, wanted := range []bool{true, false} {
		for i := range r.found {
			f := &r.found[i]
			s := f.Signal()
			if s.Sensitive() != wanted || seen[thing{f.Rule.ID, f.Value}] || len(out) == maxSignals {
				continue
			}
			seen[thing{f.Rule.ID, f.Value}] = true
			out = append(out, s)
		}
	}
	return out
}

// instructionSignals are the instructions to the agent, without the secrets in them.
func (r reading) instructionSignals() []mcpproxy.Signal {
	var out []mcpproxy.Signal
	masker := detect.NewMasker(r.hidden())
	path, hidden := r.doc.Paths(masker.Text), r.hiddenPlaces()
	for _, f := range r.instructions[:min(len(r.instructions), maxSignals)] {
		s := contentSignal(f)
		if hidden.near(f.Spans) {
			s.Evidence = "[it holds a secret]"
		}
		s.Evidence, s.Path = masker.Text(s.Evidence), path(r.doc.Parts[f.Spans[0].Part])
		out = append(out, s)
	}
	return out
}
