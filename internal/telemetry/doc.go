// Package telemetry exports records: to an OTLP collector as logs and spans, and
// to a syslog server as CEF or JSON.
//
// Everything comes from masked records, and neither arguments nor results nor
// evidence are exported: a collector learns who called what, what was decided and
// why, never what was said.
//
// Nothing runs and nothing is connected until telemetry is enabled. Hearing never
// blocks: records wait in a queue of bounded size, go out in batches, and are
// tried again while a target fails; what does not fit is dropped and counted in
// [Target].
//
// Names of attributes follow OpenTelemetry's conventions for GenAI and MCP where
// those have one, and begin with "mcpproxy." where they have none.
package telemetry
