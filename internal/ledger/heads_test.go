package ledger_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcpproxy/internal/ledger"
)

// newHeadWriter returns the writer of a new folder.
func newHeadWriter(t testing.TB) (k *ledger.HeadWriter, signer *ledger.Signer, path string) {
	t.Helper()
	dir := t.TempDir()
	signer, err := ledger.OpenSigner(dir)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, ledger.HeadsFile)
	if k, err = ledger.OpenHeads(path, signer); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	return k, signer, path
}

// A process may end at any moment while it replaces a guarded file. Then both the old and the new file are accepted;
// any other file is a break.
func TestAnInterruptedWriteIsNoBreak(t *testing.T) {
	k, signer, path := newHeadWriter(t)
	const name = "trust.json"
	first, second := []byte("first"), []byte("second")
	onDisk := func() *ledger.Heads {
		h, err := ledger.ReadHeads(path, signer.Keys())
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	expect := func(when string, raw []byte, reason string) {
		t.Helper()
		got := ""
		if b := onDisk().FileProblem(name, raw); b != nil {
			got = b.Reason
		}
		if got != reason {
			t.Errorf("%s, %q is a break of the kind %q, want %q", when, raw, got, reason)
		}
	}
	if err := k.Writing(name, first, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := k.Save(); err != nil {
		t.Fatal(err)
	}
	expect("at first", first, "")
	expect("at first", second, ledger.FileReplaced)
	expect("at first", nil, ledger.FileRemoved)
	err := k.Writing(name, second, func() error {
		expect("while it is written", first, "")
		expect("while it is written", second, "")
		expect("while it is written", []byte("third"), ledger.FileReplaced)
		expect("while it is written", nil, ledger.FileRemoved)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	expect("before the heads follow", second, "")
	if err := k.Save(); err != nil {
		t.Fatal(err)
	}
	expect("in the end", second, "")
	expect("in the end", first, ledger.FileReplaced)

	full := errors.New("the disk is full")
	if err := k.Writing(name, []byte("third"), func() error { return full }); !errors.Is(err, full) {
		t.Error(err)
	}
	expect("after a write that failed", second, "")
}

// Only the owner can read the heads file, and another key does not verify it.
func TestTheHeadsAreSigned(t *testing.T) {
	k, signer, path := newHeadWriter(t)
	if err := k.Save(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := ledger.ReadHeads(path, signer.Keys()); err != nil {
		t.Error(err)
	}
	_, other, _ := newHeadWriter(t)
	if _, err := ledger.ReadHeads(path, other.Keys()); !errors.Is(err, ledger.ErrForeignHeads) {
		t.Error(err)
	}
	newer := []byte(`{"version":2,"new":true}`)
	if _, err := ledger.ParseHeads(newer, signer.Keys()); !errors.Is(err, ledger.ErrNewHeads) {
		t.Error(err)
	}
}

func FuzzHeads(f *testing.F) {
	k, signer, path := newHeadWriter(f)
	if err := k.Save(); err != nil {
		f.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"version":1,"files":{"trust.json":{"digest":"x"}},"signature":"AAAA"}`))
	signed, err := ledger.ParseHeads(raw, signer.Keys())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		h, err := ledger.ParseHeads(raw, signer.Keys())
		if (h == nil) == (err == nil) {
			t.Fatalf("%v and %v", h, err)
		}
		if err == nil && h.Time != signed.Time {
			t.Fatalf("what was not signed passes: %s", raw)
		}
	})
}
