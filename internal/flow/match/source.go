package match

// source is one result that was indexed.
type source struct {
	id      int    // the caller's id
	origin  uint64 // identifies the call that made the data; results of one call count as one source
	public  bool   // an external result, which is indexed sparsely, for the session's graph
	thin    bool   // its fingerprints are to be dropped
	gone    bool   // everything of it is to be dropped
	texts   int    // bytes that thinning frees
	secrets int    // bytes that dropping frees in addition
}

// maxSources is the maximum number of sources in an index.
const maxSources = 60_000

// Source describes a result that is added to an index.
type Source struct {
	ID        int    // the caller's id, which a [Hit] returns
	Origin    string // server and tool that made the data; results of the same origin and arguments count once
	Public    bool   // an external result, which outsiders may know
	Secrets   []Secret
	Arguments []byte // of the call that made the data
	Read      *Query // of the same document and options, or nil; it saves reading the document again
	// Same is the ID of a source with the same content, or 0. The two sources count as one.
	Same int
}
