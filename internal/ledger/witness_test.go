package ledger_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcpproxy/internal/ledger"
)

// Each data folder has its own witness, whatever links lead to the folder. Temporary data folders have none, so
// nothing remains in the user's folder.
func TestWhereAWitnessIsKept(t *testing.T) {
	root := t.TempDir()
	temporary, home := filepath.Join(root, "tmp"), filepath.Join(root, "home")
	data := filepath.Join(home, "data")
	for _, dir := range []string{temporary, data} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(data, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temporary)
	in := func(folder string, env map[string]string) string {
		return ledger.WitnessPath(folder, func(name string) string { return env[name] })
	}
	user := map[string]string{"HOME": home}
	at := in(data, user)
	if filepath.Dir(at) != filepath.Join(home, ".local", "state", "mcpproxy", "logs") {
		t.Errorf("it is kept at %q", at)
	}
	if in(link, user) != at || in(filepath.Join(home, "other"), user) == at {
		t.Error("it does not stand for one folder")
	}
	if state := filepath.Join(root, "state"); filepath.Dir(in(data, map[string]string{"XDG_STATE_HOME": state})) !=
		filepath.Join(state, "mcpproxy", "logs") {
		t.Error("XDG_STATE_HOME says nothing")
	}
	for name, path := range map[string]string{
		"a temporary folder":           in(filepath.Join(temporary, "data"), user),
		"a user without a home":        in(data, nil),
		"a user whose home is missing": in(data, map[string]string{"HOME": filepath.Join(root, "none")}),
	} {
		if path != "" {
			t.Errorf("%s has one at %s", name, path)
		}
	}
	if in(filepath.Join(temporary, "data"), map[string]string{"HOME": temporary}) == "" {
		t.Error("a home of a test has none")
	}
}

func TestAWitnessIsSigned(t *testing.T) {
	k, signer, _ := newHeadWriter(t)
	k.Move(ledger.Checkpoint{Seq: 7, ID: "seventh"})
	path := filepath.Join(t.TempDir(), "state", "one.json")
	if err := k.SaveWitness(path, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	w, err := ledger.ReadWitness(path)
	if err != nil || w.Log.Seq != 7 || w.Foreign("log", signer.Keys()) != nil || w.Gone("log") == nil {
		t.Fatalf("%+v, %v", w, err)
	}
	_, other, _ := newHeadWriter(t)
	if b := w.Foreign("log", other.Keys()); b == nil || b.Reason != ledger.LogReplaced {
		t.Errorf("a log with another key is %+v", b)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw = bytes.Replace(raw, []byte("seventh"), []byte("seventy"), 1)
	if _, err := ledger.ParseWitness(raw); !errors.Is(err, ledger.ErrForeignHeads) {
		t.Errorf("what was changed is read: %v", err)
	}
	if none, err := ledger.ReadWitness(filepath.Join(t.TempDir(), "none")); none != nil || err != nil {
		t.Errorf("%+v, %v", none, err)
	}
}

func FuzzWitness(f *testing.F) {
	k, _, _ := newHeadWriter(f)
	path := filepath.Join(f.TempDir(), "one.json")
	if err := k.SaveWitness(path, "/data"); err != nil {
		f.Fatal(err)
	}
	signed, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(signed)
	f.Add([]byte(`{"version":1,"key":"AAAA","signature":""}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		w, err := ledger.ParseWitness(raw)
		if (w == nil) == (err == nil) {
			t.Errorf("%q: %+v, %v", raw, w, err)
		}
		if w.Gone("log") != nil && w.Log.Seq == 0 {
			t.Errorf("%q names a log without records", raw)
		}
	})
}
