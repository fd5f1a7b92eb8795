// Package policy turns the facts about a call into a decision.
//
// The configuration holds the tables (security.flow_policy and security.tool_policy). The package
// applies them in a fixed order:
//
//  1. Suspicious endpoints and walls between groups. Nothing overrides them.
//  2. The user's own rules ([Rules]). The first rule that matches decides, and ends the order. A
//     rule that cannot be evaluated asks; the stricter of that and of the later steps wins.
//  3. An override for the tool. It decides, and ends the order.
//  4. The flow and operation tables, the answers to destinations that somebody else chose, the
//     rules for sessions that have read sensitive data, the rule for contradictions, and the
//     thresholds of the risk score ([Risk]). The strictest of them wins.
//
// A [Suppression] disables one rule, or one kind of signal, for a server or a tool. The rules against injected
// instructions cannot be disabled.
//
// Every decision names the configuration key that made it, so that explain can print the change
// that would have let the call through.
//
// Sources: spec-027, FR-060 to FR-063; RFC-004, Read vs Write/Destructive Policy.
package policy
