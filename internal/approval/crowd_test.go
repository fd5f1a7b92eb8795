package approval_test

import (
	"context"
	"fmt"
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcpproxy/internal/approval"
)

// A hundred calls are each sent several times at once, and the owner and clients answer at random. Each call passes at
// most once, and only if somebody agreed.
func TestConcurrentCallsPassAtMostOnceEach(t *testing.T) {
	const calls, times = 100, 4
	o := newOffice(approval.Rules{
		Elicitation: true,
		Wait:        20 * time.Millisecond,
		Expiry:      time.Minute,
		Policy:      "p1",
	})
	defer o.Close()
	order := rand.New(rand.NewSource(1))
	var passed, agreed [calls]atomic.Int32
	var all sync.WaitGroup
	for i := range calls {
		for range times {
			r := about(fmt.Sprintf(`{"n":%d}`, i))
			r.Principal, r.Activity = fmt.Sprint("p", i%10), fmt.Sprint(i)
			if i%2 == 0 {
				yes := order.Intn(2) == 0
				r.Elicit = func(context.Context, approval.Prompt) (approval.Reply, error) {
					if !yes {
						return approval.Reply{Action: "decline"}, nil
					}
					agreed[i].Add(1)
					return approval.Reply{Action: "accept"}, nil
				}
			}
			all.Go(func() {
				for range 3 { // and sent again
					if o.Ask(t.Context(), r).Approved() {
						passed[i].Add(1)
					}
				}
			})
		}
	}
	ctx, done := context.WithCancel(t.Context())
	var owner sync.WaitGroup
	owner.Go(func() {
		for ctx.Err() == nil {
			for _, r := range o.Pending() {
				var n int
				_, _ = fmt.Sscan(r.Activity, &n)
				if r.Channel == approval.Queue && !r.Approved && o.Decide(r.ID, rand.Intn(2) == 0, "owner") == nil {
					agreed[n].Add(1)
				}
			}
		}
	})
	all.Wait()
	done()
	owner.Wait()
	total := 0
	for i := range calls {
		if p, a := passed[i].Load(), agreed[i].Load(); p > a {
			t.Errorf("call %d passed %d times and was decided %d times", i, p, a)
		}
		total += int(passed[i].Load())
	}
	if total == 0 {
		t.Error("nothing ever passed")
	}
}
