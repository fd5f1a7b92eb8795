// Package personal finds personal data in a text: e-mail addresses, phones,
// payment cards and bank accounts, the numbers of persons and of their papers
// in some ninety countries, addresses of machines and of crypto currencies,
// vehicles, patients, and dates of birth.
//
// [Find] reads a text once, from one digit or at sign to the next ([Find] in
// personal.go, then reader.go). What it meets there is told in this order:
//
//   - forms.go: a trie of pictures such as "999-99-9999" tells from the lengths of
//     the words and what separates them which kinds it may be. E-mail addresses, phones,
//     IBANs, dates, network and coin addresses have readers of their own.
//   - context.go, topics.go, window.go: words in many languages that announce a
//     kind, looked for up to 48 bytes before the value, 24 behind it, and in the name
//     of the JSON member. Every byte is read for them at most once.
//   - weigh.go: how sure it is. A value that is announced counts most, then one in
//     the official grouping, then a bare one that a check digit proves; what is part of
//     something longer, a price, an order's number or in a URL counts less.
//   - the check of the kind, in the file of its region, over checksum.go.
//
// A kind is one line in the list of its region ([Rules] names them all), with
// at least two hits and a miss in testdata/cases.
//
// The guarantees: the time is in proportion to the length of the text;
// findings do not overlap and lie inside the text; a number that fails the check
// digit of its kind is not told as that kind, but for the few whose check
// digit is no longer kept, or whose form alone is unmistakable.
package personal
