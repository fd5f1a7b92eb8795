package settings_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mcpproxy/internal/settings"
)

// editor returns an Editor for a file in which our entry is the line "ours".
func editor(dir, part string) settings.Editor {
	return settings.Editor{
		Path:    filepath.Join(dir, "made", "deep", "settings"),
		Folder:  filepath.Join(dir, "backups"),
		Part:    part,
		Without: func(raw []byte) ([]byte, error) { return bytes.ReplaceAll(raw, []byte("ours "+part+"\n"), nil), nil },
	}
}

// enter adds our entry to the file and removes it again, as a caller does.
func enter(t *testing.T, k settings.Editor) {
	t.Helper()
	before, err := settings.Read(k.Path)
	if err == nil {
		err = k.Enter(
			settings.Change{Path: k.Path, Before: before, After: append(bytes.Clone(before), "ours "+k.Part+"\n"...)},
		)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func takeBack(t *testing.T, k settings.Editor) string {
	t.Helper()
	now, err := settings.Read(k.Path)
	if err != nil {
		t.Fatal(err)
	}
	c := settings.Change{Path: k.Path, Before: now}
	if kept, ok := k.Kept(now); ok {
		c.After = kept
	} else if c.After, err = k.Without(now); err != nil {
		t.Fatal(err)
	}
	if err := k.TakeBack(c); err != nil {
		t.Fatal(err)
	}
	after, err := settings.Read(k.Path)
	if err != nil {
		t.Fatal(err)
	}
	return string(after)
}

func TestAFileThatWasMadeGoesWithItsFolders(t *testing.T) {
	dir := t.TempDir()
	k := editor(dir, "")
	k.Private = true
	enter(t, k)
	if info, err := os.Stat(k.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if got := settings.Files(k.Folder); !slices.Equal(got, []string{k.Path}) {
		t.Errorf("the files are %v", got)
	}
	takeBack(t, k)
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestPartsOfAFileComeAndGoInAnyOrder(t *testing.T) {
	for _, firstGoes := range []int{0, 1} {
		dir := t.TempDir()
		parts := []settings.Editor{editor(dir, "one"), editor(dir, "two")}
		if err := os.MkdirAll(filepath.Dir(parts[0].Path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(parts[0].Path, []byte("theirs\n"), 0o640); err != nil {
			t.Fatal(err)
		}
		enter(t, parts[0])
		enter(t, parts[1])
		if got := settings.Files(parts[0].Folder); len(got) != 1 {
			t.Errorf("the files are %v", got)
		}
		want := []string{"theirs\nours two\n", "theirs\nours one\n"}[firstGoes]
		if got := takeBack(t, parts[firstGoes]); got != want {
			t.Errorf("after part %d went, it is %q", firstGoes, got)
		}
		if got := takeBack(t, parts[1-firstGoes]); got != "theirs\n" {
			t.Errorf("it came back as %q", got)
		}
		if info, err := os.Stat(parts[0].Path); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
}

func TestWhatWasThereBeforeIsKeptThroughASecondChange(t *testing.T) {
	dir := t.TempDir()
	k := editor(dir, "")
	if err := os.MkdirAll(filepath.Dir(k.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(k.Path, []byte("theirs"), 0o644); err != nil { // its last line has no line break
		t.Fatal(err)
	}
	enter(t, k)
	enter(t, k)
	if got := takeBack(t, k); got != "theirs" {
		t.Errorf("it came back as %q", got)
	}
}
