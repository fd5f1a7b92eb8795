// Package personal finds personal data in a text: e-mail addresses, phone numbers, payment cards and bank accounts,
// the numbers of persons and of their documents in some ninety countries, network and cryptocurrency addresses,
// vehicles, patients, and dates of birth.
//
// [Find] reads a text once, from one digit or at sign to the next (personal.go, then reader.go). For each of them it
// does the following, in this order:
//
//   - forms.go: a trie of pictures such as "999-99-9999" returns the possible kinds by the
//     lengths of the words and their separators. E-mail addresses, phone numbers, IBANs,
//     dates, network and cryptocurrency addresses have readers of their own.
//   - context.go, topics.go, window.go: words in many languages announce a kind. They are
//     searched up to 48 bytes before the value, up to 24 after it, and in the name of the
//     JSON member. Every byte is searched at most once.
//   - weigh.go: the confidence. A value that is announced has the highest confidence, then a
//     value in the official grouping, then a plain value with a valid check digit. A value
//     that is part of something longer, a price, the number of an order or part of a URL has
//     a lower confidence.
//   - the check of the kind, in the file of its region, with the algorithms of checksum.go.
//
// A kind is one entry in the list of its region ([Rules] returns all of them), with at least two hits and a miss in
// testdata/cases.
//
// Guarantees: the time is linear in the length of the text. Findings do not overlap and lie inside the text. A number
// with an invalid check digit is not reported as that kind, except for the few kinds whose check digit is no longer
// maintained or whose form alone is unmistakable.
package personal
