package metrics_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/telemetry/metrics"
)

func TestTheTextIsWhatPrometheusReads(t *testing.T) {
	r := &metrics.Registry{}
	c := r.Counter("calls_total", "Calls.\nBy \\ name.", 10, "name")
	c.Add(1, "b")
	c.Add(2, "a\"\\\n")
	h := r.Histogram("wait_seconds", "Waits.", []float64{.5, 1}, 10)
	for _, v := range []float64{.5, .7, 3} {
		h.Observe(v)
	}
	r.Gauge(
		"states",
		"States.",
		[]string{"state"},
		func(add func(float64, ...string)) { add(2, "up"); add(1, "up"); add(0, "down") },
	)
	r.Total("drops_total", "Drops.", nil, func(add func(float64, ...string)) { add(7) })
	want := `# HELP calls_total Calls.\nBy \\ name.
# TYPE calls_total counter
calls_total{name="a\"\\\n"} 2
calls_total{name="b"} 1
# HELP wait_seconds Waits.
# TYPE wait_seconds histogram
wait_seconds_bucket{le="0.5"} 1
wait_seconds_bucket{le="1"} 2
wait_seconds_bucket{le="+Inf"} 3
wait_seconds_sum 4.2
wait_seconds_count 3
# HELP states States.
# TYPE states gauge
states{state="down"} 0
states{state="up"} 3
# HELP drops_total Drops.
# TYPE drops_total counter
drops_total 7
`
	for range 2 { // showing changes nothing
		if got := string(r.Text()); got != want {
			t.Errorf("got\n%s", got)
		}
	}
}

// However many names are invented, a metric has at most its maximum number of series.
func TestTheNumberOfSeriesIsBounded(t *testing.T) {
	r := &metrics.Registry{}
	c := r.Counter("n", "N.", 5, "a", "b")
	for i := range 100 {
		c.Add(1, fmt.Sprint(i), "x")
	}
	text := string(r.Text())
	if n := strings.Count(text, "n{"); n != 6 || !strings.Contains(text, `n{a="other",b="other"} 95`) {
		t.Errorf("%d series\n%s", n, text)
	}
}

var sample = regexp.MustCompile(`^[a-z_]+(\{[a-z]+="([^"\\\n]|\\["\\n])*"\})? [0-9.e+-]+$`)

// No label value can begin a new line.
func TestEveryLineIsOneSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &metrics.Registry{}
		c := r.Counter("n", "N.", 100, "a")
		values := rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.Just("\xff\"\n")), 1, 5).Draw(t, "values")
		for _, v := range values {
			c.Add(1, v)
		}
		for line := range strings.Lines(strings.TrimSpace(string(r.Text()))) {
			if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "# ") && !sample.MatchString(line) {
				t.Fatalf("%q", line)
			}
		}
	})
}

func newCalls() (*metrics.Registry, *metrics.Calls) {
	r := &metrics.Registry{}
	return r, metrics.NewCalls(r, metrics.Known{Server: func(s string) bool { return s == "chat" },
		Tool: func(s, tool string) bool { return s == "chat" && tool == "post" }})
}

func TestCallsAreCountedByNamesThatAreKnown(t *testing.T) {
	for name, c := range map[string]struct {
		r    mcpproxy.Record
		want []string
		not  []string
	}{
		"a stop": {mcpproxy.Record{
			Type:       mcpproxy.RecordPolicyDecision,
			Source:     "mcp",
			ServerName: "chat",
			ToolName:   "post",
			Decision:   mcpproxy.Deny,
			Rule:       "r.x",
			Status:     mcpproxy.StatusBlocked,
			RiskLevel:  mcpproxy.RiskHigh,
			Metadata: mcpproxy.Metadata{
				Facts: mcpproxy.Facts{
					Operation: mcpproxy.Write,
					Edges:     []mcpproxy.Edge{{Type: mcpproxy.InternalToExternal, Risk: mcpproxy.RiskHigh}},
				},
				Kind:         mcpproxy.KindTool,
				InspectionMS: 0.3,
				Sensitive:    &mcpproxy.SensitiveData{Detections: []mcpproxy.Detection{{Category: "api_token"}, {Category: "pii", IsLikelyExample: true}}},
			},
		},
			[]string{`mcpproxy_calls_total{channel="mcp",server="chat",operation="write",decision="deny",status="blocked"} 1`, `mcpproxy_rulings_total{rule="r.x",decision="deny"} 1`,
				`mcpproxy_tool_calls_total{server="chat",tool="post",decision="deny"} 1`, `mcpproxy_call_risk_total{level="high"} 1`,
				`mcpproxy_flows_total{flow_type="internal→external",risk="high"} 1`, `mcpproxy_sensitive_findings_total{category="api_token"} 1`,
				`mcpproxy_inspection_seconds_bucket{channel="mcp",le="0.0005"} 1`, `mcpproxy_records_total{type="policy_decision"} 1`},
			[]string{"pii", "mcpproxy_upstream_seconds_count{"}},
		"a call with an answer": {mcpproxy.Record{
			Type:       mcpproxy.RecordToolCall,
			Source:     "mcp",
			ServerName: "chat",
			ToolName:   "post",
			DurationMS: 40,
			Metadata:   mcpproxy.Metadata{Kind: mcpproxy.KindTool},
		},
			[]string{`mcpproxy_upstream_seconds_sum{server="chat"} 0.04`}, nil},
		"a tool that nobody declares": {mcpproxy.Record{
			Type:       mcpproxy.RecordToolCall,
			ServerName: "chat",
			ToolName:   "invented",
			Metadata:   mcpproxy.Metadata{Kind: mcpproxy.KindTool},
		},
			[]string{`mcpproxy_tool_calls_total{server="chat",tool="other",decision=""} 1`}, []string{"invented"}},
		"a server that nobody configured": {mcpproxy.Record{
			Type:       mcpproxy.RecordHookEvaluation,
			Source:     "hook",
			ServerName: "strange",
			ToolName:   "post",
			DurationMS: 3,
			Metadata:   mcpproxy.Metadata{Kind: mcpproxy.KindTool},
		},
			[]string{`server="other",tool="other"`}, []string{"strange", "post", "mcpproxy_upstream_seconds_count{"}},
		"an agent's own tool": {mcpproxy.Record{Type: mcpproxy.RecordHookEvaluation, Source: "hook", ToolName: "Bash"}, []string{`channel="hook",server="agent"`}, []string{"Bash"}},
		"a resource is no tool": {mcpproxy.Record{
			Type:       mcpproxy.RecordToolCall,
			ServerName: "chat",
			ToolName:   "file:///x",
			Metadata:   mcpproxy.Metadata{Kind: mcpproxy.KindResource},
		},
			nil, []string{"file:///x", "mcpproxy_tool_calls_total{"}},
		"what is no call": {mcpproxy.Record{Type: mcpproxy.RecordSystemStart}, []string{`mcpproxy_records_total{type="system_start"} 1`}, []string{"mcpproxy_calls_total{"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, calls := newCalls()
			calls.Hear(&c.r)
			if strings.Contains(string(r.Text()), "mcpproxy_records_total{") {
				t.Error("a record was counted as written before it was")
			}
			calls.Written(&c.r)
			text := string(r.Text())
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s is missing in\n%s", want, text)
				}
			}
			for _, not := range c.not {
				if strings.Contains(text, not) {
					t.Errorf("%s is in\n%s", not, text)
				}
			}
		})
	}
}
