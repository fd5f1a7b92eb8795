// Package policy turns what was observed about a call into a decision.
//
// The tables are those of configuration (security.flow_policy and
// security.tool_policy). They are asked in a fixed order: suspicious endpoints
// and walls between groups first, which nothing overrides; then the user's own
// rules ([Rules]), of which the first that holds settles the rest; then an override
// for the tool, which does the same; then the flow and operation tables, the
// answers to whoever chose the destination, the rules for sessions that have
// read sensitive data, the one for contradictions and the thresholds of the risk
// score ([Risk]), of which the strictest wins. A rule of the user's that cannot be
// evaluated settles nothing and asks: the stricter of that and of what comes behind
// it wins. A [Suppression] takes one rule, or one kind of signal, out for a server or
// a tool; what protects the user from being talked into something cannot be taken out.
// Every decision names the configuration key that made it, so that explain can print
// the change that would have let the call through.
//
// Sources: spec-027, FR-060 to FR-063; RFC-004, Read vs Write/Destructive Policy.
package policy
