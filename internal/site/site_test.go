package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// built builds mcpproxy once for all tests.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "mcpproxy-site-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "mcpproxy")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/mcpproxy").CombinedOutput(); err != nil {
		return path, fmt.Errorf("building mcpproxy: %w: %s", err, out)
	}
	return path, nil
})

// isBuilt is set once a test has used the program.
var isBuilt atomic.Bool

func program(t *testing.T) string {
	t.Helper()
	isBuilt.Store(true)
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMain(m *testing.M) {
	code := m.Run()
	if isBuilt.Load() {
		path, _ := built()
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// tree writes files below a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// source returns pages that give a valid site.
func source() map[string]string {
	return map[string]string{
		"README.md":             "# Start\n\n[how](docs/how.md#two-words--more) ![picture](docs/a.svg)\n",
		"docs/how.md":           "# How\n\n[back](../README.md) [it](../examples/a/c.json) [up](#how)\n\n## Two words – `more`!\n\nText of *it*.\n\n    mcpproxy serve\n",
		"docs/a.svg":            "<svg/>",
		"examples/a/README.md":  "# Example\n\n[all](../../docs/how.md) [out](https://modelcontextprotocol.io)\n\n## Same\n\n## Same\n",
		"examples/a/c.json":     "{}",
		"examples/a/unused.txt": "",
	}
}

func TestTheDocumentationIsAWebsite(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "site")
	n, err := build(t.Context(), filepath.Join("..", ".."), out, program(t))
	if err != nil {
		t.Fatal(err)
	}
	if n < 50 {
		t.Errorf("only %d pages", n)
	}
	for _, name := range []string{"index.html", "docs/architecture.html", "docs/demo.svg", "examples/index.html", searchIndex} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
}

// The reference contains the program's own descriptions, is in the menu, and is found by the search.
func TestTheReferenceIsPartOfTheSite(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "site")
	if _, err := build(t.Context(), filepath.Join("..", ".."), out, program(t)); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for name, words := range map[string][]string{
		"docs/reference/commands.html": {
			`<h3 id="mcpproxy-service-install">`, "<td><code>--run-as string</code></td>", "mcpproxy policy suggest",
		},
		"docs/reference/configuration.html": {
			"<td><code>security.flow_policy.internal_to_external</code></td>", "<td><code>mcpServers[].isolation.network</code></td>",
			"<code>allow</code>, <code>warn</code>", "<td><code>activity.retention_days</code></td>\n<td>integer</td>\n<td><code>90</code></td>",
		},
		"docs/reference/api.html": {
			`<h2 id="post-apiv1approvals">`, "<td><code>session_id</code></td>", "A parameter or the body is not valid",
		},
		"index.html": {`<a href="docs/reference/api.html">Reference: API</a>`},
		searchIndex: {
			`"heading":"mcpproxy service install","url":"docs/reference/commands.html#mcpproxy-service-install"`,
			`"heading":"GET /api/v1/activity/{id}"`, `mcpServers[].isolation.network`,
		},
	} {
		text := read(name)
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s does not have %s", name, word)
			}
		}
	}
}

func TestAnEscapedTextIsShownAsItIs(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a <b> & [c](d) *e* `f`", "1. first", "# no heading", "| a | b |", "- x", "https://example.org/a_b", "~~x~~ \\y"} {
		p := parse("docs/a.md", []byte("# T\n\n"+escaped(text)+"\n"))
		if got := p.sections()[0].Text; strings.TrimSpace(got) != text {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

func TestASiteHasItsPagesAndWhatTheyShow(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "site")
	if _, err := build(t.Context(), tree(t, source()), out, ""); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"index.html":            `<a href="docs/how.html#two-words--more">how</a>`,
		"docs/how.html":         `<h2 id="two-words--more">`,
		"docs/a.svg":            "<svg/>",
		"examples/a/index.html": `<h2 id="same-1">`,
		"examples/a/c.json":     "{}",
		searchIndex:             `{"page":"How","heading":"Two words – more!","url":"docs/how.html#two-words--more","text":"Text of it. mcpproxy serve "}`,
	} {
		if got, err := os.ReadFile(filepath.Join(out, name)); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %s, wanted %s, %v", name, got, want, err)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "examples/a/unused.txt")); err == nil {
		t.Error("a file is there that no page links to")
	}
}

func TestNoSiteIsMadeWhereALinkLeadsNowhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ page, want string }{
		"no such page":       {"[a](b.md)", "leads to docs/b.html, which the site does not have"},
		"no such file":       {"[a](b.json)", "links to b.json"},
		"no such heading":    {"[a](how.md#x)", "how.html has no anchor x"},
		"none on the page":   {"[a](#x)", "the page has no anchor x"},
		"out of the site":    {"[a](../../b.md)", "leads to ../b.html"},
		"http":               {"[a](http://example.com)", "is not an https address"},
		"a script":           {"[a](javascript:alert)", "no address, or one that is not allowed"},
		"a foreign picture":  {"![a](https://example.com/a.png)", "would be loaded from another host"},
		"HTML":               {"<b>bold</b>", "has HTML, which the site leaves out"},
		"a block of HTML":    {"<p>\nx\n</p>\n", "has HTML, which the site leaves out"},
		"a heading's anchor": {"## Content\n", "has the anchor content twice"},
	} {
		t.Run(name, func(t *testing.T) {
			files := source()
			maps.Copy(files, map[string]string{"docs/new.md": "# New\n\n" + c.page})
			out := filepath.Join(t.TempDir(), "site")
			if _, err := build(t.Context(), tree(t, files), out, ""); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, wanted %s", err, c.want)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("there is a site")
			}
		})
	}
}

func TestASiteReplacesASiteOnly(t *testing.T) {
	t.Parallel()
	root, out := tree(t, source()), tree(t, map[string]string{"mine.txt": "kept"})
	if _, err := build(t.Context(), root, out, ""); err == nil || !strings.Contains(err.Error(), "is not an earlier site") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(out, "mine.txt")); err != nil {
		t.Error(err)
	}
	out = tree(t, map[string]string{searchIndex: "", "old.html": ""})
	if _, err := build(t.Context(), root, out, ""); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(out, "old.html")); err == nil {
		t.Error("a page of the earlier site is still there")
	}
}

// The picture in the README shows the current output of the demo, apart from ids and times, which differ in each run.
func TestThePictureOfTheDemoIsOfARealRun(t *testing.T) {
	t.Parallel()
	made := filepath.Join(t.TempDir(), "demo.svg")
	if err := cast(t.Context(), program(t), made); err != nil {
		t.Fatal(err)
	}
	differs := regexp.MustCompile(`\b01[0-9A-Z]{24}\b|animation-delay:[0-9.]+s`)
	read := func(path string) string {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return differs.ReplaceAllString(string(raw), "")
	}
	if diff := cmp.Diff(read(made), read("../../docs/demo.svg")); diff != "" {
		t.Errorf("docs/demo.svg is not what the demo prints; run make cast (-demo +picture):\n%s", diff)
	}
}

func TestAPictureHoldsTheWholeOfLongLines(t *testing.T) {
	t.Parallel()
	long := "   " + strings.Repeat("word ", 40) + strings.Repeat("ü", 200)
	parts := wrap(long)
	for _, p := range parts {
		if utf8.RuneCountInString(p) > columns {
			t.Errorf("%q is too wide", p)
		}
	}
	bare := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	if got := bare(strings.Join(parts, "")); got != bare(long) {
		t.Errorf("%q", parts)
	}
	if svg := string(picture("x", []line{{`a <b> & "c"`, time.Second}})); strings.Contains(svg, "<b>") || !strings.Contains(svg, "&lt;b&gt; &amp;") {
		t.Error(svg)
	}
}

// The picture is valid XML, whatever the program prints.
func FuzzPicture(f *testing.F) {
	f.Add("   deny  <risk> & \"more\"")
	f.Add(strings.Repeat(" ", 200) + "x")
	f.Add("   " + strings.Repeat("word ", 40) + strings.Repeat("ü", 200))
	f.Add("\x00\x1b[31m\xff\ufffe")
	f.Fuzz(func(t *testing.T, text string) {
		in := xml.NewDecoder(bytes.NewReader(picture("x", []line{{text: text}})))
		for {
			if _, err := in.Token(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
	})
}

// The search is tested in a browser, without a web server.
func TestTheSearchFindsSections(t *testing.T) {
	t.Parallel()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("SKIPPED: there is no chromium")
	}
	out := filepath.Join(t.TempDir(), "site")
	if _, err := build(t.Context(), tree(t, source()), out, ""); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{
		"serve+TEXT": `<li><a href="../docs/how.html#two-words--more">How: Two words – more!</a>`,
		"zebra":      "No section has all of these words.",
	} {
		cmd := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--dump-dom",
			"file://"+filepath.Join(out, "docs", "how.html")+"?q="+words)
		dom, err := cmd.Output()
		if err != nil || !strings.Contains(string(dom), want) {
			t.Errorf("%s: %v: %s, wanted %s", words, err, dom, want)
		}
	}
}
