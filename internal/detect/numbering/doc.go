// Package numbering knows the numbering plans of all countries. It reports which strings of
// digits are telephone numbers.
//
// A [Plan] is a set of digit strings, and [Plan.Has] tests membership. There are three sorts:
//
//   - [Abroad] holds the numbers that can follow a plus sign.
//   - [Called] holds the numbers that begin with an assigned calling code.
//   - Each country's plan holds the numbers that can be dialled there: national numbers with or
//     without the national prefix, numbers with the country's own calling code, and all numbers
//     of the world after the international prefix.
//
// All plans are one minimal automaton over digits (plans.bin, 67 KB). The program embeds it and
// reads it in place, so it costs nothing at startup. A query takes about 100 nanoseconds and
// allocates nothing.
//
// Guarantee: the answers are those of libphonenumber for digit strings of any length; a test
// compares the two. The generator reads the metadata of libphonenumber (see gen/doc.go). To
// update the metadata, raise the version of the generator's library in go.mod and run
//
//	make plans
//
// To add a country, add a line to the list in numbering.go, and run the same command.
package numbering
