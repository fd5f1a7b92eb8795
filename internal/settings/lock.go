package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Claude Code locks ~/.claude.json like the npm package proper-lockfile: with a folder beside the
// file, whose modification time the owner of the lock renews. A lock that was not renewed for
// staleAfter belongs to a program that has ended.
const (
	staleAfter = 10 * time.Second
	lockWait   = staleAfter + 2*time.Second
	lockPause  = 20 * time.Millisecond
)

// lock takes the lock that the file's program uses, if there is one.
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
		case errors.Is(err, fs.ErrNotExist): // the file's folder does not exist, so no program writes there
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
			_ = os.Remove(path) // fails if another program took the lock first
		}
	}
}
