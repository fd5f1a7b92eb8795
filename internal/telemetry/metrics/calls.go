package metrics

import (
	"mcpproxy"
)

// The bucket limits of the histograms, in seconds.
var (
	gateBounds     = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1}
	upstreamBounds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
)

// Known says which names may be used as labels.
type Known struct {
	Server func(name string) bool
	Tool   func(server, name string) bool
}

// Calls counts calls, from their records.
type Calls struct {
	known     Known
	records   Counter
	calls     Counter
	rulings   Counter
	tools     Counter
	risks     Counter
	flows     Counter
	sensitive Counter
	gate      Histogram
	upstream  Histogram
}

// NewCalls adds the metrics about calls to a registry.
func NewCalls(r *Registry, k Known) *Calls {
	return &Calls{
		known:   k,
		records: r.Counter("mcpproxy_records_total", "Records written to the activity log, by type.", 50, "type"),
		calls: r.Counter(
			"mcpproxy_calls_total",
			"Calls and evaluations of hooks, by channel, server, operation, decision and status.",
			2000,
			"channel",
			"server",
			"operation",
			"decision",
			"status",
		),
		rulings: r.Counter(
			"mcpproxy_rulings_total",
			"Calls about which a rule said something, by rule and decision.",
			500,
			"rule",
			"decision",
		),
		tools: r.Counter(
			"mcpproxy_tool_calls_total",
			"Calls of tools that configured servers declare, by decision.",
			1000,
			"server",
			"tool",
			"decision",
		),
		risks: r.Counter("mcpproxy_call_risk_total", "Calls by risk level.", 10, "level"),
		flows: r.Counter(
			"mcpproxy_flows_total",
			"Movements of data from call to call, by type and risk level.",
			50,
			"flow_type",
			"risk",
		),
		sensitive: r.Counter(
			"mcpproxy_sensitive_findings_total",
			"Secrets and personal data found in calls and results, by category.",
			100,
			"category",
		),
		gate: r.Histogram(
			"mcpproxy_inspection_seconds",
			"Time that inspecting a call and its result took.",
			gateBounds,
			10,
			"channel",
		),
		upstream: r.Histogram(
			"mcpproxy_upstream_seconds",
			"Time from sending a call to its server until the answer.",
			upstreamBounds,
			200,
			"server",
		),
	}
}

// Written counts a record that was written to the activity log.
func (c *Calls) Written(r *mcpproxy.Record) { c.records.Add(1, string(r.Type)) }

// Hear counts the call in a record, whether or not the record could be written.
func (c *Calls) Hear(r *mcpproxy.Record) {
	switch r.Type {
	case mcpproxy.RecordToolCall, mcpproxy.RecordPolicyDecision, mcpproxy.RecordHookEvaluation:
	default:
		return
	}
	if r.Rule == mcpproxy.NetworkRule {
		return // not an agent's call; it has a metric of its own
	}
	server := c.server(r.ServerName)
	decision := string(r.Decision)
	c.calls.Add(1, r.Source, server, string(r.Metadata.Operation), decision, string(r.Status))
	if r.Rule != "" {
		c.rulings.Add(1, r.Rule, decision)
	}
	if r.Metadata.Kind == mcpproxy.KindTool && r.ServerName != "" {
		tool := Other
		if server != Other && c.known.Tool(r.ServerName, r.ToolName) {
			tool = r.ToolName
		}
		c.tools.Add(1, server, tool, decision)
	}
	c.risks.Add(1, string(r.RiskLevel))
	for _, e := range r.Metadata.Edges {
		c.flows.Add(1, string(e.Type), string(e.Risk))
	}
	if s := r.Metadata.Sensitive; s != nil {
		for _, d := range s.Detections {
			if !d.IsLikelyExample {
				c.sensitive.Add(1, d.Category)
			}
		}
	}
	c.gate.Observe(r.Metadata.InspectionMS/1000, r.Source)
	if r.Source != string(mcpproxy.ChannelHook) && r.DurationMS > 0 {
		c.upstream.Observe(r.DurationMS/1000, server)
	}
}

// server returns the label for a server: "agent" for an agent's own tools.
func (c *Calls) server(name string) string {
	switch {
	case name == "":
		return "agent"
	case c.known.Server(name):
		return name
	}
	return Other
}
