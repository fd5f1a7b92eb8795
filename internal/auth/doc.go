// Package auth authenticates HTTP requests. The sender of a request is the owner, who has the key
// or uses the owner's socket; the holder of a token; a person whom a [Federation] identifies by a
// JWT or a client certificate; or unknown.
//
// Every listener calls [Authenticator.Admit] before it reads anything else of a request. Keys are
// compared in constant time. Guessing is limited for each address separately ([Authenticator.Admit]
// then answers [http.StatusTooManyRequests]), and only different wrong keys count: a program that
// repeats one wrong key locks nobody out. [Authenticator.Bind] ends an admitted request when its
// token expires or is revoked.
//
// Guarantees: every value in the two headers that looks like a token is a valid token, or the
// request is refused, whatever else the request carries. A request with a value that is neither the
// key nor a token is refused, even if no key is required. No request that a token opened continues
// after [Authenticator.EndRequests] was called for that token. Failures from one address never lock
// out another address. The memory for addresses is bounded. A Federation admits no caller without a
// grant, no JWT together with another credential, and no caller under the name of the owner or of a
// token.
package auth
