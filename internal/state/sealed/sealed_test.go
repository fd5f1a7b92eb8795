package sealed_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"mcpproxy/internal/state/sealed"
)

var key = bytes.Repeat([]byte{7}, 32)

// some returns n random bytes.
func some(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	_, _ = r.Read(b)
	return b
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	err := sealed.Write(path, key, func(w io.Writer) error {
		for rest := data; len(rest) > 0; { // in pieces, as an encoder would
			n := min(len(rest), 10_007)
			if _, err := w.Write(rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(path string, key []byte) ([]byte, error) {
	var got []byte
	err := sealed.Read(path, key, func(r io.Reader) (err error) {
		got, err = io.ReadAll(r)
		return err
	})
	return got, err
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for _, n := range []int{0, 1, 65535, 65536, 65537, 131072, 300_000} {
		path := filepath.Join(t.TempDir(), "state")
		write(t, path, some(n))
		got, err := read(path, key)
		if err != nil || !bytes.Equal(got, some(n)) {
			t.Errorf("%d bytes: %d came back, %v", n, len(got), err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file is %v, %v", info.Mode(), err)
		}
	}
}

func TestAFileThatIsNotAsItWasWrittenIsNoticed(t *testing.T) {
	const chunk = 65536 + 16
	head := len("mcpproxy state 1\n") + 32
	for name, change := range map[string]func([]byte) []byte{
		"an empty file":           func([]byte) []byte { return nil },
		"another form":            func(b []byte) []byte { b[0] ^= 1; return b },
		"another salt":            func(b []byte) []byte { b[20] ^= 1; return b },
		"one bit":                 func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"the last chunk cut off":  func(b []byte) []byte { return b[:head+2*chunk] },
		"all chunks cut off":      func(b []byte) []byte { return b[:head] },
		"the end cut off":         func(b []byte) []byte { return b[:len(b)-1] },
		"bytes after the end":     func(b []byte) []byte { return append(b, 0) },
		"two chunks changed over": func(b []byte) []byte { return swap(b, head, chunk) },
		"a chunk twice":           func(b []byte) []byte { return append(b, b[head:head+chunk]...) },
	} {
		path := filepath.Join(t.TempDir(), "state")
		write(t, path, some(150_000))
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, change(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := read(path, key); !errors.Is(err, sealed.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func swap(b []byte, at, n int) []byte {
	out := bytes.Clone(b[:at])
	out = append(out, b[at+n:at+2*n]...)
	out = append(out, b[at:at+n]...)
	return append(out, b[at+2*n:]...)
}

// If the last chunk is full, a file that is cut off after another full chunk must not count as complete.
func TestTheRestIsCheckedThoughNobodyReadsIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	write(t, path, some(200_000))
	if err := os.Truncate(path, 100_000); err != nil {
		t.Fatal(err)
	}
	err := sealed.Read(path, key, func(r io.Reader) error {
		_, err := io.ReadFull(r, make([]byte, 1000))
		return err
	})
	if !errors.Is(err, sealed.ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

func TestTheFileTellsNothingWithoutTheKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	write(t, path, bytes.Repeat([]byte("a secret "), 1000))
	raw, err := os.ReadFile(path)
	if err != nil || bytes.Contains(raw, []byte("secret")) {
		t.Errorf("the file shows what it holds (%v)", err)
	}
	if _, err := read(path, some(32)); !errors.Is(err, sealed.ErrDamaged) {
		t.Errorf("with another key: %v", err)
	}
}

func TestAFailedWriteLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	write(t, path, []byte("old"))
	full := errors.New("the disk is full")
	err := sealed.Write(path, key, func(w io.Writer) error {
		_, _ = w.Write(some(100_000))
		return full
	})
	if !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	if got, err := read(path, key); string(got) != "old" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if left, err := os.ReadDir(dir); len(left) != 1 || err != nil {
		t.Errorf("the folder holds %v (%v)", left, err)
	}
}

func TestTheKeyIsMadeOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.key")
	first, err := sealed.Key(path)
	if err != nil || len(first) != 32 || bytes.Equal(first, make([]byte, 32)) {
		t.Fatalf("the key is %x, %v", first, err)
	}
	if again, err := sealed.Key(path); err != nil || !bytes.Equal(again, first) {
		t.Errorf("the key is another one: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(path, first[:31], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sealed.Key(path); err == nil {
		t.Error("a short key was taken")
	}
}

func TestAMissingFileIsReported(t *testing.T) {
	if _, err := read(filepath.Join(t.TempDir(), "state"), key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	path := filepath.Join(f.TempDir(), "state")
	written := some(70_000)
	write(f, path, written)
	raw, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add(raw[:60])
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "state")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		// Each fuzzing process has written its own file, with its own salt.
		if got, err := read(path, key); err == nil && !bytes.Equal(got, written) {
			t.Error("a file that was never written was taken")
		}
	})
}
