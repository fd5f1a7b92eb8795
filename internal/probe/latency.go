package probe

import (
	"fmt"
	"math"
	"slices"

	"mcpproxy/internal/probe/raw"
)

const helpLatency = "Make the tool answer faster (find out what it waits for), or set another limit with max_p95_ms. Fewer calls (latency_test_calls) make the test shorter, but not the server faster."

// helpNoSuccess is the advice if no call succeeded, because the latency is then meaningless.
const helpNoSuccess = "Use allowed_tools to name a tool that works without special arguments, give the credentials that the server requires, or fix what the errors report."

// latencyDetail holds the measurements of T5; times in milliseconds.
type latencyDetail struct {
	Tool        string  `json:"tool"` // empty if the test requested the tool list instead
	Calls       int     `json:"calls"`
	P95MS       float64 `json:"p95_ms"`
	AverageMS   float64 `json:"average_ms"`
	SlowestMS   float64 `json:"slowest_ms"`
	SuccessRate float64 `json:"success_rate"` // share of successful answers, 0 to 1
	DurationMS  float64 `json:"duration_ms"`  // total of all calls
}

// testLatency measures a harmless call.
func testLatency(r *runner, out *Result) {
	ask, name := func() raw.Answer { return r.request("tools/list", nil) }, ""
	if works, args, ok := r.working(); ok {
		ask, name = func() raw.Answer { return r.call(works.name, args) }, works.name
	}
	detail := latencyDetail{Tool: shown(name)}
	var times []float64
	successes, answered := 0, 0
	for range r.options.LatencyTestCalls {
		a := ask()
		ms := milliseconds(a.Latency)
		times = append(times, ms)
		detail.DurationMS += ms
		if why := failedToAnswer(a); why != "" {
			out.note("a call " + why)
			out.blame(a)
			continue
		}
		answered++
		if succeeded(a) {
			successes++
		} else {
			out.blame(a)
		}
	}
	detail.Calls = len(times)
	detail.P95MS, detail.SlowestMS = percentile(times, 95), slices.Max(times)
	detail.AverageMS, detail.DurationMS = round(detail.DurationMS/float64(len(times))), round(detail.DurationMS)
	detail.SuccessRate = float64(successes) / float64(len(times))
	out.Details, out.LatencyMS = detail, detail.P95MS
	if r.options.DryRun {
		return
	}
	p95 := int(math.Ceil(detail.P95MS))
	met := p95 <= r.thresholds.MaxP95MS && successes > 0
	r.figures.p95, r.figures.slo = &p95, &met
	switch {
	case answered == 0:
		out.fail(fmt.Sprintf("the server answered none of %d calls", len(times)))
	case successes == 0:
		out.fail(fmt.Sprintf(
			"none of %d calls succeeded, and the latency of errors says nothing. Use allowed_tools to name a tool that works",
			len(times),
		))
		out.Fix = helpNoSuccess
	case !met:
		out.fail(
			fmt.Sprintf(
				"the 95th percentile of %d calls is %d ms, more than max_p95_ms = %d",
				len(times),
				p95,
				r.thresholds.MaxP95MS,
			),
		)
	case successes < len(times):
		out.note(
			fmt.Sprintf(
				"%d of %d calls failed; the measurement includes their errors",
				len(times)-successes,
				len(times),
			),
		)
	}
}

// percentile returns the nearest rank: the smallest value that p percent do not exceed.
func percentile(values []float64, p int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, (p*len(sorted)+99)/100-1)]
}

func round(ms float64) float64 { return math.Round(ms*100) / 100 }
