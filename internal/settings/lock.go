package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Claude Code writes ~/.claude.json while it holds a lock in the manner of the npm
// package proper-lockfile: a folder beside the file, whose modification time its owner
// renews. One that was not renewed for staleAfter belongs to a program that is gone.
const (
	staleAfter = 10 * time.Second
	lockWait   = staleAfter + 2*time.Second
	lockPause  = 20 * time.Millisecond
)

// lock takes the lock of the program that the file belongs to, if it has one.
func (k Editor) lock() (release func(), err error) {
	nothing := func() {}
	if !k.Lock {
		return nothing, nil
	}
	path := k.Path + ".lock"
	for end := time.Now().Add(lockWait); ; time.Sleep(lockPause) {
		err := os.Mkdir(path, 0o755)
		switch {
		case err == nil:
			return func() { _ = os.Remove(path) }, nil
		case errors.Is(err, fs.ErrNotExist): // the file's folder is still to make: nobody writes there
			return nothing, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, fmt.Errorf("locking %s: %w", k.Path, err)
		case time.Now().After(end):
			return nil, fmt.Errorf(
				"another program holds the lock %s; nothing was changed: close that program, or remove the folder",
				path,
			)
		}
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > staleAfter {
			_ = os.Remove(path) // fails if another program was faster
		}
	}
}
