// Package rules are rules of the user's own: a condition in CEL over what is known
// of a call, and what happens to a call for which it holds.
//
// [Compile] checks the rules once: their types, whether a rule can ever match, and
// whether an earlier one always speaks before it. [Set.First] is then asked about
// each call; the variables and their fields are those of [Variables], and what is
// costly about a call, such as its parsed arguments, is only made when a rule
// looks at it.
//
// Guarantees: the same facts get the same answer, as nothing outside of them is
// looked at. A rule costs a bounded amount, and one that cannot be evaluated, or
// costs more, asks: it is never passed over in silence, and what comes behind it is
// asked all the same. Nothing is built when there are no rules.
package rules
