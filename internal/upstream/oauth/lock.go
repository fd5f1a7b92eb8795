package oauth

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/keyring"
)

// lockPatience is the maximum wait for the lock of the store. Another process holds it for a few
// milliseconds, or as long as a keyring asks its owner for permission.
const lockPatience = 2 * keyring.Patience

// renewalPatience is the maximum wait for another process that renews the same token. It is longer than
// a renewal takes.
const renewalPatience = requestTimeout + lockPatience + 5*time.Second

// errHeld is returned if another process holds a lock.
var errHeld = errors.New("another process holds the lock")

// lockFile locks a file against other processes until unlock is called. It waits at most the given time for the lock.
func lockFile(ctx context.Context, path string, most time.Duration) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(most); ; {
		err := atomicfile.TryLock(f)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, atomicfile.ErrLocked) {
			f.Close()
			return nil, err
		}
		if time.Now().After(end) {
			f.Close()
			return nil, fmt.Errorf("%w: %s", errHeld, path)
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		}
	}
}
