// Package shell says what a command line does with data: what it reads of this
// machine, what it hands to others, and who those are.
//
// The line is parsed as Bash and then followed as Bash would run it, without
// running anything: quotes are taken away, variables, braces, functions and
// substitutions are expanded, pipes and files written on the way carry what was
// put into them, and code that the line itself spells out (bash -c, eval, a
// pipe into sh, base64 before it) is parsed in turn. What each program does with
// its arguments stands in programs.txt, one line a program.
//
// The values that are followed are sets of sources. They only ever grow, so a
// branch that may not be taken counts as taken.
//
// Guarantee: the cost is linear in the length of the line, and bounded for
// lines that would loop. A line that is too long or too deep, that does not
// parse, or that is PowerShell, is read word by word instead ([Command.Opaque]),
// and then counts as giving away what it names when it names both.
//
// Not seen: what a program or script that the line only names does by itself.
package shell
