// Package token keeps the keys that a person gives to agents and auditors, so
// that the owner's own key need not be handed out.
//
// An agent's token makes its bearer a principal: what it calls is recorded under
// its name, its sessions are its own, and its [Scope] says which servers, tools
// and operations it may use. The gate asks [Token.Refuses] about every call. An
// auditor's token opens no tool; it reads the activity log, without bodies.
//
// Guarantees: the plain form of a token leaves [Store.Create] once and is kept
// nowhere; the file holds SHA-256 hashes, is its owner's alone (mode 0600) and is
// replaced as a whole. A token that has expired or was revoked is not found from
// that moment on. Hashes are compared in constant time.
package token
