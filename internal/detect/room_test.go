package detect_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy/internal/cputime"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/text"
)

// The files of this package import nothing that can send data out of the process.
func TestThePackageIsOffline(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"personal", "numbering"} {
		more, err := filepath.Glob(part + "/*.go")
		if err != nil || len(more) == 0 {
			t.Fatalf("%s has no files: %v", part, err)
		}
		files = append(files, more...)
	}
	checked := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		checked++
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(path, "/")
			if path == "net/netip" { // parses addresses, and reaches nothing
				continue
			}
			if slices.Contains([]string{"net", "os", "syscall", "plugin", "unsafe", "C"}, first) ||
				strings.HasPrefix(path, "golang.org/x/net") ||
				strings.HasPrefix(path, "golang.org/x/sys") {
				t.Errorf("%s imports %s", name, path)
			}
			room, ours := strings.CutPrefix(path, "mcpproxy/internal/")
			if ours && !slices.Contains([]string{"text", "detect/personal", "detect/numbering", "lazyregexp"}, room) {
				t.Errorf("%s imports the package %s", name, path)
			}
		}
	}
	if _, err := os.Stat("detector.go"); err != nil || checked == 0 {
		t.Fatalf("the package's files are missing: %v", err)
	}
}

func TestOneDetectorServesManyCallsAtOnce(t *testing.T) {
	d := detect.New(detect.Rules()) // not warm: the first calls compete for compiling it
	var group sync.WaitGroup
	for id, s := range samples {
		for range 4 {
			group.Go(func() {
				doc, err := text.Parse(text.Quote(s.text()), "r")
				if err != nil {
					t.Error(err)
					return
				}
				found, err := d.Find(doc)
				if err != nil || !slices.ContainsFunc(found, func(f detect.Finding) bool { return f.Rule.ID == id }) {
					t.Errorf("%s: %v, %v", id, found, err)
				}
			})
		}
	}
	group.Wait()
}

func TestABadRuleIsAnErrorNotSilence(t *testing.T) {
	d := detect.New([]detect.Rule{{ID: "bad", Pattern: `(`}})
	doc, err := text.Parse([]byte(`"x"`), "r")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if found, err := d.Find(doc); err == nil {
			t.Errorf("found %v without an error", found)
		}
	}
}

func TestADocumentWithoutPartsHasNoFindings(t *testing.T) {
	doc, err := text.Parse([]byte(`[null,1]`), "r")
	if err != nil {
		t.Fatal(err)
	}
	if found, err := detector.Find(doc); err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
}

// The time is linear in the length of the text.
func TestFindAndMaskTakeLinearTime(t *testing.T) {
	cases := map[string]string{
		"prose":              "The quick brown fox jumps over the lazy dog. ",
		"half a secret":      "ghp_" + mix(alnum, 30) + " ",
		"half a private key": "-----BEGIN " + "RSA PRIVATE KEY-----\n" + mix(alnum, 30) + "\n",
		"half a PuTTY key":   "PuTTY-User-Key-File-2: ssh-rsa\n" + mix(alnum, 30) + "\n",
		"half a connection":  "Server=x;Database=y;",
		"half a URL":         "postgres://app:" + mix(alnum, 30),
		"secrets":            "ghp_" + mix(alnum, 36) + " ",
		"backslashes":        `[\"\\`,
	}
	cost := func(unit string, size int) time.Duration {
		raw := text.Quote(strings.Repeat(unit, size/len(unit)))
		return cputime.Of(func() {
			doc, found := find(t, raw)
			detect.NewMasker(found).JSON(doc, found)
		})
	}
	if err := detector.Warm(); err != nil {
		t.Fatal(err)
	}
	for name, unit := range cases {
		// A busy machine slows runs down, so the fastest of many counts.
		small, large := time.Hour, time.Hour
		for range 20 {
			small, large = min(small, cost(unit, 20<<10)), min(large, cost(unit, 200<<10))
			if large < 30*small || large < 30*time.Millisecond {
				break
			}
		}
		if large >= 30*small && large >= 30*time.Millisecond {
			t.Errorf("%s: 20 KB take %v, 200 KB %v", name, small, large)
		}
	}
}
