// Package policy turns what was observed about a call into a decision.
//
// The tables are those of configuration (security.flow_policy and
// security.tool_policy). They are asked in a fixed order: suspicious endpoints
// and walls between groups first, which nothing overrides; then an override for
// the tool, which settles the rest; then the flow and operation tables, the
// answers to whoever chose the destination, the rules for sessions that have
// read sensitive data and the one for contradictions, of which the strictest
// wins. Every decision names the configuration key that made it, so that
// explain can print the change that would have let the call through.
//
// Sources: spec-027, FR-060 to FR-063; RFC-004, Read vs Write/Destructive Policy.
package policy
