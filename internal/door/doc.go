// Package door finds out who stands behind an HTTP request: the owner, who has
// the key or reaches the socket, the bearer of a token, or nobody.
//
// [Door.Admit] is asked by everything that listens, before anything of the
// request is read. Keys are compared in constant time. Guessing is limited for
// each address on its own ([Door.Admit] says [http.StatusTooManyRequests] then),
// and only guesses count: a program that sends one wrong key over and over keeps
// nobody out.
//
// Guarantees: what looks like a token is a valid token or is refused, whatever
// else the request carries. Failures from one address never keep out another.
// What is remembered about addresses is bounded.
package door
