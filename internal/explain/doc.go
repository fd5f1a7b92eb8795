// Package explain says about one record of the activity log why the call was
// decided as it was, what its risk score is made of, and what would have allowed
// it. The command line and the page both tell what [Of] returns.
//
// Guarantee: everything comes from the record itself. What is in force today plays
// no part, so that an old record keeps its explanation.
package explain
