package gate

import (
	"context"
	"fmt"

	"golang.org/x/sync/semaphore"
)

// What is inspected at a time, in bytes of arguments and results. While it is
// inspected, a text takes up to thirty times its size in memory.
const (
	largeBudget = 8 << 20   // of texts above smallText; one that is larger is inspected alone
	smallBudget = 1 << 20   // of all others
	smallText   = 256 << 10 // bytes of a text that does not wait for large ones
)

// budget bounds the memory that inspections take together. It is a weighted semaphore
// with a share set aside for small texts, so that these never queue behind large ones.
// In each share, those that wait take turns.
//
// Nothing that runs within the budget may ask for more of it, wait for a person or call
// a server: what a script or an approval waits for would wait for them.
type budget struct {
	small, large *semaphore.Weighted
}

func newBudget() budget {
	return budget{small: semaphore.NewWeighted(smallBudget), large: semaphore.NewWeighted(largeBudget)}
}

// within calls inspect once there is room for a text of size bytes. It returns an
// error, and does not call inspect, when ctx ends while it waits. Where there is room it
// does not wait: what a call that was cancelled has brought is inspected too.
func (b budget) within(ctx context.Context, size int, inspect func()) error {
	share, weight := b.small, size
	if size > smallText {
		share, weight = b.large, min(size, largeBudget)
	}
	if !share.TryAcquire(int64(weight)) {
		if err := share.Acquire(ctx, int64(weight)); err != nil {
			return fmt.Errorf("the call ended while it waited for its inspection: %w", err)
		}
	}
	defer share.Release(int64(weight))
	inspect()
	return nil
}
