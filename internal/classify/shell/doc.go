// Package shell determines what a command line does with data: what it reads on this machine,
// what it sends to others, and who receives it.
//
// The package parses the line as Bash and then interprets it without running anything. It
// removes quotes, and expands variables, braces, functions and substitutions. It follows data
// through pipes and through files that the line writes. It also parses code that the line itself
// contains: the argument of bash -c and eval, text that is piped into sh, and base64 that is
// decoded on the way. The file programs.txt has one line for each known program, which says what
// the program does with its arguments.
//
// A value is the set of its sources. Sets only ever grow, so a branch that may not be taken counts
// as taken.
//
// Guarantee: the cost is linear in the length of the line, and it is bounded for lines that would
// loop. Some lines cannot be interpreted: those that are too long or too deeply nested, that do not
// parse, or that are PowerShell. Such a line is read word by word ([Command.Opaque]). If it names
// both data and a receiver, it counts as sending that data there.
//
// Limit: if the line only names a program or a script, the package does not see what that does.
package shell
