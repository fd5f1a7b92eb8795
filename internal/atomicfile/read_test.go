package atomicfile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/eventually"
)

// few are limits that a test quickly reaches.
var few = atomicfile.Limits{Bytes: 100, Wait: 100 * time.Millisecond}

func TestARegularFileIsReadUpToTheLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for size, fits := range map[int]bool{
		0:       true,
		99:      true,
		100:     true,
		101:     false,
		100_000: false,
	} {
		want := bytes.Repeat([]byte("x"), size)
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := atomicfile.Read(t.Context(), path, few)
		if fits && (err != nil || got == nil || !bytes.Equal(got, want)) {
			t.Errorf("%d bytes: %d bytes were read, %v", size, len(got), err)
		}
		if !fits && (err == nil || !strings.Contains(err.Error(), path+" is too large")) {
			t.Errorf("%d bytes: the error is %v", size, err)
		}
	}
	if _, err := atomicfile.Read(t.Context(), path+"missing", few); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	socket := filepath.Join(dir, "socket")
	device := filepath.Join(dir, "device")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink("/dev/zero", device)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:    "a folder",
		pipe:   "a named pipe",
		socket: "a socket",
		device: "a device",
	} {
		_, err := atomicfile.Read(t.Context(), path, few)
		if err == nil || !strings.Contains(err.Error(), path+" is "+want+": only regular files are read") {
			t.Errorf("%s: the error is %v", want, err)
		}
	}
}

// Password managers offer secrets as named pipes.
func TestAPipeIsReadUntilItsWriterClosesIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() {
		w, err := os.OpenFile(path, os.O_WRONLY, 0) // waits until the reader has opened the pipe
		if err == nil {
			_, err = w.WriteString("the ")
			time.Sleep(3 * time.Millisecond)
			_, err2 := w.WriteString("secret")
			err = errors.Join(err, err2, w.Close())
		}
		written <- err
	}()
	got, err := atomicfile.Read(t.Context(), path, atomicfile.Limits{Bytes: 100, Wait: 20 * time.Second, Pipes: true})
	if err != nil || string(got) != "the secret" {
		t.Errorf("%q, %v", got, err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}

func TestAPipeWithoutAnEndFailsInTimeAndLeavesNothingBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	limits := few
	limits.Pipes = true
	if _, err := atomicfile.Read(t.Context(), path, limits); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without a writer: %v", err)
	}
	w, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.WriteString("half"); err != nil {
		t.Fatal(err)
	}
	if _, err := atomicfile.Read(t.Context(), path, limits); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a writer that never closes: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := atomicfile.Read(ended, path, limits); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	eventually.SucceedsWithin(t, 10*time.Second, "no goroutine is left over", func() error {
		if now := runtime.NumGoroutine(); now > before {
			return fmt.Errorf("there are %d goroutines, and there were %d", now, before)
		}
		return nil
	})
}

func TestAPipeWithoutEndHasALimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Write(make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	_, err = atomicfile.Read(t.Context(), path, atomicfile.Limits{Bytes: 100, Wait: 20 * time.Second, Pipes: true})
	if err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("the error is %v", err)
	}
}
