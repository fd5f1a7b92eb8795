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
	tailChunk = 64 << 10               // bytes read at a time, from the end backwards
	tailLook  = 200 * time.Millisecond // time between two checks for new lines
)

// Tail writes the last lines of a log file to w. With follow, it continues with new lines until ctx ends. If the
// daemon renames a large log and begins a new one, Tail continues with the new one.
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
			if _, err := io.Copy(w, f); err != nil { // what was written just before the new log began
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
		if last { // a line break at the end of the file does not begin another line
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

// successor opens the file at path if it is another file than f, or if it is shorter than what was read of f. It
// returns nil if f is still the log.
func successor(f *os.File, path string) (*os.File, error) {
	now, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the daemon has not created the new file yet
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
