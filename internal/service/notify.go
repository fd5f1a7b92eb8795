package service

import (
	"context"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// States that [Notify] reports.
const (
	Ready    = "READY=1"
	Stopping = "STOPPING=1"
	alive    = "WATCHDOG=1"
)

// heard receives the states if a manager has no socket for them (Windows); nil elsewhere.
var heard atomic.Pointer[func(state string)]

// Notify reports a state to the manager that started this process. It does nothing if no manager
// did.
func Notify(state string) error {
	if f := heard.Load(); f != nil {
		(*f)(state)
		return nil
	}
	address := os.Getenv("NOTIFY_SOCKET")
	if address == "" {
		return nil
	}
	conn, err := net.Dial("unixgram", address) // net.Dial also reads a leading @ as the abstract namespace
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Write([]byte(state))
	return err
}

// WatchdogInterval returns how long the manager waits for a keep-alive message before it restarts
// the service (sd_watchdog_enabled(3)). It returns 0 if there is no watchdog.
func WatchdogInterval() time.Duration {
	if pid := os.Getenv("WATCHDOG_PID"); pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return 0
	}
	usec, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || usec <= 0 {
		return 0
	}
	return time.Duration(usec) * time.Microsecond
}

// Watch sends a keep-alive message twice in each interval until ctx ends, as long as healthy
// returns true. Healthy must return before its context ends.
func Watch(ctx context.Context, interval time.Duration, healthy func(context.Context) bool) {
	tick := time.NewTicker(interval / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			asked, cancel := context.WithTimeout(ctx, interval/4)
			if healthy(asked) {
				_ = Notify(alive) // if it does not arrive, the manager restarts the daemon
			}
			cancel()
		}
	}
}
