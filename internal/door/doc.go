// Package door finds out who stands behind an HTTP request: the owner, who has
// the key or reaches the socket, the bearer of a token, or nobody.
//
// [Door.Admit] is asked by everything that listens, before anything of the
// request is read. Keys are compared in constant time. Guessing is limited for
// each address on its own ([Door.Admit] says [http.StatusTooManyRequests] then),
// and only guesses count: a program that sends one wrong key over and over keeps
// nobody out. [Door.Visit] bounds what was let in: a request does not outlive the
// token that it came with.
//
// Guarantees: what looks like a token, wherever it stands in the two headers, is a
// valid token or is refused, whatever else the request carries; and who shows anything
// at all that is neither key nor token is refused, also where nobody needs a key. Nothing that a
// token opened stays open when [Door.Expel] has heard of its end. Failures from one
// address never keep out another. What is remembered about addresses is bounded.
package door
