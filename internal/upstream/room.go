package upstream

import (
	"context"
	"time"

	"mcpproxy"
)

// Memory for answers. An answer reserves its length; processing it until the client has received it
// needs several times as much.
const (
	answerBytes = 24 << 20  // for large answers of all servers together
	smallAnswer = 256 << 10 // up to this size an answer does not wait for memory
	answerWait  = time.Minute
)

// makeRoom waits until there is memory for an answer of size bytes to c. The wait does not count
// against the server's timeout.
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
			return mcpproxy.Errorf(mcpproxy.CodeRateLimit, err, "the answer of server %q is large, and other large answers use all the memory for them", l.server.Name()).
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
