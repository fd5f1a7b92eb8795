package auth

import (
	"context"
	"net/http"
	"sync"
)

// openRequests are the requests in progress that a token admitted.
type openRequests struct {
	mu   sync.Mutex
	open map[*openRequest]bool
}

// openRequest is one request in progress.
type openRequest struct {
	principal string
	federated bool // admitted by a Federation
	cancel    context.CancelFunc
}

// Bind ties an admitted request to its token: the context of the returned request ends when the
// token expires or when [Authenticator.EndRequests] is called for its principal. If the token was
// revoked after the request was admitted, Bind returns a refusal. The caller must call leave, which
// is never nil, when the request is served. A request that a [Federation] admitted ends when the
// JWT or certificate expires, and when another Federation is used.
func (a *Authenticator) Bind(r *http.Request, id Identity) (bounded *http.Request, leave func(), refusal *Refusal) {
	if id.Principal == Owner { // the owner has no token
		return r, func() {}, nil
	}
	ctx, cancel := context.WithCancel(r.Context())
	stop := func() {}
	if !id.Expires.IsZero() {
		ctx, stop = context.WithDeadline(ctx, id.Expires)
	}
	v := &openRequest{id.Principal, id.under != nil, cancel}
	a.requests.add(v)
	leave = func() {
		stop()
		cancel()
		a.requests.remove(v)
	}
	// EndRequests may have run before the request was added: check again.
	if id.under != nil {
		if a.federation.Load() != id.under {
			return r, leave, &Refusal{Status: http.StatusUnauthorized, Message: changed}
		}
		return r.WithContext(ctx), leave, nil
	}
	if now, ok := a.bearer(credentialsOf(r).all); !ok || now.Principal != id.Principal {
		return r, leave, &Refusal{Status: http.StatusUnauthorized, Message: unknownToken}
	}
	return r.WithContext(ctx), leave, nil
}

// EndRequests ends every open request of a principal whose token was revoked. Call it
// after the token was removed from the store.
func (a *Authenticator) EndRequests(principal string) {
	a.requests.mu.Lock()
	defer a.requests.mu.Unlock()
	for v := range a.requests.open {
		if v.principal == principal {
			v.cancel()
		}
	}
}

// endFederated ends every open request that a Federation admitted.
func (v *openRequests) endFederated() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for one := range v.open {
		if one.federated {
			one.cancel()
		}
	}
}

func (v *openRequests) add(one *openRequest) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open[one] = true
}

func (v *openRequests) remove(one *openRequest) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.open, one)
}
