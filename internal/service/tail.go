package service

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

const (
	tailChunk = 64 << 10               // bytes that are read at once from the end
	tailLook  = 200 * time.Millisecond // between two looks for new lines
)

// Tail writes the last lines of a log file to w. With follow, it goes on with new lines until ctx
// ends, also in the file that takes the log's place when the daemon puts a large one aside.
func Tail(ctx context.Context, w io.Writer, path string, lines int, follow bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { f.Close() }()
	begin, err := lastLines(f, lines)
	if err != nil {
		return err
	}
	if _, err := f.Seek(begin, io.SeekStart); err != nil {
		return err
	}
	for {
		if _, err := io.Copy(w, f); err != nil || !follow {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(tailLook):
		}
		next, err := successor(f, path)
		if err != nil {
			return err
		}
		if next != nil {
			if _, err := io.Copy(w, f); err != nil { // what was written just before the change
				return err
			}
			f.Close()
			f = next
		}
	}
}

// lastLines returns the offset at which the last lines of a file begin.
func lastLines(f *os.File, lines int) (int64, error) {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	buf := make([]byte, tailChunk)
	for at, last := end, true; at > 0; {
		n := min(at, tailChunk)
		at -= n
		if _, err := f.ReadAt(buf[:n], at); err != nil {
			return 0, err
		}
		chunk := buf[:n]
		if last { // the break at the end of the file begins no line
			chunk = bytes.TrimSuffix(chunk, []byte("\n"))
			last = false
		}
		for {
			i := bytes.LastIndexByte(chunk, '\n')
			if i < 0 {
				break
			}
			if lines--; lines <= 0 {
				return at + int64(i) + 1, nil
			}
			chunk = chunk[:i]
		}
	}
	return 0, nil
}

// successor opens the file at path if it is another one than f, or shorter than what was read of f.
// It returns nil if f is still the one to read.
func successor(f *os.File, path string) (*os.File, error) {
	now, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the daemon has not made the new one yet
	}
	if err != nil {
		return nil, err
	}
	old, err := f.Stat()
	if err != nil {
		return nil, err
	}
	read, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	if os.SameFile(now, old) && now.Size() >= read {
		return nil, nil
	}
	return os.Open(path)
}
