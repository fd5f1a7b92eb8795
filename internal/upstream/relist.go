package upstream

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// relisting stores when a link's tools were last listed, or the time for which the next listing is scheduled.
type relisting struct {
	mu sync.Mutex
	at time.Time
}

// after returns how long to wait before the tools are listed again, at most once in every pause. ok
// is false if a listing is already scheduled.
func (r *relisting) after(pause time.Duration) (wait time.Duration, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	wait = time.Until(r.at.Add(pause))
	if wait > pause {
		return 0, false
	}
	wait = max(wait, 0)
	r.at = time.Now().Add(wait)
	return wait, true
}

// Relist lists the server's tools on this link and passes them to seen, now or when pause has
// passed since the last time. A server with one process per session may show each session different
// tools. Relist does not block, and lists at most once in every pause.
func (l *Link) Relist(pause time.Duration, seen func(tools []json.RawMessage)) {
	wait, ok := l.relisted.after(pause)
	if !ok {
		return
	}
	time.AfterFunc(wait, func() {
		if !l.alive() {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), l.server.timeout())
		defer cancel()
		if tools, err := l.list(ctx, "tools"); err == nil {
			seen(tools)
		}
	})
}
