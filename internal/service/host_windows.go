package service

import (
	"context"
	"fmt"
	"io"
	"time"

	"golang.org/x/sys/windows/svc"
)

// startHint is how long the manager waits for the daemon to be ready, and stopHint for its end.
const (
	startHint = 90 * time.Second
	stopHint  = 30 * time.Second
)

// Host runs the daemon and passes it w for its messages. If the service control manager started this process, the
// daemon writes to the log file instead, because a service has no standard error. Its context then ends when the
// manager stops the service.
func Host(ctx context.Context, log func() string, w io.Writer, run func(context.Context, io.Writer) error) error {
	hosted, err := svc.IsWindowsService()
	if err != nil || !hosted {
		return run(ctx, w)
	}
	file, err := openLog(log())
	if err != nil {
		return err
	}
	defer file.Close()
	h := &windowsHost{ctx: ctx, run: func(ctx context.Context) error { return run(ctx, file) }}
	if err := svc.Run(Name, h); err != nil {
		return fmt.Errorf("answering the service control manager: %w", err)
	}
	if h.err != nil {
		fmt.Fprintln(file, "mcpproxy:", h.err)
	}
	return h.err
}

// windowsHost is a daemon that runs as a service of Windows.
type windowsHost struct {
	ctx context.Context
	run func(context.Context) error
	err error // result of run; set before Execute returns
}

// Execute implements [svc.Handler].
func (h *windowsHost) Execute(
	_ []string,
	requests <-chan svc.ChangeRequest,
	changes chan<- svc.Status,
) (bool, uint32) {
	changes <- svc.Status{State: svc.StartPending, WaitHint: uint32(startHint / time.Millisecond)}
	ctx, cancel := context.WithCancel(h.ctx)
	defer cancel()
	ready := make(chan struct{}, 1)
	notified := func(state string) {
		if state == Ready {
			ready <- struct{}{}
		}
	}
	heard.Store(&notified)
	ended := make(chan error, 1)
	go func() { ended <- h.run(ctx) }()
	for {
		select {
		case <-ready:
			changes <- svc.Status{State: svc.Running, Accepts: svc.AcceptStop | svc.AcceptShutdown}
		case request := <-requests:
			switch request.Cmd {
			case svc.Interrogate:
				changes <- request.CurrentStatus
			case svc.Stop, svc.Shutdown:
				changes <- svc.Status{State: svc.StopPending, WaitHint: uint32(stopHint / time.Millisecond)}
				cancel()
			}
		case h.err = <-ended:
			if h.err != nil {
				return true, 1 // a code of the service, which the recovery actions treat as a failure
			}
			return false, 0
		}
	}
}
