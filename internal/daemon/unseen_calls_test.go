package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Every line of the list counts, even if other programs have written to it.
func FuzzTheListOfUnseenCalls(f *testing.F) {
	f.Add([]byte("1700000000000 codex\n1700000000001 codex\n"))
	f.Add([]byte("x\n\n-5 a"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "hooks.unseen")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		gap, ok := readUnseen(path)
		if !ok || gap.From.After(gap.To) || gap.To.After(time.Now().Add(time.Minute)) {
			t.Errorf("%q: %+v, %t", raw, gap, ok)
		}
		if lines := bytes.Count(raw, []byte("\n")); int(gap.Lost) > lines+1 {
			t.Errorf("%q has %d lines, and %d calls are lost", raw, lines+1, gap.Lost)
		}
	})
}
