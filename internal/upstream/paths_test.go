package upstream

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFollowNamesEveryLinkOnTheWay(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.MkdirAll(in("real/sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		"first":   "second",
		"second":  in("real"),
		"real/up": "../real/sub",
		"loop":    "loop",
	} {
		if err := os.Symlink(to, in(link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]struct {
		target string
		links  []string
	}{
		"real/sub":      {"real/sub", nil},
		"first/sub":     {"real/sub", []string{"first", "second"}},
		"first/up/file": {"real/sub/file", []string{"first", "second", "real/up"}},
		"missing/file":  {"missing/file", nil},
	} {
		target, links := follow(in(path))
		var wanted []string
		for _, link := range want.links {
			wanted = append(wanted, in(link))
		}
		if target != in(want.target) || !slices.Equal(links, wanted) {
			t.Errorf("%s leads to %s by %v", path, target, links)
		}
	}
	if _, links := follow(in("loop")); len(links) != maxSymlinks {
		t.Errorf("a loop is followed %d times", len(links))
	}
}

func FuzzFollow(f *testing.F) {
	f.Add("/proc/self/exe")
	f.Add("/a/../../b//c/.")
	f.Fuzz(func(t *testing.T, path string) {
		target, _ := follow(path)
		if !filepath.IsAbs(target) || filepath.Clean(target) != target {
			t.Errorf("%q leads to %q", path, target)
		}
	})
}
