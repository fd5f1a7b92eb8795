package atomicfile

import "errors"

// ErrLocked says that another open file has the lock that [TryLock] asked for.
var ErrLocked = errors.New("the file is locked")
