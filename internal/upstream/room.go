package upstream

import (
	"context"
	"time"

	"mcpproxy"
)

// The memory that answers may take. An answer takes its length; all that is made of it
// until the client has it takes several times as much.
const (
	answerBytes = 24 << 20  // of large answers at a time, of all servers
	smallAnswer = 256 << 10 // bytes of an answer that waits for no others
	answerWait  = time.Minute
)

// makeRoom waits until there is memory for an answer of size bytes to c: until other large
// ones have been delivered. The server does not use up its time meanwhile.
func (l *Link) makeRoom(ctx context.Context, c *call, size int) error {
	if size <= smallAnswer {
		return nil
	}
	all, weight := l.server.answers, int64(min(size, answerBytes))
	if !all.TryAcquire(weight) {
		c.pause()
		wait, cancel := context.WithTimeout(ctx, answerWait)
		defer cancel()
		if err := all.Acquire(wait, weight); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return mcpproxy.Errorf(mcpproxy.CodeRateLimit, err, "the answer of server %q is large, and so are too many others", l.server.Name()).
				Later("try again when other calls have ended")
		}
	}
	if c.keep == nil {
		all.Release(weight)
		return nil
	}
	c.keep(func() { all.Release(weight) })
	return nil
}
