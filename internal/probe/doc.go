// Package probe tests any MCP server from the outside. Ten tests measure what the server lets through, how reliably it
// answers, and how it handles malformed requests.
//
//	results, err := probe.New(probe.Target{URL: "http://localhost:3000/mcp"},
//		probe.Options{LatencyTestCalls: 15}, probe.Thresholds{MaxP95MS: 1500}).Run(ctx)
//	if err != nil {
//		return err // the server cannot be reached
//	}
//	s := results.Summary().Security
//	fmt.Printf("%d of %d passed, P95 %d ms\n", s.Passed, s.Total, s.P95LatencyMS)
//
// [Tests] lists the tests; each is one file. T1 to T5 are the suite mcp_security, T6 to T10 the suite mcp_robustness.
// A test only knows what the server says about itself. It calls only what is safe to call (surface.go): tools that
// read, unless the options name others.
//
// To add a test, add a file and a line in Tests.
//
// The guarantees: a run is bounded in calls and in time, and two runs against a server that behaves the same make the
// same calls and give the same results, except for times (all randomness comes from [Options.Seed]). A tool that looks
// destructive is never called unless AllowDestructive says so. A run that is stopped returns the results so far,
// marked as partial. Texts of the server in a report are short and safe to print, with secrets masked.
//
// Source: the MCP Security/Robustness Test Suite, for T1 to T5 with their options, thresholds and fields.
package probe
