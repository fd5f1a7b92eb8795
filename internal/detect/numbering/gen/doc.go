// Command gen makes the table of the numbering plans.
//
// The metadata of libphonenumber (Apache License 2.0, as the Go module
// phonenumbers carries it, whose version go.mod says) describes numbers as regular expressions and as
// steps to take: take off what leads abroad, the calling code, the prefix; take the
// number as it was if what remains cannot be one. Numbers have an end, so all of
// that is operations on finite sets of strings:
//
//   - language.go: sets of digit strings as states of a minimal automaton, with
//     union, intersection and difference;
//   - pattern.go: regular expressions as sets, and as the ways through them in the
//     order of preference, which is what decides how much of a number a prefix takes;
//   - plan.go: what the metadata says of a region, and the step "without its
//     prefix it is in that set" carried out backwards: what was it before?
//   - world.go: the regions that share a calling code, all numbers of the world, and
//     what may be dialled in a country;
//   - encode.go: the table that the package numbering reads.
//
// The table depends on nothing but the metadata: it is the same on every machine.
package main
