package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Limits limit what [Read] accepts. Callers must set them, because other people may have made the
// file.
type Limits struct {
	Bytes int64         // maximum size of the content
	Wait  time.Duration // maximum time for reading
	Pipes bool          // whether named pipes are read too
}

// pipePause is the time between two attempts of [Read] to read from a named pipe.
const pipePause = 10 * time.Millisecond

// Read returns the content of the regular file at path, or of the file to which a symbolic link leads. It refuses
// folders, sockets and devices without opening them, because reading some devices never ends and opening others has
// side effects.
//
// With [Limits.Pipes], a named pipe is read until its writers have closed it. If nobody writes to the pipe, Read fails
// when the time is over and leaves no goroutine behind. If the file system does not respond, Read also returns in
// time, but the system call continues until the file system responds.
//
// The error names the path. It wraps the error of ctx if ctx ended first.
func Read(ctx context.Context, path string, l Limits) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Wait)
	defer cancel()
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := l.read(ctx, path)
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
	}
	// Wait until the reading goroutine has ended. Otherwise it could read data from a pipe that is
	// meant for the next reader.
	select {
	case <-done:
	case <-time.After(10 * pipePause):
	}
	return nil, tooSlow(ctx, path)
}

func tooSlow(ctx context.Context, path string) error {
	return fmt.Errorf("reading %s was cancelled: %w", path, ctx.Err())
}

// read is [Read] without the limit of time if the file system does not respond.
func (l Limits) read(ctx context.Context, path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, asOpen(err)
	}
	if err := l.accepts(path, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	for errors.Is(err, syscall.EAGAIN) && ctx.Err() == nil { // an Edit is replacing it
		time.Sleep(pipePause)
		f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil {
		err = l.accepts(path, info) // it may be another file by now
	}
	if err != nil {
		return nil, err
	}
	return l.readAll(ctx, f, info.Mode()&fs.ModeNamedPipe != 0)
}

// asOpen changes the operation in an error to "open", which is what the caller asked for.
func asOpen(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "open", Path: e.Path, Err: e.Err}
	}
	return err
}

// accepts returns an error if the kind or size of a file is not accepted.
func (l Limits) accepts(path string, info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		if info.Size() > l.Bytes {
			return l.tooLarge(path)
		}
		return nil
	case info.Mode()&fs.ModeNamedPipe != 0 && l.Pipes:
		return nil
	case l.Pipes:
		return fmt.Errorf("%s is %s: only regular files and named pipes are read", path, kind(info.Mode()))
	}
	return fmt.Errorf("%s is %s: only regular files are read", path, kind(info.Mode()))
}

func (l Limits) tooLarge(path string) error {
	return fmt.Errorf("%s is too large: it has more than %d bytes", path, l.Bytes)
}

// kind returns a name for a file that is not a regular one.
func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a link to a missing file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// readAll reads to the end. A pipe ends when all its writers have closed it. If nobody has written
// anything yet, readAll waits for a writer.
func (l Limits) readAll(ctx context.Context, f *os.File, pipe bool) ([]byte, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	data := []byte{}
	for buf := make([]byte, 32<<10); ; {
		n := 0
		failed := raw.Read(func(fd uintptr) bool {
			n, err = readNow(fd, buf)
			return true
		})
		switch waits := err == syscall.EAGAIN || err == nil && n == 0 && pipe && len(data) == 0; {
		case failed != nil:
			return nil, failed
		case waits:
			select {
			case <-ctx.Done():
				return nil, tooSlow(ctx, f.Name())
			case <-time.After(pipePause):
			}
		case err == syscall.EINTR:
		case err != nil:
			return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: err}
		case n == 0:
			return data, nil
		default:
			if data = append(data, buf[:n]...); int64(len(data)) > l.Bytes {
				return nil, l.tooLarge(f.Name())
			}
		}
	}
}
