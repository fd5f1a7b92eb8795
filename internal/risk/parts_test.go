package risk_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/risk"
)

func ExampleParts() {
	for _, p := range risk.Parts([]mcpproxy.Signal{
		{
			Source:     mcpproxy.SourcePII,
			Kind:       "email",
			Severity:   mcpproxy.SeverityMedium,
			Confidence: 0.5,
		},
		{
			Source:     mcpproxy.SourceFlow,
			Kind:       "internal_to_external",
			Severity:   mcpproxy.SeverityMedium,
			Confidence: 0.9,
		},
		{
			Source:     mcpproxy.SourceFlow,
			Kind:       "lethal_trifecta",
			Severity:   mcpproxy.SeverityHigh,
			Confidence: 0.3,
		},
	}) {
		fmt.Printf("%s %.1f (%s)\n", p.Kind, p.Points, p.Within)
	}
	// Output:
	// internal_to_external 45.0 ()
	// email 20.0 ()
	// lethal_trifecta 0.0 (internal_to_external)
}

// drawNamed draws signals with kinds, some of which are about the same thing.
func drawNamed() *rapid.Generator[mcpproxy.Signal] {
	return rapid.Custom(func(t *rapid.T) mcpproxy.Signal {
		s := drawSignal(sources...).Draw(t, "signal")
		s.Kind = rapid.SampledFrom([]string{"", "email", "ssn", "internal_to_external", "lethal_trifecta", risk.KindSensitiveSend}).
			Draw(t, "kind")
		s.Suppressed = rapid.IntRange(0, 4).Draw(t, "suppressed") == 0
		return s
	})
}

// Shows: RFC-26.
func TestPartsAddUpToTheScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signals := rapid.SliceOfN(drawNamed(), 0, 10).Draw(t, "signals")
		parts, sum := risk.Parts(signals), 0.0
		for _, p := range parts {
			if p.Points < 0 || p.Points > 100 || p.Within != "" && p.Points != 0 {
				t.Fatalf("%+v", p)
			}
			sum += p.Points
		}
		if got := risk.Score(signals); len(parts) != len(signals) || got != int(math.Floor(sum+1e-6)) {
			t.Fatalf("%d parts add up to %v, the score is %d", len(parts), sum, got)
		}
	})
}

func TestAddingANamedSignalNeverLowersTheScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signals := rapid.SliceOfN(drawNamed(), 0, 8).Draw(t, "signals")
		before := risk.Score(signals)
		if after := risk.Score(append(signals, drawNamed().Draw(t, "one more"))); after < before {
			t.Fatalf("from %d to %d", before, after)
		}
	})
}

func TestTheSameThingCountsOnce(t *testing.T) {
	edge := mcpproxy.Signal{
		Source:     mcpproxy.SourceFlow,
		Kind:       "internal_to_external",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.9,
	}
	trifecta := mcpproxy.Signal{
		Source:     mcpproxy.SourceFlow,
		Kind:       "lethal_trifecta",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.3,
	}
	send := mcpproxy.Signal{
		Source:     mcpproxy.SourceBehavioral,
		Kind:       risk.KindSensitiveSend,
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.6,
	}
	mail := mcpproxy.Signal{
		Source:     mcpproxy.SourcePII,
		Kind:       "email",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.5,
	}
	card := mcpproxy.Signal{
		Source:     mcpproxy.SourcePII,
		Kind:       "card",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.5,
	}
	gone := mail
	gone.Suppressed = true
	for name, c := range map[string]struct {
		signals []mcpproxy.Signal
		want    int
	}{
		"data of one result":                        {[]mcpproxy.Signal{edge}, 45},
		"data of three results":                     {[]mcpproxy.Signal{edge, edge, edge}, 45},
		"data in a session that has all three legs": {[]mcpproxy.Signal{trifecta, edge, send}, 45},
		"one address":                               {[]mcpproxy.Signal{mail}, 20},
		"many addresses":                            {[]mcpproxy.Signal{mail, mail, mail, mail}, 20},
		"an address and a card":                     {[]mcpproxy.Signal{mail, card}, 40},
		"data with an address":                      {[]mcpproxy.Signal{edge, mail}, 65},
		"what is suppressed":                        {[]mcpproxy.Signal{edge, gone}, 45},
	} {
		t.Run(name, func(t *testing.T) {
			if got := risk.Score(c.signals); got != c.want {
				t.Errorf("%d, want %d: %+v", got, c.want, risk.Parts(c.signals))
			}
		})
	}
}
