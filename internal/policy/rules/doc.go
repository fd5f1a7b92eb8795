// Package rules evaluates the user's own rules. A rule is a condition in CEL over the facts about a
// call, and the decision for calls that meet it.
//
// [Compile] checks the rules once: their types, whether a rule can match at all, and whether an
// earlier rule always matches before it. [Set.First] then evaluates them for each call.
// [Variables] lists the variables and their fields. Costly facts, such as the parsed arguments,
// are computed only when a rule reads them.
//
// Guarantees: a rule sees nothing but the facts, so equal facts have equal answers. The cost of a rule is bounded. A
// rule that cannot be evaluated, or costs more, asks: it is never skipped in silence, and the later steps are
// evaluated all the same. Without rules, nothing is compiled.
package rules
