package cases

// hit is none of the words that a reader knows. HIT
//
// A figure may go over the end of a line: this HIT is
// none.
var hit = "%q is none of user, project" // HIT

// miss returns nil if there is none. Nobody is whole; all are nonetheless read.
var miss = "must be one of user, project"

// A comment may still say that something is no file; a message may not.
var (
	hitName   = "%q is no name of a rule"    // HIT
	hitWanted = "an object is wanted"        // HIT
	hitMuch   = "a whole domain is too much" // HIT
	hitFormat = "%q is no %s"                // HIT
	missThere = "there is no server %q"
	missMore  = "the session is no longer known, and %d are no more than %d"
	missNot   = "%q is not a duration; write 30s or 5m"
)

/* Somebody is who knows. HIT
 */
var raw = `
what it
has somebody do HIT
`
