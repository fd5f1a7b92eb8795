package atomicfile

import "errors"

// ErrLocked is returned by [TryLock] if another open file has the lock.
var ErrLocked = errors.New("the file is locked")
