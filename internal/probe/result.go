package probe

import (
	"slices"
	"time"
)

// Outcome is the result of a test.
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped" // it does not apply to this server, or the run was stopped before
)

// Result is the detailed result of one test.
type Result struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Suite   string  `json:"suite"`
	Outcome Outcome `json:"outcome"`
	Pass    *bool   `json:"passed"` // null if the test was not run
	// LatencyMS is the time of the slowest answer in milliseconds; for T5, the 95th percentile.
	LatencyMS    float64  `json:"latency_ms"`
	ErrorCode    string   `json:"error_code,omitempty"`    // of the decisive answer: a JSON-RPC code, an HTTP status or timeout
	ErrorMessage string   `json:"error_message,omitempty"` // the server's message in that answer
	Reason       string   `json:"failure_reason,omitempty"`
	Fix          string   `json:"fix,omitempty"`         // how to fix it
	SkipReason   string   `json:"skip_reason,omitempty"` // the reason it was not run
	Tools        []string `json:"tools"`                 // tools that were called
	Attempts     int      `json:"attempts"`              // messages that were sent
	Notes        []string `json:"notes,omitempty"`       // other observations
	Details      any      `json:"details,omitempty"`

	failures int
}

// fail records a failure. The first one is the reason; later ones become notes.
func (r *Result) fail(reason string) {
	r.failures++
	switch {
	case r.Outcome != Failed:
		r.Outcome, r.Reason = Failed, reason
	case r.failures <= maxNotes:
		r.Notes = append(r.Notes, "also: "+reason)
	}
}

// maxNotes is the number of failures of one test that are listed.
const maxNotes = 20

func (r *Result) note(text string) {
	if !slices.Contains(r.Notes, text) && len(r.Notes) < 2*maxNotes {
		r.Notes = append(r.Notes, text)
	}
}

func (r *Result) skip(reason string) { r.Outcome, r.SkipReason = Skipped, reason }

func (r *Result) called(tool string) {
	if !slices.Contains(r.Tools, tool) {
		r.Tools = append(r.Tools, tool)
	}
}

// Results are the results of a run.
type Results struct {
	Target          string         `json:"target"`
	Transport       string         `json:"transport,omitempty"` // stdio, http or sse
	ProtocolVersion string         `json:"protocol_version,omitempty"`
	Server          string         `json:"server,omitempty"` // the server's own name and version
	Started         time.Time      `json:"started,omitzero,omitempty"`
	DurationMS      float64        `json:"duration_ms"`
	Passed          *bool          `json:"passed"`                   // whether every test passed; null if no test was run
	Partial         bool           `json:"partial"`                  // the run was stopped early
	PartialReason   string         `json:"partial_reason,omitempty"` // the reason
	Totals          Summary        `json:"summary"`
	Tests           []Result       `json:"results"`
	Tools           []ToolUse      `json:"tools,omitempty"`          // the server's tools, and whether they are called
	Planned         []Planned      `json:"planned,omitempty"`        // messages that a dry run would send
	SkippedSuites   []SkippedSuite `json:"skipped_suites,omitempty"` // suites that could not be run
	Options         *Options       `json:"options,omitempty"`
	Thresholds      *Thresholds    `json:"thresholds,omitempty"`
}

// ToolUse is a declared tool and whether tests may call it.
type ToolUse struct {
	Name      string `json:"name"`
	Operation string `json:"operation"` // read, write, destructive or unknown
	Called    bool   `json:"callable"`
	Why       string `json:"why,omitempty"` // the reason it is not called
}

// Planned is one kind of message that a test would send.
type Planned struct {
	Test   string `json:"test"`
	Method string `json:"method"`
	Tool   string `json:"tool,omitempty"`
	Count  int    `json:"count"`
}

// SkippedSuite is a suite that could not be run, and why.
type SkippedSuite struct {
	Suite  string `json:"suite"`
	Reason string `json:"reason"`
}

// Summary contains counts by suite. A suite without a chosen test is absent.
type Summary struct {
	Security   *SecuritySummary `json:"mcp_security,omitempty"`
	Robustness *SuiteSummary    `json:"mcp_robustness,omitempty"`
}

// SuiteSummary counts the tests of a suite. Skipped tests only count in Skipped.
type SuiteSummary struct {
	Total    int     `json:"total"`
	Passed   int     `json:"passed"`
	PassRate float64 `json:"pass_rate"` // 0 to 1; 0 without tests
	Skipped  int     `json:"skipped"`
}

// SecuritySummary contains the measurements of the suite mcp_security. The measurement of a test
// that was not run is null.
type SecuritySummary struct {
	SuiteSummary
	SecurityTests    int   `json:"security_tests"`
	SecurityPassed   int   `json:"security_passed"`
	P95LatencyMS     *int  `json:"p95_latency_ms"` // rounded up
	MaxP95MS         int   `json:"max_p95_ms"`
	SLOMet           *bool `json:"slo_met"`
	SchemaStable     *bool `json:"schema_stable"`       // no drift was found, whether required or not
	OutOfScopeDenied *bool `json:"out_of_scope_denied"` // everything was denied, whether required or not
	ThresholdsMet    struct {
		Latency   *bool `json:"latency"`
		Stability *bool `json:"schema_stability"`
		Scope     *bool `json:"scope_enforcement"`
	} `json:"thresholds_met"`
}

// Summary returns the counts.
func (r *Results) Summary() Summary { return r.Totals }

// Find returns the result of a test by its id, or nil.
func (r *Results) Find(id string) *Result {
	for i := range r.Tests {
		if r.Tests[i].ID == id {
			return &r.Tests[i]
		}
	}
	return nil
}

// summarize sets the fields that follow from the results.
func (r *Results) summarize(f figures, t Thresholds) {
	count := func(suite string) (s SuiteSummary, chosen bool) {
		for _, one := range r.Tests {
			if one.Suite != suite {
				continue
			}
			chosen = true
			switch one.Outcome {
			case Skipped:
				s.Skipped++
			case Passed:
				s.Total, s.Passed = s.Total+1, s.Passed+1
			default:
				s.Total++
			}
		}
		if s.Total > 0 {
			s.PassRate = float64(s.Passed) / float64(s.Total)
		}
		return s, chosen
	}
	made, failed := 0, 0
	if s, chosen := count(SuiteSecurity); chosen {
		out := &SecuritySummary{
			SuiteSummary:     s,
			SecurityTests:    s.Total,
			SecurityPassed:   s.Passed,
			MaxP95MS:         t.MaxP95MS,
			P95LatencyMS:     f.p95,
			SLOMet:           f.slo,
			SchemaStable:     f.stable,
			OutOfScopeDenied: f.denied,
		}
		out.ThresholdsMet.Latency = f.slo
		out.ThresholdsMet.Stability = either(f.stable, !*t.RequireSchemaStability)
		out.ThresholdsMet.Scope = either(f.denied, !*t.DenyOutOfScope)
		r.Totals.Security = out
		made, failed = made+s.Total, failed+s.Total-s.Passed
	}
	if s, chosen := count(SuiteRobustness); chosen {
		r.Totals.Robustness = &s
		made, failed = made+s.Total, failed+s.Total-s.Passed
	}
	if made > 0 {
		passed := failed == 0 && !r.Partial
		r.Passed = &passed
	}
}

// figures are the measurements for the summary; nil if not measured.
type figures struct {
	p95                 *int
	slo, stable, denied *bool
}

func either(is *bool, or bool) *bool {
	if is == nil {
		return nil
	}
	v := *is || or
	return &v
}
