package cases

// hit is none of the words that a reader knows. HIT
//
// A figure may go over the end of a line: this HIT is
// none.
var hit = "%q is none of user, project" // HIT

// miss returns nil if there is none. Nobody is whole; all are nonetheless read.
var miss = "must be one of user, project"

/* Somebody is who knows. HIT
 */
var raw = `
what it
has somebody do HIT
`
