// Package explain explains one record of the activity log: why the call was decided as it was, which signals make up
// its risk score, and what would have allowed it. The command line and the page both show the result of [Of].
//
// Guarantee: the explanation is made from the record alone. It does not depend on the current configuration, so the
// explanation of an old record never changes.
package explain
