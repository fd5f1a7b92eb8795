package approval_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcpproxy/internal/approval"
)

// watched are the rules of a desk on which calls wait while a person is watching.
var watched = approval.Rules{Watched: 45 * time.Second, Expiry: 10 * time.Minute, Policy: "p1"}

// If no waiting time is configured, a call waits for as long as a person may be watching, and only if a person is
// watching when the question is asked.
func TestACallWaitsWhileSomebodyWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(watched)
		var looks atomic.Bool
		o.Watch(looks.Load)
		outcome(t, o.Ask(t.Context(), about(`{"a":1}`)), approval.Nobody)

		looks.Store(true)
		heard := o.asks(t.Context(), about(`{"a":1}`))
		synctest.Wait()
		if err := o.Decide(o.the(t).ID, true, "owner"); err != nil {
			t.Fatal(err)
		}
		outcome(t, <-heard, approval.Approved)

		begin := time.Now()
		outcome(t, o.Ask(t.Context(), about(`{"a":2}`)), approval.Waiting)
		if took := time.Since(begin); took != 45*time.Second {
			t.Errorf("it waits %s", took)
		}
		o.Close()
	})
}

// A configured waiting time applies whether or not a person is watching.
func TestAConfiguredWaitApplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(approval.Rules{
			Wait:    time.Second,
			Watched: time.Minute,
			Expiry:  time.Hour,
			Policy:  "p1",
		})
		o.Watch(func() bool { return true })
		begin := time.Now()
		outcome(t, o.Ask(t.Context(), about(`{"a":1}`)), approval.Waiting)
		if took := time.Since(begin); took != time.Second {
			t.Errorf("it waits %s", took)
		}
		o.Close()
	})
}

// A question that was posted earlier also waits once a person is watching.
func TestAPostedQuestionWaitsWhileSomebodyWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(watched)
		var looks atomic.Bool
		o.Watch(looks.Load)
		posted := o.Post(about(`{}`))
		outcome(t, posted, approval.Posted)
		outcome(t, o.Ask(t.Context(), about(`{}`)), approval.Nobody)
		looks.Store(true)
		heard := o.asks(t.Context(), about(`{}`))
		synctest.Wait()
		if err := o.Decide(posted.ID, true, "owner"); err != nil {
			t.Fatal(err)
		}
		outcome(t, <-heard, approval.Approved)
		o.Close()
	})
}
