package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// flat is a folder without its subfolders.
type flat struct{ fs.FS }

// ReadDir lists the files only.
func (f flat) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(f.FS, name)
	return slices.DeleteFunc(entries, fs.DirEntry.IsDir), err
}

// contents returns the files of a package with the program that was built for the tests.
func contents(t *testing.T) []file {
	t.Helper()
	raw, err := os.ReadFile(program(t))
	if err != nil {
		t.Fatal(err)
	}
	share, err := manual(t.Context(), program(t), filepath.Join(t.TempDir(), "share"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := installed([]file{{"mcpproxy", 0o755, raw}}, share)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// inPackages are files that every package has.
var inPackages = []string{
	"usr/bin/mcpproxy",
	"usr/lib/systemd/user/mcpproxy.service",
	"usr/share/bash-completion/completions/mcpproxy",
	"usr/share/doc/mcpproxy/copyright",
	"usr/share/fish/vendor_completions.d/mcpproxy.fish",
	"usr/share/man/man1/mcpproxy-serve.1.gz",
	"usr/share/man/man1/mcpproxy.1.gz",
	"usr/share/zsh/vendor-completions/_mcpproxy",
}

func TestADebIsInstalledRunsAndIsRemoved(t *testing.T) {
	t.Parallel()
	need(t, "dpkg")
	if here.system != "linux" {
		t.Skip("SKIPPED: packages are for Linux")
	}
	r := trial(t)
	if err := r.deb(here, contents(t)); err != nil {
		t.Fatal(err)
	}
	deb := filepath.Join(r.dist, r.debName(here))
	if got := must(t, "", "dpkg-deb", "--field", deb, "Package", "Version", "Architecture"); got !=
		"Package: mcpproxy\nVersion: 1.2.3~rc.1\nArchitecture: "+here.machine+"\n" {
		t.Errorf("the package says\n%s", got)
	}
	into := t.TempDir()
	if os.Geteuid() != 0 { // only root may install packages
		must(t, "", "dpkg-deb", "--extract", deb, into)
		runs(t, into)
		return
	}
	for _, dir := range []string{"info", "updates"} {
		if err := os.MkdirAll(filepath.Join(into, "var/lib/dpkg", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(into, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, "", "dpkg", "--root="+into, "--log=/dev/null", "--install", deb)
	runs(t, into)
	if out := must(t, "", "dpkg", "--root="+into, "--verify", "mcpproxy"); out != "" {
		t.Errorf("what is installed is not what the package says:\n%s", out)
	}
	must(t, "", "dpkg", "--root="+into, "--log=/dev/null", "--purge", "mcpproxy")
	if _, err := os.Stat(filepath.Join(into, "usr")); err == nil {
		t.Error("something is left of the package")
	}
}

// runs checks that all installed files exist, and runs the program.
func runs(t *testing.T, into string) {
	t.Helper()
	for _, name := range inPackages {
		if info, err := os.Stat(filepath.Join(into, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	got := must(t, into, filepath.Join(into, "usr/bin/mcpproxy"), "version")
	if !strings.HasPrefix(got, "mcpproxy ") || !strings.Contains(got, here.system+"/"+here.machine) {
		t.Errorf("the program says %q", got)
	}
}

func TestADebIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	files := []file{{"usr/bin/mcpproxy", 0o755, []byte("odd")}, {"usr/share/man/man1/mcpproxy.1.gz", 0o644, []byte("page")}}
	var all [][]byte
	for range 2 {
		r := trial(t)
		if err := r.deb(here, slices.Clone(files)); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join(r.dist, r.debName(here)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw)
	}
	if !bytes.Equal(all[0], all[1]) {
		t.Error("two packages of the same files differ")
	}
}

func TestAnRPMHoldsWhatADebHolds(t *testing.T) {
	t.Parallel()
	need(t, "rpmbuild")
	files := []file{{"usr/bin/mcpproxy", 0o755, []byte("program")}, {"usr/share/man/man1/mcpproxy.1.gz", 0o644, []byte("page")}}
	var all [][]byte
	var r *release
	for range 2 {
		r = trial(t)
		if err := r.rpm(t.Context(), platform{"linux", "arm64"}, files, t.TempDir()); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join(r.dist, r.rpmName(platform{"linux", "arm64"})))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw)
	}
	if !bytes.Equal(all[0], all[1]) {
		t.Error("two packages of the same files differ")
	}
	name := filepath.Join(r.dist, r.rpmName(platform{"linux", "arm64"}))
	const query = "[%{FILENAMES} %{FILEMODES:perms} %{FILEUSERNAME}\n]%{VERSION} %{ARCH} %{LICENSE}\n"
	got := must(t, "", "rpm", "--dbpath", t.TempDir(), "-qp", "--queryformat", query, name)
	want := `/usr/bin/mcpproxy -rwxr-xr-x root
/usr/share/doc/mcpproxy/README.md -rw-r--r-- root
/usr/share/doc/mcpproxy/copyright -rw-r--r-- root
/usr/share/man/man1/mcpproxy.1.gz -rw-r--r-- root
1.2.3~rc.1 aarch64 Apache-2.0
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheContainerRunsWithoutRootAndDemandsAKey(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(root, "packaging", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	image := string(raw)
	for _, line := range []string{
		"\nUSER 10001:10001\n",
		"\nHEALTHCHECK ",
		`CMD ["mcpproxy", "status"]`,
		`ENTRYPOINT ["mcpproxy"]`,
		`CMD ["serve"]`,
		"MCPPROXY_LISTEN=0.0.0.0:8080",
	} {
		if !strings.Contains(image, line) {
			t.Errorf("the Dockerfile does not have %q", line)
		}
	}
	if strings.Contains(image, "API_KEY=") {
		t.Error("the image has a key of its own")
	}
	raw, err = os.ReadFile(filepath.Join(root, "packaging", "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"MCPPROXY_API_KEY: ${MCPPROXY_API_KEY:?", "read_only: true", "- ALL", "no-new-privileges:true", "127.0.0.1:8080:8080"} {
		if !strings.Contains(string(raw), line) {
			t.Errorf("compose.yaml does not have %q", line)
		}
	}
}
