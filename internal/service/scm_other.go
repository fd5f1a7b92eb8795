//go:build !windows

package service

import (
	"context"
	"io"
)

// newControlManager returns nil: only Windows has such a manager.
func newControlManager() controlManager { return nil }

// Host runs the daemon and gives it w for its messages. On Windows, where the service control
// manager may have started this process, it also answers that manager.
func Host(ctx context.Context, _ func() string, w io.Writer, run func(context.Context, io.Writer) error) error {
	return run(ctx, w)
}
