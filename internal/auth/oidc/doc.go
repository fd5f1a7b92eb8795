// Package oidc checks the tokens that an OpenID provider signs, so that the people of a
// company can use mcpproxy with the accounts that they have.
//
// [New] returns a [Provider], and [Provider.Check] says who the bearer of a JWT is and to
// which groups the person belongs. When the first token arrives, the Provider finds the keys of the
// identity provider by OpenID Connect Discovery. It reads them again every quarter of an hour, and
// when a token names a key that it does not know.
//
// Guarantees: Check accepts a token only if an asymmetric key that the provider publishes has
// signed it, if its audience is this one, and until it expires. The algorithm is chosen from a fixed
// list and must fit the type of the key, so a public key is never used as a shared secret. A
// token that cannot be checked because the provider does not answer fails with [*Outage] and
// never with [*Invalid]. However many tokens with unknown keys arrive, the provider is asked at
// most once in a few seconds. No error repeats anything that a token says.
package oidc
