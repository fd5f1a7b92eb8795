// Package oidc checks the tokens that an OpenID provider signs, so that the people of a
// company can use mcpproxy with the accounts that they have.
//
// [New] returns a [Provider], and [Provider.Check] says who the bearer of a JWT is and to
// which groups the person belongs. The provider's keys are found by OpenID Connect Discovery
// when the first token arrives. They are kept, and read again when a token names a key that is
// not known, and every quarter of an hour.
//
// Guarantees: a token counts only if an asymmetric key that the provider publishes has signed
// it, if it is for this audience, and while it is valid. The algorithm is chosen from a fixed
// list and must fit the type of the key, so a public key is never used as a shared secret. A
// token that cannot be checked because the provider does not answer fails with [*Outage] and
// never with [*Invalid]. However many tokens with unknown keys arrive, the provider is asked at
// most once in a few seconds. No error repeats anything that a token says.
package oidc
