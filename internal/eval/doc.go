// Package eval measures detection on labelled texts, definitions, calls and sessions.
//
// Texts come as JSON Lines, one labelled text a line. They are parsed strictly: an invalid line is an error that
// names its file and line number, because a skipped row would make a figure wrong. Additional keys of a row are
// accepted.
//
// Every text passes through the same packages as a tool's result, as one JSON string. The rows are distributed over
// as many workers as there are processors. A [Report] does not depend on the number of workers, except for its times.
//
// Definitions of tools pass through the scanner, each with the tools of other servers in its row. Changes of
// definitions pass through the code that reports changes; the package itself compares the values to determine what
// has changed.
//
// Calls and recorded sessions pass through a complete gate whose log stores nothing. Each has its own gate, unless
// the measurement requires a common one.
package eval
