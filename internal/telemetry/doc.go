// Package telemetry exports records to an OTLP collector, as logs and spans, and to a syslog
// server, as CEF or JSON.
//
// The exported data come from masked records. They never include arguments, results or evidence.
// A collector learns who called which tool, what was decided and why, but not what was said.
//
// Until telemetry is enabled, nothing runs and no connection is opened. Exporting never blocks a
// call: records wait in a bounded queue and are sent in batches. If a target fails, they are sent
// again later. Records that do not fit into the queue are dropped, and [Target] counts them.
//
// Attribute names follow OpenTelemetry's conventions for GenAI and MCP. Where these have no name,
// the attribute begins with "mcpproxy.".
package telemetry
