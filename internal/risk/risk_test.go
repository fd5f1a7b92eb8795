package risk_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/risk"
)

func ExampleScore() {
	score := risk.Score([]mcpproxy.Signal{
		{Source: mcpproxy.SourcePII, Severity: mcpproxy.SeverityHigh, Confidence: 0.5},
		{Source: mcpproxy.SourceStatic, Severity: mcpproxy.SeverityLow, Confidence: 1},
	})
	fmt.Println(score, risk.Level(score))
	// Output: 45 medium
}

var (
	sources = []mcpproxy.Source{
		mcpproxy.SourceFlow,
		mcpproxy.SourcePII,
		mcpproxy.SourceStatic,
		mcpproxy.SourceBehavioral,
		mcpproxy.SourceAgentHint,
	}
	severities = []mcpproxy.Severity{
		mcpproxy.SeverityLow,
		mcpproxy.SeverityMedium,
		mcpproxy.SeverityHigh,
		mcpproxy.SeverityCritical,
	}
)

func drawSignal(sources ...mcpproxy.Source) *rapid.Generator[mcpproxy.Signal] {
	return rapid.Custom(func(t *rapid.T) mcpproxy.Signal {
		return mcpproxy.Signal{
			Source:     rapid.SampledFrom(sources).Draw(t, "source"),
			Severity:   rapid.SampledFrom(severities).Draw(t, "severity"),
			Confidence: float64(rapid.IntRange(0, 100).Draw(t, "confidence")) / 100,
			Example:    rapid.Bool().Draw(t, "example"),
		}
	})
}

func TestScoreOfOneSignal(t *testing.T) {
	cases := []struct {
		name   string
		signal mcpproxy.Signal
		want   int
	}{
		{
			"a certain critical flow counts in full",
			mcpproxy.Signal{Source: mcpproxy.SourceFlow, Severity: mcpproxy.SeverityCritical, Confidence: 1},
			100,
		},
		{
			"detectors of data count 0.8",
			mcpproxy.Signal{Source: mcpproxy.SourcePII, Severity: mcpproxy.SeverityCritical, Confidence: 1},
			80,
		},
		{
			"static checks count 0.6",
			mcpproxy.Signal{Source: mcpproxy.SourceStatic, Severity: mcpproxy.SeverityCritical, Confidence: 1},
			60,
		},
		{
			"behaviour counts 0.5",
			mcpproxy.Signal{Source: mcpproxy.SourceBehavioral, Severity: mcpproxy.SeverityCritical, Confidence: 1},
			50,
		},
		{
			"high counts three quarters",
			mcpproxy.Signal{Source: mcpproxy.SourceFlow, Severity: mcpproxy.SeverityHigh, Confidence: 1},
			75,
		},
		{
			"medium counts half",
			mcpproxy.Signal{Source: mcpproxy.SourceFlow, Severity: mcpproxy.SeverityMedium, Confidence: 1},
			50,
		},
		{
			"low counts a quarter",
			mcpproxy.Signal{Source: mcpproxy.SourceFlow, Severity: mcpproxy.SeverityLow, Confidence: 1},
			25,
		},
		{
			"doubt lowers the score",
			mcpproxy.Signal{Source: mcpproxy.SourceFlow, Severity: mcpproxy.SeverityCritical, Confidence: 0.5},
			50,
		},
		{"an example counts a fifth", mcpproxy.Signal{
			Source:     mcpproxy.SourceFlow,
			Severity:   mcpproxy.SeverityCritical,
			Confidence: 1,
			Example:    true,
		}, 20},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := risk.Score([]mcpproxy.Signal{c.signal}); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
	if got := risk.Score(nil); got != 0 {
		t.Errorf("nothing observed scores %d", got)
	}
}

// Shows: RFC-27.
func TestBands(t *testing.T) {
	for _, c := range []struct {
		from, to int
		want     mcpproxy.RiskLevel
	}{
		{0, 0, mcpproxy.RiskNone}, {1, 29, mcpproxy.RiskLow}, {30, 49, mcpproxy.RiskMedium},
		{50, 69, mcpproxy.RiskHigh}, {70, 100, mcpproxy.RiskCritical},
	} {
		for score := c.from; score <= c.to; score++ {
			if got := risk.Level(score); got != c.want {
				t.Errorf("%d is %s, want %s", score, got, c.want)
			}
		}
	}
}

func TestAddingASignalNeverLowersTheScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signals := rapid.SliceOfN(drawSignal(sources...), 0, 8).Draw(t, "signals")
		before := risk.Score(signals)
		after := risk.Score(append(signals, drawSignal(sources...).Draw(t, "one more")))
		if after < before || before < 0 || after > 100 {
			t.Fatalf("from %d to %d", before, after)
		}
		if risk.Level(after).Rank() < risk.Level(before).Rank() {
			t.Fatalf("from %s to %s", risk.Level(before), risk.Level(after))
		}
	})
}

// Rounding of binary fractions must not change the score, and so the band.
// Shows: RFC-26.
func TestScoreIsExact(t *testing.T) {
	one := mcpproxy.Signal{Source: mcpproxy.SourceFlow, Severity: mcpproxy.SeverityCritical, Confidence: 0.29}
	if got := risk.Score([]mcpproxy.Signal{one}); got != 29 {
		t.Errorf("0.29 of a certain critical flow is %d, want 29", got)
	}
	a := mcpproxy.Signal{Source: mcpproxy.SourceStatic, Severity: mcpproxy.SeverityMedium, Confidence: 0.27}   // 8.1
	b := mcpproxy.Signal{Source: mcpproxy.SourceStatic, Severity: mcpproxy.SeverityCritical, Confidence: 0.04} // 2.4
	c := mcpproxy.Signal{Source: mcpproxy.SourceAgentHint, Severity: mcpproxy.SeverityHigh, Confidence: 1}     // 22.5
	for _, order := range [][]mcpproxy.Signal{{a, b, c}, {a, c, b}, {b, a, c}, {b, c, a}, {c, a, b}, {c, b, a}} {
		if got := risk.Score(order); got != 33 {
			t.Errorf("8.1, 2.4 and 22.5 add up to %d in one order, want 33", got)
		}
	}
}

func TestTheOrderOfSignalsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signals := rapid.SliceOfN(drawSignal(sources...), 0, 8).Draw(t, "signals")
		want := risk.Score(signals)
		if got := risk.Score(rapid.Permutation(signals).Draw(t, "permuted")); got != want {
			t.Fatalf("%d in one order, %d in another", want, got)
		}
	})
}

// An agent's claims about itself are advice only, because the agent may be compromised.
func TestAgentHintsAloneStayBelowMedium(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hints := rapid.SliceOfN(drawSignal(mcpproxy.SourceAgentHint), 0, 8).Draw(t, "hints")
		if got := risk.Level(risk.Score(hints)); got.Rank() >= mcpproxy.RiskMedium.Rank() {
			t.Fatalf("%d hints alone are %s", len(hints), got)
		}
	})
}

func TestBandsAreThoseOfTheLevels(t *testing.T) {
	next := 0
	for _, b := range mcpproxy.RiskBands {
		if b.From != next || b.Action == "" {
			t.Errorf("%+v does not begin at %d", b, next)
		}
		for score := max(b.From, 1); score <= b.To; score++ {
			if risk.Level(score) != b.Level || mcpproxy.BandOf(score) != b {
				t.Errorf("%d is %s and in %+v", score, risk.Level(score), mcpproxy.BandOf(score))
			}
		}
		next = b.To + 1
	}
	if next != 101 {
		t.Errorf("the bands end before %d", next)
	}
}
