package match

// source is one result that was indexed.
type source struct {
	id      int    // as the caller names it
	origin  uint64 // of the call that made it: the same call again is no second source
	public  bool   // an external result: indexed sparsely, for the picture
	thin    bool   // its fingerprints are to be forgotten
	gone    bool   // everything of it is
	texts   int    // bytes of what thinning it frees
	secrets int    // bytes of what else dropping it frees
}

// maxSources is how many sources an index can tell apart.
const maxSources = 60_000

// Source says whose data is added to an index.
type Source struct {
	ID      int    // the caller's own number; it comes back in a [Hit]
	Origin  string // what made the data: server, tool and arguments. The same one twice counts once
	Public  bool   // what strangers know too: an external result
	Secrets []Secret
	// Same is the ID of a source of which this is another reading, found by what it says; 0
	// for none. Both count once.
	Same int
}
