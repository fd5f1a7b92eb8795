package upstream

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// relisting remembers when a link's tools were or will be listed again.
type relisting struct {
	mu sync.Mutex
	at time.Time
}

// after returns how long to wait before the tools are listed again, so that this happens at most
// once in every pause. It is not ok when it will happen anyway.
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

// Relist asks for the server's tools on this link, now or when pause has passed since the last
// time, and hands them to seen. A server that runs once for each session may show every session
// other tools. It does not block, and asks at most once in every pause however often it is called.
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
