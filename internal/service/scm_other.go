//go:build !windows

package service

import (
	"context"
	"io"
)

// newControlManager returns nil: only Windows has such a manager.
func newControlManager() controlManager { return nil }

// Host runs the daemon and passes it w for its messages. On Windows it also responds to the service control manager if
// that has started this process.
func Host(ctx context.Context, _ func() string, w io.Writer, run func(context.Context, io.Writer) error) error {
	return run(ctx, w)
}
