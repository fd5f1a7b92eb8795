// Package numbering knows the numbering plans of all countries: which digits
// are a telephone number.
//
// A [Plan] is a set of digit strings, and [Plan.Has] its only question. [Abroad]
// holds what may stand behind a plus sign, [Called] what begins with a calling
// code that somebody has, and each country's plan what may be dialled there: with
// the prefix of the country or without, its own calling code or, behind what leads
// abroad, any number of the world.
//
// All plans are one automaton over digits, as small as they come (plans.bin, 67 KB).
// It is embedded and read where it lies: starting the program costs nothing, an
// answer some 100 nanoseconds and no memory.
//
// The guarantee: the answers are those of libphonenumber, whose metadata the
// generator reads (gen/doc.go says how), for digit strings of any length; a test asks
// both. To take newer metadata, raise the version of the generator's library in
// go.mod and run
//
//	make plans
//
// A country is added as a line of the list in numbering.go, and made the same way.
package numbering
