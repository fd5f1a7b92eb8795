package gate

import (
	"context"
	"fmt"

	"golang.org/x/sync/semaphore"
)

// The number of bytes of arguments and results that are inspected at the same time. During its inspection, a text
// takes up to thirty times its size in memory.
const (
	largeBudget = 8 << 20   // for texts above smallText; a text above largeBudget is inspected alone
	smallBudget = 1 << 20   // for all other texts
	smallText   = 256 << 10 // bytes of a text that does not wait for large ones
)

// budget bounds the memory that all inspections take together. It is a weighted semaphore with a separate share for
// small texts, so that they never wait for large ones. Within each share, inspections run in the order of their
// arrival.
//
// Code that runs within the budget must not acquire more of it, wait for a person or call a server. Otherwise a
// script or an approval could wait for budget that it holds itself.
type budget struct {
	small, large *semaphore.Weighted
}

func newBudget() budget {
	return budget{small: semaphore.NewWeighted(smallBudget), large: semaphore.NewWeighted(largeBudget)}
}

// within calls inspect as soon as there is room for a text of size bytes. If ctx ends while it waits, it returns an
// error without calling inspect. If there is room at once, it does not check ctx: the result of a cancelled call is
// inspected too.
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
