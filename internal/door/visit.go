package door

import (
	"context"
	"net/http"
	"sync"
)

// visits are the open requests of those who have tokens.
type visits struct {
	mu   sync.Mutex
	open map[*visit]bool
}

// visit is one of them.
type visit struct {
	principal string
	leave     context.CancelFunc
}

// Visit bounds a request that was admitted: its context ends when the token that
// it was admitted by expires, or when [Door.Expel] says that it was revoked. A
// token that was revoked since the request was admitted is refused. Leave, which
// is never nil, must be called when the request is served.
func (d *Door) Visit(r *http.Request, id Identity) (bounded *http.Request, leave func(), refusal *Refusal) {
	if id.IsOwner() {
		return r, func() {}, nil
	}
	ctx, cancel := context.WithCancel(r.Context())
	stop := func() {}
	if !id.Expires.IsZero() {
		ctx, stop = context.WithDeadline(ctx, id.Expires)
	}
	v := &visit{id.Principal, cancel}
	d.visits.add(v)
	leave = func() {
		stop()
		cancel()
		d.visits.remove(v)
	}
	// Now that Expel knows of the visit: it may have come before.
	if now, ok := d.bearer(credentials(r).all); !ok || now.Principal != id.Principal {
		return r, leave, &Refusal{Status: http.StatusUnauthorized, Message: stale}
	}
	return r.WithContext(ctx), leave, nil
}

// Expel ends every open visit of a principal: his token was revoked. It must be
// called when the token is no longer found.
func (d *Door) Expel(principal string) {
	d.visits.mu.Lock()
	defer d.visits.mu.Unlock()
	for v := range d.visits.open {
		if v.principal == principal {
			v.leave()
		}
	}
}

func (v *visits) add(one *visit) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open[one] = true
}

func (v *visits) remove(one *visit) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.open, one)
}
