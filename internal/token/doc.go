// Package token stores the keys that the owner gives to agents and auditors, so that the owner need not give away the
// API key.
//
// The bearer of an agent's token is a principal: its calls are recorded under the token's name, it has its own
// sessions, and the token's [Scope] says which servers, tools and operations it may use. The gate asks [Token.Refuses]
// about every call. An auditor's token cannot call tools; it can read the activity log, without bodies.
//
// Guarantees: only [Store.Create] returns the plain form of a token, once, and it is not stored. The file contains
// SHA-256 hashes, can only be read by its owner (mode 0600) and is replaced as a whole. A token is not found any more
// as soon as it has expired or was revoked. Hashes are compared in constant time.
package token
