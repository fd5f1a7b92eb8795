package service

import (
	"context"
	"net"
	"os"
	"strconv"
	"time"
)

// States that [Notify] reports.
const (
	Ready    = "READY=1"
	Stopping = "STOPPING=1"
	alive    = "WATCHDOG=1"
)

// Notify tells the manager that started this process its state. It does nothing where no
// manager asked to be told (NOTIFY_SOCKET is not set).
func Notify(state string) error {
	address := os.Getenv("NOTIFY_SOCKET")
	if address == "" {
		return nil
	}
	conn, err := net.Dial("unixgram", address) // an @ stands for the abstract namespace there too
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Write([]byte(state))
	return err
}

// WatchdogInterval returns how long the manager waits for a sign of life before it starts
// the service again (sd_watchdog_enabled(3)); 0 if it does not.
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

// Watch gives the manager a sign of life in half of each interval until ctx ends, as long
// as healthy returns true. Healthy must return before its context ends.
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
				_ = Notify(alive) // a manager that does not hear it starts the daemon again
			}
			cancel()
		}
	}
}
