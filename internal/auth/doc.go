// Package auth authenticates HTTP requests: a request comes from the owner, who has the
// key or uses the owner's socket, from the bearer of a token, from a person whom a
// [Federation] knows by a JWT or a client certificate, or from nobody known.
//
// Every listener calls [Authenticator.Admit] before it reads anything else of a request.
// Keys are compared in constant time. Guessing is limited for each address separately
// ([Authenticator.Admit] then answers [http.StatusTooManyRequests]), and only different
// wrong keys count: a program that repeats one wrong key locks nobody out.
// [Authenticator.Bind] ties an admitted request to its token: the request does not outlive it.
//
// Guarantees: anything that looks like a token, wherever it stands in the two headers, is a
// valid token or is refused, whatever else the request carries. A request that shows
// something that is neither the key nor a token is refused, even where no key is required.
// No request that a token opened continues after [Authenticator.EndRequests] was called for
// that token. Failures from one address never lock out another address. The memory for
// addresses is bounded. A Federation admits nobody whom none of its grants is for, no JWT that
// comes with another credential, and nobody under the name of the owner or of a token.
package auth
