// Package text turns arguments and results into what the detectors read: the
// parts of a JSON value, each a string with its JSON path, and the views of
// those parts.
//
// A call is parsed here once; every later room reads the same [Document].
// Parsing is strict: duplicate keys, invalid UTF-8 and more than [MaxDepth]
// levels of nesting are errors. JSON that travels inside a string, as most MCP
// results do, is opened up to [MaxNested] levels and its leaves are parts too.
//
// [Document.Views] gives every way in which a part can be read. Each disguise
// has its own file:
//
//	normal.go     what a reader does not see: compatibility forms, format
//	              characters, terminal codes; lookalike.go: other scripts' letters
//	hidden.go     texts spelled in tag characters and variation selectors
//	escape.go     percent, JSON, JavaScript, HTML, quoted-printable; form.go: forms
//	encoded.go    base64, base32, hex; codes.go: character codes; plain.go:
//	              UTF-16, gzip and zlib in them; file.go: what is written in images
//	spacing.go    letters and groups of letters that were pulled apart
//	mirror.go     rot13 and reversal
//	seam.go       what goes on in the next part
//
// A view knows where it was read from ([View.Spans]), so that what is found in
// it can be pointed at, masked or replaced in the caller's own bytes
// ([Document.Rewrite]).
//
// The guarantee: at most three encodings are undone one inside the other, the
// views of a document hold at most eight times its bytes and a little more, and
// making them takes time linear in its size, whatever it holds. A document that
// would need more says so ([Document.Truncated]).
package text
