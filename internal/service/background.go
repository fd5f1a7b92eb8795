package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mcpproxy/internal/atomicfile"
)

// Background starts the daemon as an independent process, without a service manager.
type Background struct {
	Program string
	Args    []string
	Env     []string
	Folder  string // the data folder, which contains the lock and the log
	// Answers reports whether the daemon answers.
	Answers func(context.Context) bool
	// Start replaces the default way to start the daemon; nil runs Program.
	Start func(context.Context) error
}

// Files of a background daemon in the data folder.
const (
	LogFile  = "daemon.log"
	LockFile = "start.lock"
)

const (
	maxLog     = 8 << 20                // size in bytes at which the log is renamed and begun anew
	startLook  = 50 * time.Millisecond  // between two checks whether the daemon answers
	failedRest = 5 * time.Second        // wait after a failed start before the next one
	lockLook   = 100 * time.Millisecond // between two attempts to get the lock
)

// Ensure returns when the daemon answers, and starts it if it does not. If several processes call
// it at the same time, one of them starts the daemon. If that start fails, the waiting processes
// fail too instead of trying in turn.
func (b *Background) Ensure(ctx context.Context) error {
	if b.Answers(ctx) {
		return nil
	}
	if err := os.MkdirAll(b.Folder, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	asked := time.Now()
	lock, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	if b.Answers(ctx) {
		return nil
	}
	if info, err := lock.Stat(); err == nil && info.Size() > 0 && info.ModTime().After(asked.Add(-failedRest)) {
		why, _ := io.ReadAll(io.LimitReader(lock, 4<<10))
		return errors.New(strings.TrimSpace(string(why)))
	}
	err = b.start(ctx)
	_ = lock.Truncate(0)
	if err != nil {
		_, _ = lock.WriteAt([]byte(err.Error()+"\n"), 0)
	}
	return err
}

// lock acquires the lock for starting the daemon. Closing the file releases it.
func (b *Background) lock(ctx context.Context) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(b.Folder, LockFile), os.O_CREATE|os.O_RDWR|atomicfile.NoFollow, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the lock file: %w", err)
	}
	for {
		err := atomicfile.TryLock(f)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, atomicfile.ErrLocked) {
			f.Close()
			return nil, fmt.Errorf("locking %s: %w", f.Name(), err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, errors.New("another process is starting the daemon, and it does not answer yet")
		case <-time.After(lockLook):
		}
	}
}

// start starts the daemon and waits until it answers.
func (b *Background) start(ctx context.Context) error {
	ended := make(chan error, 1)
	if b.Start != nil {
		if err := b.Start(ctx); err != nil {
			return err
		}
	} else {
		cmd, log, err := b.command()
		if err != nil {
			return err
		}
		begins := size(log)
		err = cmd.Start()
		log.Close()
		if err != nil {
			return fmt.Errorf("starting the daemon: %w", err)
		}
		go func() { ended <- b.ended(cmd.Wait(), begins) }()
	}
	for {
		select {
		case err := <-ended:
			if b.Answers(ctx) { // another daemon uses the data folder
				return nil
			}
			return err
		case <-ctx.Done():
			return fmt.Errorf("the daemon was started and does not answer yet; see %s", filepath.Join(b.Folder, LogFile))
		case <-time.After(startLook):
			if b.Answers(ctx) {
				return nil
			}
		}
	}
}

// command returns the command of the daemon with its log attached. The process is independent of
// the terminal, so that it outlives its parent.
func (b *Background) command() (*exec.Cmd, *os.File, error) {
	log, err := openLog(filepath.Join(b.Folder, LogFile))
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(b.Program, b.Args...)
	cmd.Env = b.Env
	cmd.Dir = "/"
	cmd.Stdout = log
	cmd.Stderr = log
	cmd.SysProcAttr = apart()
	return cmd, log, nil
}

// openLog opens a log for appending. It puts a large one aside first.
func openLog(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && info.Size() > maxLog {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, fmt.Errorf("putting the old log aside: %w", err)
		}
	}
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY|atomicfile.NoFollow, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the daemon's log: %w", err)
	}
	return log, nil
}

// ended returns the error for a daemon that ended at once. It includes what the daemon wrote to its
// log after the given offset.
func (b *Background) ended(err error, first int64) error {
	said := ""
	if f, openErr := os.Open(filepath.Join(b.Folder, LogFile)); openErr == nil {
		raw, _ := io.ReadAll(io.NewSectionReader(f, first, 4<<10))
		f.Close()
		lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
		said = lines[len(lines)-1]
	}
	if err == nil {
		err = errors.New("it exited at once")
	}
	return fmt.Errorf("the daemon did not start: %w: %s", err, said)
}

func size(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}
