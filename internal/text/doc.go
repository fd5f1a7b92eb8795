// Package text turns arguments and results into what the detectors read: the
// parts of a JSON value, each a string with its JSON path, and the views of a
// part.
//
// A call is parsed here once; every later room reads the same [Document].
// Parsing is strict: duplicate keys, invalid UTF-8 and more than [MaxDepth]
// levels of nesting are errors. JSON that travels inside a string, as most MCP
// results do, is opened up to [MaxNested] levels and its leaves are parts too.
//
// The raw view is the text itself. The normal view undoes what a reader does
// not see: compatibility forms (NFKC), format characters and variation
// selectors. Text that is plain ASCII is its own normal view, at no cost.
package text
