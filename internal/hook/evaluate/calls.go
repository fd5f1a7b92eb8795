package evaluate

import (
	"crypto/sha256"
	"sync"

	"mcpproxy/internal/gate"
	"mcpproxy/internal/hook"
)

// maxCalls is the maximum number of calls without a reported result. The oldest are dropped first.
const maxCalls = 10_000

// callKey identifies a call by its session and id, or else by its content.
type callKey [sha256.Size]byte

func keyOf(ev hook.Event) callKey {
	h := sha256.New()
	parts := [][]byte{[]byte(ev.Session), []byte(ev.CallID)}
	if ev.CallID == "" {
		parts = append(parts, []byte(ev.Server), []byte(ev.Tool), ev.Input)
	}
	for _, p := range parts {
		_, _ = h.Write(p)
		_, _ = h.Write([]byte{0})
	}
	return callKey(h.Sum(nil))
}

// calls holds the decided calls whose results have not been reported.
type calls struct {
	mu    sync.Mutex
	open  map[callKey]*gate.Decided
	order []callKey // oldest first; may contain calls that have ended
}

// add records a decided call.
func (c *calls) add(ev hook.Event, p *gate.Decided) {
	key := keyOf(ev)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[callKey]*gate.Decided{}
	}
	c.open[key] = p
	c.order = append(c.order, key)
	for len(c.order) > maxCalls {
		delete(c.open, c.order[0])
		c.order = c.order[1:]
	}
}

// take removes the decision about a call and returns it, or nil if the call was not decided.
func (c *calls) take(ev hook.Event) *gate.Decided {
	key := keyOf(ev)
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.open[key]
	delete(c.open, key)
	return p
}
