// Package token stores the keys that the owner gives to agents and auditors, so that the owner need
// not give away the API key.
//
// An agent's token makes its bearer a principal: its calls are recorded under the token's name, it
// has its own sessions, and its [Scope] says which servers, tools and operations it may use. The
// gate asks [Token.Refuses] about every call. An auditor's token cannot call tools; it can read the
// activity log, without bodies.
//
// Guarantees: the plain form of a token leaves [Store.Create] once and is kept
// nowhere; the file holds SHA-256 hashes, is its owner's alone (mode 0600) and is
// replaced as a whole. A token that has expired or was revoked is not found from
// that moment on. Hashes are compared in constant time.
package token
