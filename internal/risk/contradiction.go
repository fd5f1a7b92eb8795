package risk

import (
	"fmt"
	"slices"

	"mcpproxy"
)

// pair compares two signals. docs/contradictions.md describes the table, and RATIONALE.md says where it interprets
// the matrix of RFC-004 more narrowly.
type pair struct {
	signal1, signal2 string
	claim1, claim2   string
	severity         int
	action           mcpproxy.Decision
	disagree         func(Claims) bool
	because          func(Claims) string
	// milder reports whether other signals confirm the call, so that the contradiction only warns.
	milder func(Claims) bool
	lies   func(Claims) bool // the server's claim is false
}

// The claims that pairs compare.
const (
	reads     = "read"
	readOnly  = "read_only"
	writes    = "write"
	destroys  = "destructive"
	public    = "public"
	sends     = "external_send"
	inside    = "internal"
	outside   = "external"
	sensitive = "sensitive_data"
)

func never(Claims) bool { return false }

// pairs are all comparisons: first the five rows of RFC-004's matrix, then those that follow from it.
var pairs = []pair{
	{AgentIntent, NameHeuristic, reads, destroys, 80, mcpproxy.Deny,
		func(c Claims) bool { return c.agentReads() && c.Name == mcpproxy.Destructive },
		func(c Claims) string {
			return fmt.Sprintf(
				"The agent says that the call only reads, but the tool's name %q says that it destroys",
				c.Tool,
			)
		}, never, never},
	{AgentIntent, ArgumentAnalysis, reads, destroys, 70, mcpproxy.Deny,
		func(c Claims) bool { return c.agentReads() && c.Destroys+c.Forces != "" },
		func(c Claims) string {
			return "The agent says that the call only reads, but the arguments say otherwise: " + either(
				c.Destroys,
				c.Forces,
			)
		}, func(c Claims) bool { return c.Destroys == "" && c.Name == mcpproxy.Read && c.ReadOnly }, never},
	{ServerAnnotation, AgentIntent, readOnly, destroys, 90, mcpproxy.Deny,
		func(c Claims) bool { return c.ReadOnly && c.Operation == mcpproxy.Destructive },
		func(c Claims) string {
			return fmt.Sprintf(
				"The server says that %q only reads, but the agent calls it as a tool that destroys",
				c.Tool,
			)
		}, never, func(c Claims) bool { return c.Name != mcpproxy.Read || c.Destroys != "" }},
	{AgentIntent, PIIDetection, public, sensitive, 50, mcpproxy.Ask,
		func(c Claims) bool { return c.Sensitivity == public && c.Personal != "" },
		func(c Claims) string {
			return "The agent says that the data is public, but it holds " + c.Personal
		}, never, never},
	{AgentIntent, ExternalURL, reads, sends, 75, mcpproxy.Deny,
		func(c Claims) bool { return c.agentReads() && c.External != "" },
		func(c Claims) string {
			return "The agent says that the call only reads, but it hands something to " + c.External
		}, never, never},

	{AgentIntent, ServerAnnotation, reads, destroys, 60, mcpproxy.Ask,
		func(c Claims) bool { return c.agentReads() && c.Destructive },
		func(c Claims) string {
			return fmt.Sprintf("The agent says that the call only reads, but the server says that %q destroys", c.Tool)
		}, func(c Claims) bool { return c.Name == mcpproxy.Read }, never},
	{AgentIntent, NameHeuristic, reads, writes, 55, mcpproxy.Ask,
		func(c Claims) bool { return c.agentReads() && c.Name == mcpproxy.Write },
		func(c Claims) string {
			return fmt.Sprintf(
				"The agent says that the call only reads, but the tool's name %q says that it writes",
				c.Tool,
			)
		}, never, never},
	{AgentIntent, ArgumentAnalysis, reads, writes, 55, mcpproxy.Ask,
		func(c Claims) bool { return c.agentReads() && c.Writes != "" },
		func(c Claims) string {
			return "The agent says that the call only reads, but the arguments write: " + c.Writes
		}, never, never},
	{AgentIntent, NameHeuristic, writes, destroys, 50, mcpproxy.Ask,
		func(c Claims) bool { return c.Operation == mcpproxy.Write && c.Name == mcpproxy.Destructive },
		func(c Claims) string {
			return fmt.Sprintf(
				"The agent says that the call writes, but the tool's name %q says that it destroys",
				c.Tool,
			)
		}, never, never},
	{AgentIntent, ArgumentAnalysis, writes, destroys, 50, mcpproxy.Ask,
		func(c Claims) bool { return c.Operation == mcpproxy.Write && c.Destroys != "" },
		func(c Claims) string {
			return "The agent says that the call writes, but the arguments destroy: " + c.Destroys
		}, never, never},
	{ServerAnnotation, NameHeuristic, readOnly, destroys, 85, mcpproxy.Deny,
		func(c Claims) bool { return c.ReadOnly && c.Name == mcpproxy.Destructive },
		func(c Claims) string {
			return fmt.Sprintf("The server says that %q only reads, but the name says that it destroys", c.Tool)
		}, never, never},
	{ServerAnnotation, ArgumentAnalysis, readOnly, destroys, 85, mcpproxy.Deny,
		func(c Claims) bool { return c.ReadOnly && c.Destroys != "" },
		func(c Claims) string {
			return fmt.Sprintf("The server says that %q only reads, but the arguments destroy: %s", c.Tool, c.Destroys)
		}, never, never},
	{ServerAnnotation, NameHeuristic, readOnly, writes, 45, mcpproxy.Warn,
		func(c Claims) bool { return c.ReadOnly && c.Name == mcpproxy.Write },
		func(c Claims) string {
			return fmt.Sprintf("The server says that %q only reads, but the name says that it writes", c.Tool)
		}, never, never},
	{ServerAnnotation, ArgumentAnalysis, readOnly, writes, 45, mcpproxy.Warn,
		func(c Claims) bool { return c.ReadOnly && c.Writes != "" },
		func(c Claims) string {
			return fmt.Sprintf("The server says that %q only reads, but the arguments write: %s", c.Tool, c.Writes)
		}, never, never},
	{NameHeuristic, ArgumentAnalysis, reads, destroys, 65, mcpproxy.Ask,
		func(c Claims) bool { return c.Name == mcpproxy.Read && c.Destroys != "" },
		func(c Claims) string {
			return fmt.Sprintf(
				"The tool's name %q says that it reads, but the arguments destroy: %s",
				c.Tool,
				c.Destroys,
			)
		}, never, never},
	{AgentIntent, Destination, inside, outside, 75, mcpproxy.Deny,
		func(c Claims) bool { return c.Destination == inside && c.Outside != "" },
		func(c Claims) string {
			return "The agent says that the data stays inside, but the call addresses " + c.Outside
		}, never, never},
	{AgentIntent, Destination, inside, sends, 60, mcpproxy.Ask,
		func(c Claims) bool { return c.Destination == inside && c.Reaches != "" },
		func(c Claims) string {
			return "The agent says that the data stays inside, but the call sends to the external service " + c.Reaches
		}, func(c Claims) bool { return c.Contacts && c.Outside == "" }, never},
}

func (c Claims) agentReads() bool { return c.Operation == mcpproxy.Read }

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Contradictions compares every two claims and returns those that cannot both be true, the most serious first. A
// signal without a claim contradicts nothing. An additional claim never removes a contradiction, but it may make the
// proposed action milder.
func Contradictions(c Claims) []mcpproxy.ContradictionResult {
	var out []mcpproxy.ContradictionResult
	for _, p := range pairs {
		if !p.disagree(c) {
			continue
		}
		r := mcpproxy.ContradictionResult{
			Signal1:     p.signal1,
			Signal2:     p.signal2,
			Claim1:      p.claim1,
			Claim2:      p.claim2,
			Severity:    p.severity,
			Action:      p.action,
			Explanation: p.because(c) + ".",
			Quarantine:  p.lies(c),
		}
		if p.milder(c) {
			r.Action = mcpproxy.Warn
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b mcpproxy.ContradictionResult) int { return b.Severity - a.Severity })
	return out
}

// ContradictionSignals returns signals for the score. Each has the weight of the more trusted of its two claims. A
// contradiction between an agent's claim and a server's claim counts as a hint.
func ContradictionSignals(all []mcpproxy.ContradictionResult) []mcpproxy.Signal {
	var out []mcpproxy.Signal
	for _, r := range all {
		s := mcpproxy.Signal{
			Source:     mcpproxy.SourceStatic,
			Kind:       mcpproxy.KindContradiction,
			Category:   r.Signal1 + "_" + r.Signal2,
			Severity:   gravity(r.Severity),
			Confidence: max(trust[r.Signal1], trust[r.Signal2]),
			Evidence:   r.Explanation,
		}
		if s.Confidence <= trust[ServerAnnotation] {
			s.Source = mcpproxy.SourceAgentHint
		}
		out = append(out, s)
	}
	return out
}

// gravity converts a severity of 0 to 100 to a [mcpproxy.Severity].
func gravity(n int) mcpproxy.Severity {
	switch {
	case n >= 85:
		return mcpproxy.SeverityCritical
	case n >= 70:
		return mcpproxy.SeverityHigh
	case n >= 50:
		return mcpproxy.SeverityMedium
	}
	return mcpproxy.SeverityLow
}
