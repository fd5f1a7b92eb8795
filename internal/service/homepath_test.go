package service

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheFoldersOfAHomeComeAfterThoseOfPATH(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{".local/bin", ".volta/bin", ".nvm/versions/node/v22.1.0/bin", "games"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	in := func(dir string) string { return filepath.Join(home, dir) }
	got := filepath.SplitList(HomePath("/usr/bin"+string(os.PathListSeparator)+in(".volta/bin"), home))
	want := []string{"/usr/bin", in(".volta/bin"), in(".local/bin"), in(".nvm/versions/node/v22.1.0/bin")}
	if diff := cmp.Diff(want, got[:min(len(want), len(got))]); diff != "" {
		t.Errorf("the folders (-want +got):\n%s", diff)
	}
	if strings.Contains(strings.Join(got, ":"), "games") {
		t.Errorf("a folder that holds no programs of servers is searched: %q", got)
	}
	if got := filepath.SplitList(HomePath("", home)); got[0] != systemPath[0] || len(got) < len(systemPath)+3 {
		t.Errorf("without a PATH: %q", got)
	}
}

func TestNvmsDefaultVersionIsUsed(t *testing.T) {
	for name, c := range map[string]struct {
		alias string
		have  string
		want  string
	}{
		"no alias: the highest":                     {"", "v9.11.2 v22.1.0 v18.20.0", "v22.1.0"},
		"an exact version":                          {"v18.20.0\n", "v9.11.2 v22.1.0 v18.20.0", "v18.20.0"},
		"a major version: the highest of it":        {"18", "v18.9.1 v22.1.0 v18.20.0", "v18.20.0"},
		"an alias of words: the highest":            {"lts/*", "v9.11.2 v22.1.0", "v22.1.0"},
		"a version that is not installed":           {"20", "v9.11.2 v22.1.0", "v22.1.0"},
		"what is no version is not taken for one":   {"", "v22.1.0 v99.broken .cache", "v22.1.0"},
		"a version that begins with the same digit": {"2", "v22.1.0 v2.0.0", "v2.0.0"},
		"none installed":                            {"20", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			nvm := t.TempDir()
			if err := os.MkdirAll(filepath.Join(nvm, "alias"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(nvm, "alias", "default"), []byte(c.alias), 0o644); err != nil {
				t.Fatal(err)
			}
			for v := range strings.FieldsSeq(c.have) {
				if err := os.MkdirAll(filepath.Join(nvm, "versions/node", v, "bin"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			want := ""
			if c.want != "" {
				want = filepath.Join(nvm, "versions/node", c.want, "bin")
			}
			if got := nvmFolder(nvm); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
