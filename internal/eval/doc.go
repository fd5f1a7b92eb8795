// Package eval measures detection on labelled texts, definitions, calls and
// sessions.
//
// Texts come as JSON Lines, one labelled text a line. They are read strictly: a
// line that is not understood is an error that names its file and number, since
// a row left out in silence would make a figure wrong. Keys that a row has
// beside those named here are accepted.
//
// Every text goes through the same rooms as a tool's answer does, as one JSON
// string, on as many workers as there are processors. A [Report] does not
// depend on their number, except for its times.
//
// Definitions of tools go through the scanner, each beside the tools that its row
// says other servers offer. Changes of definitions go through whatever tells
// changes; what has changed is worked out here, from values alone.
//
// Calls and recorded sessions go through a whole gate, with all that decides in
// it; only its log keeps nothing. No two of them share a gate, unless that is
// what is measured.
package eval
