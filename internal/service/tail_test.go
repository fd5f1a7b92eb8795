package service

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestTheLastLinesOfALogAreShown(t *testing.T) {
	long := strings.Repeat("x", tailChunk) + "\n"
	for name, c := range map[string]struct {
		log   string
		lines int
		want  string
	}{
		"fewer than asked for":        {"a\nb\n", 5, "a\nb\n"},
		"exactly as many":             {"a\nb\n", 2, "a\nb\n"},
		"more":                        {"a\nb\nc\n", 2, "b\nc\n"},
		"a line that is not ended":    {"a\nb\nc", 2, "b\nc"},
		"empty lines count":           {"a\n\n\n", 2, "\n\n"},
		"lines of several chunks":     {"a\n" + long + long, 2, long + long},
		"a break between two chunks":  {"a\n" + long[1:] + "b\n", 2, long[1:] + "b\n"},
		"an empty log":                {"", 3, ""},
		"one line of several chunks":  {long + long[:10], 1, long[:10]},
		"a line longer than one read": {"a\n" + long[:tailChunk] + long, 1, long[:tailChunk] + long},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(path, []byte(c.log), 0o600); err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := Tail(t.Context(), &got, path, c.lines, false); err != nil || got.String() != c.want {
				t.Errorf("%v, got %d bytes %.40q, want %d bytes %.40q", err, got.Len(), got.String(), len(c.want), c.want)
			}
		})
	}
}

// lines is a writer that several goroutines use.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

func TestALogIsFollowedIntoTheFileThatTakesItsPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write := func(s string) {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
	write("old\n")
	var got lines
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Tail(ctx, &got, path, 10, true) }()
	shown := func(want string) {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); got.String() != want; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("shown is %q, want %q", got.String(), want)
			}
		}
	}
	shown("old\n")
	write("new\n")
	shown("old\nnew\n")
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	write("anew\n")
	shown("old\nnew\nanew\n")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
