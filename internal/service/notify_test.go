package service

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// listening returns a manager that receives the states of services.
func listening(t *testing.T) (hear func() string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "n") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	return func() string {
		buf := make([]byte, 100)
		n, err := conn.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		return string(buf[:n])
	}
}

func TestTheManagerIsNotifiedOfAStart(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	if err := Notify(Ready); err != nil {
		t.Errorf("without a manager: %v", err)
	}
	hear := listening(t)
	if err := Notify(Ready); err != nil {
		t.Fatal(err)
	}
	if got := hear(); got != "READY=1" {
		t.Errorf("it hears %q", got)
	}
}

func TestTheIntervalOfTheWatchdog(t *testing.T) {
	for name, c := range map[string]struct {
		usec, pid string
		want      time.Duration
	}{
		"it is not set":               {"", "", 0},
		"it is meant for all":         {"60000000", "", time.Minute},
		"it is meant for this one":    {"60000000", strconv.Itoa(os.Getpid()), time.Minute},
		"it is meant for another one": {"60000000", "1", 0},
		"it is not a number":          {"soon", "", 0},
		"it is negative":              {"-5", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("WATCHDOG_USEC", c.usec)
			t.Setenv("WATCHDOG_PID", c.pid)
			if got := WatchdogInterval(); got != c.want {
				t.Errorf("it is %s, want %s", got, c.want)
			}
		})
	}
}

// A daemon that does not respond sends no keep-alive message. It sends the next one when it responds again.
func TestOnlyAHealthyDaemonSendsKeepAlives(t *testing.T) {
	hear := listening(t)
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		Watch(ctx, 10*time.Millisecond, func(context.Context) bool {
			asked++
			return asked > 3
		})
	}()
	got := hear()
	cancel()
	<-done
	if got != "WATCHDOG=1" || asked < 4 {
		t.Errorf("it hears %q after %d questions", got, asked)
	}
}
