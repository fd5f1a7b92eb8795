// Command gen generates the table of the numbering plans.
//
// It reads the metadata of libphonenumber (Apache License 2.0) from the Go module phonenumbers, whose version is in
// go.mod. The metadata describes numbers by regular expressions and by parsing steps: remove the international
// prefix, the calling code and the national prefix, and keep the number unchanged if the rest cannot be a number.
// Numbers have a maximum length, so all of these are operations on finite sets of strings:
//
//   - language.go: sets of digit strings as states of a minimal automaton, with union,
//     intersection and difference;
//   - pattern.go: regular expressions as sets, and as the alternatives through them in
//     the order of preference, which decides how much of a number a prefix matches;
//   - plan.go: the metadata of a region, and the inverse of removing a prefix: the set
//     of numbers that are in a given set without their prefix;
//   - world.go: the regions that share a calling code, all numbers of the world, and
//     the numbers that can be dialled in a country;
//   - encode.go: the table that package numbering reads.
//
// The table depends only on the metadata and is the same on every machine.
package main
