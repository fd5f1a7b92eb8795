package upstream

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestToolsAreListedAgainOnceInEveryPauseAndAfterTheLastCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pause = 5 * time.Second
		var r relisting
		for _, step := range []struct {
			sleep time.Duration
			wait  time.Duration
			asks  bool
		}{
			{0, 0, true},
			{time.Second, 4 * time.Second, true},
			{time.Second, 0, false},
			{2 * time.Second, 0, false},
			{2 * time.Second, 4 * time.Second, true},
			{time.Minute, 0, true},
		} {
			time.Sleep(step.sleep)
			if wait, asks := r.after(pause); wait != step.wait || asks != step.asks {
				t.Errorf("after %v more: %v, %v; want %v, %v", step.sleep, wait, asks, step.wait, step.asks)
			}
		}
	})
}
