// Package text converts arguments and results to what the detectors read: the parts of a JSON value, each a string
// with its JSON path, and the views of those parts.
//
// A call is parsed once, and all packages read the same [Document]. Parsing is strict: duplicate keys, invalid UTF-8
// and more than [MaxDepth] levels of nesting are errors. JSON inside a string, which most MCP results contain, is
// parsed up to [MaxNested] levels, and its values are parts too.
//
// [Document.Views] returns every way in which a part can be read. Each kind of encoding has its own file:
//
//	normal.go     invisible differences: compatibility forms, format characters,
//	              terminal codes; lookalike.go: letters of other scripts
//	hidden.go     texts in tag characters and variation selectors
//	escape.go     percent, JSON, JavaScript, HTML, quoted-printable; form.go: forms
//	encoded.go    base64, base32, hex; codes.go: character codes; plain.go: UTF-16,
//	              gzip and zlib in them; file.go: texts in images
//	spacing.go    letters and groups of letters with separators between them
//	mirror.go     rot13 and reversal
//	seam.go       texts that continue in the next part
//
// A view records where it was read from ([View.Spans]), so that a finding in it can be located, masked or replaced in
// the caller's own bytes ([Document.Rewrite]).
//
// Guarantee: at most three nested encodings are undone. The views of a document have at most eight times its bytes
// plus a constant, and computing them takes time linear in its size, whatever it contains. A document that would need
// more is marked ([Document.Truncated]).
package text
