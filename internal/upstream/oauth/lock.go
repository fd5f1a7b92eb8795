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

// lockPatience bounds the wait for another process to let go of the store, which it
// holds for a few milliseconds, or for as long as a keyring asks its owner.
const lockPatience = 2 * keyring.Patience

// renewalPatience bounds the wait for another process that renews the same token. It is longer than one
// renewal takes.
const renewalPatience = requestTimeout + lockPatience + 5*time.Second

// errHeld says that another process holds a lock.
var errHeld = errors.New("another process holds the lock")

// lockFile keeps other processes out until unlock is called. It waits for them for so long.
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
