package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// root is the folder of the module.
const root = "../.."

// trial returns a release into a temporary folder.
func trial(t *testing.T) *release {
	t.Helper()
	at, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	return &release{
		version:    "v1.2.3-rc.1",
		root:       at,
		dist:       t.TempDir(),
		time:       time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		commit:     strings.Repeat("ab", 20),
		base:       noBase,
		maintainer: noMaintainer,
	}
}

// here is the platform of the test.
var here = platform{runtime.GOOS, runtime.GOARCH}

// need skips the test if a program is not installed. In CI, a missing program is an error.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed", program)
	}
	t.Skipf("SKIPPED: %s is not installed", program)
}

// must runs a program, and returns its output.
func must(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := command(t.Context(), dir, nil, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// built builds the program once for all tests, with the flags of other packages' tests, so that little has to be
// compiled. The program then has no version.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "mcpproxy-release-test-")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "mcpproxy"+here.suffix())
	_, err = command(context.Background(), root, []string{"CGO_ENABLED=0"},
		"go", "build", "-buildvcs=false", "-o", program, "./cmd/mcpproxy")
	return program, err
})

func program(t *testing.T) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := built(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// The hook client stands for all programs, because it is small.
func TestTwoFoldersMakeTheSameArchive(t *testing.T) {
	t.Parallel()
	one, other := trial(t), trial(t)
	other.root = t.TempDir()
	packages := must(t, one.root, "go", "list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}", "./cmd/mcpproxy-hook")
	for _, dir := range strings.Fields(packages) {
		rel, err := filepath.Rel(one.root, dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(other.root, rel), flat{os.DirFS(dir)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "LICENSE", "README.md"} {
		raw, err := os.ReadFile(filepath.Join(one.root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(other.root, name), raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	var archives [][]byte
	for _, r := range []*release{one, other} {
		files, err := r.build(t.Context(), here, t.TempDir(), []string{"mcpproxy-hook"})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{r.root, strings.TrimSpace(string(goroot))} {
			if bytes.Contains(files[0].data, []byte(path)) {
				t.Errorf("the program of %s holds the path %s", r.root, path)
			}
		}
		if err := r.archive(here, files, nil); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join(r.dist, r.archiveName(here)))
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, raw)
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Errorf("two folders made different archives of %d and %d bytes", len(archives[0]), len(archives[1]))
	}
}

func TestAnArchiveHoldsTheProgramsAndWhatBelongsToThem(t *testing.T) {
	t.Parallel()
	r := trial(t)
	programs := []file{{"mcpproxy", 0o755, []byte("program")}}
	share := []file{{"share/man/man1/mcpproxy.1", 0o644, []byte("page")}}
	windows := platform{"windows", "arm64"}
	if err := errors.Join(r.archive(platform{"linux", "arm64"}, programs, share), r.archive(windows, programs, share)); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"drwxr-xr-x /",
		"-rw-r--r-- /LICENSE",
		"-rw-r--r-- /README.md",
		"-rwxr-xr-x /mcpproxy",
		"drwxr-xr-x /share/",
		"drwxr-xr-x /share/man/",
		"drwxr-xr-x /share/man/man1/",
		"-rw-r--r-- /share/man/man1/mcpproxy.1",
	}
	var got []string
	f, err := os.Open(filepath.Join(r.dist, "mcpproxy_1.2.3-rc.1_linux_arm64.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(r.time) || h.Uid != 0 || h.Uname != "root" {
			t.Errorf("%s is of %v and %s", h.Name, h.ModTime, h.Uname)
		}
		got = append(got, h.FileInfo().Mode().String()+" "+strings.TrimPrefix(h.Name, "mcpproxy_1.2.3-rc.1_linux_arm64"))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	zipped, err := zip.OpenReader(filepath.Join(r.dist, r.archiveName(windows)))
	if err != nil {
		t.Fatal(err)
	}
	defer zipped.Close()
	got = nil
	for _, f := range zipped.File {
		got = append(got, f.Mode().String()+" "+strings.TrimPrefix(f.Name, "mcpproxy_1.2.3-rc.1_windows_arm64"))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The list agrees with Go's own information about the program.
func TestTheListOfPartsNamesEveryModuleThatIsLinked(t *testing.T) {
	t.Parallel()
	r := trial(t)
	if err := r.bom(here, program(t)); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(r.dist, r.bomName(here)))
	if err != nil {
		t.Fatal(err)
	}
	var list bom
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	goSum, err := os.ReadFile(filepath.Join(r.root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range list.Components {
		got = append(got, c.Name+"@"+c.Version)
		if p := c.Properties; len(p) == 1 && !strings.Contains(string(goSum), c.Name+" "+c.Version+" "+p[0].Value+"\n") {
			t.Errorf("go.sum does not have %s %s %s", c.Name, c.Version, p[0].Value)
		}
	}
	const format = "{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}{{end}}{{end}}"
	cmd := exec.Command("go", "list", "-deps", "-f", format, "./cmd/mcpproxy")
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(out))
	want = append(want, "std@"+strings.TrimPrefix(runtime.Version(), "go"))
	for _, c := range list.Components {
		if strings.HasPrefix(c.PURL, "pkg:npm/") && len(c.Hashes) == 1 {
			want = append(want, c.Name+"@"+c.Version)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(slices.Compact(want), got); diff != "" {
		t.Error(diff)
	}
	if len(got) < 30 || list.Format != "CycloneDX" || !strings.HasPrefix(list.Serial, "urn:uuid:") {
		t.Errorf("%d parts, %s, %s", len(got), list.Format, list.Serial)
	}
}

func TestTheProvenanceNamesEveryResultAndItsSignatureHolds(t *testing.T) {
	t.Parallel()
	r := trial(t)
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	r.key = filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(r.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.write("b.zip", []byte("b")), r.write("a.deb", []byte("a")), r.provenance(), r.sums()); err != nil {
		t.Fatal(err)
	}
	raw, err = os.ReadFile(filepath.Join(r.dist, "provenance.dsse.json"))
	if err != nil {
		t.Fatal(err)
	}
	var envelope struct {
		Payload    []byte
		Signatures []struct{ Sig string }
	}
	if err := json.Unmarshal(raw, &envelope); err != nil {
		t.Fatal(err)
	}
	signature, err := base64.StdEncoding.DecodeString(envelope.Signatures[0].Sig)
	if err != nil || !ed25519.Verify(public, preAuthentication(envelope.Payload), signature) {
		t.Errorf("the signature does not hold: %v", err)
	}
	if ed25519.Verify(public, preAuthentication(append(envelope.Payload, ' ')), signature) {
		t.Error("the signature holds for another statement")
	}
	var statement struct {
		Subject []struct {
			Name   string
			Digest map[string]string
		}
	}
	if err := json.Unmarshal(envelope.Payload, &statement); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(r.dist, sumsName))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range statement.Subject {
		got = append(got, s.Name)
		if !strings.Contains(string(sums), s.Digest["sha256"]+"  "+s.Name+"\n") {
			t.Errorf("the checksums do not have %s %s", s.Digest["sha256"], s.Name)
		}
	}
	if diff := cmp.Diff([]string{"a.deb", "b.zip"}, got); diff != "" {
		t.Error(diff)
	}
	need(t, "sha256sum")
	must(t, r.dist, "sha256sum", "--check", "--strict", sumsName)
}

func TestOnlyAVersionIsReleased(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"v1.2.3":        true,
		"v0.10.0-rc.1":  true,
		"1.2.3":         false,
		"v1.2":          false,
		"v1.2.3-dirty!": false,
		"dev":           false,
		"":              false,
	} {
		if got := versions.MatchString(version); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

func TestTheFormulaHasTheChecksumsOfTheArchives(t *testing.T) {
	t.Parallel()
	r := trial(t)
	r.base = "https://example.org/releases/"
	for _, p := range platforms {
		if err := r.write(r.archiveName(p), []byte(p.String())); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.formula(); err != nil {
		t.Fatal(err)
	}
	digests, err := r.digests()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(r.dist, "mcpproxy.rb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range platforms {
		name := r.archiveName(p)
		pair := "url \"https://example.org/releases/" + name + "\"\n      sha256 \"" + digests[name] + "\"\n"
		if got := strings.Contains(string(text), pair); got != (p.system != "windows") {
			t.Errorf("%s: in the formula %v", p, got)
		}
	}
}
