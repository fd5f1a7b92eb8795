package page

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"mcpproxy/internal/e2e/rig"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// lacking skips the test with a visible message, and fails it in CI.
func lacking(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip("THE PAGE IS NOT TESTED: " + what)
}

// folder returns the page's source.
func folder(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "..", "web"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// install installs the packages of the lock file if they are missing.
func install(t *testing.T, web string) {
	t.Helper()
	lock, err := os.ReadFile(filepath.Join(web, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	stamp := filepath.Join(web, "node_modules", ".installed-from")
	if from, err := os.ReadFile(stamp); err == nil && bytes.Equal(from, lock) {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund")
	cmd.Dir = web
	if out, err := cmd.CombinedOutput(); err != nil {
		lacking(t, "npm ci failed in "+web+": "+string(out))
	}
	if err := os.WriteFile(stamp, lock, 0o600); err != nil {
		t.Fatal(err)
	}
}

// chromium returns the browser's path; CHROMIUM names another one.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	lacking(t, "there is no Chromium: apt-get install chromium, or name one with CHROMIUM")
	return ""
}

// lookFor skips the test unless everything that a browser test needs is installed.
func lookFor(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		lacking(t, "there is no Node.js")
	}
	chromium(t)
	install(t, folder(t))
}

// built is the folder in which mcpproxy is built.
var built string

// program is the path of mcpproxy, built once for all tests.
var program = sync.OnceValues(func() (string, error) {
	return filepath.Join(built, "mcpproxy"), rig.Build(built, rig.Main)
})

func TestMain(m *testing.M) {
	os.Exit(rig.InFolder(func(dir string) error { built = dir; return nil }, m.Run))
}

// play runs a script of web/test and reports each of its scenes as a test. It fails if there are
// fewer than least.
func play(t *testing.T, script string, least int, env ...string) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", script)
	cmd.Dir, cmd.WaitDelay = folder(t), 5*time.Second
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "MCPPROXY_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(
		cmd.Env,
		"MCPPROXY="+path,
		"CHROMIUM="+chromium(t),
		"ARTIFACTS="+filepath.Join(cmd.Dir, "..", ".cache", "page"),
	)
	cmd.Env = append(cmd.Env, env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	played := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var s struct{ Scene, Error string }
		if json.Unmarshal(lines.Bytes(), &s) != nil || s.Scene == "" {
			t.Log(lines.Text())
			continue
		}
		played++
		t.Run(s.Scene, func(t *testing.T) {
			t.Log(lines.Text())
			if s.Error != "" {
				t.Error(s.Error)
			}
		})
	}
	if err != nil && !t.Failed() || played < least {
		t.Fatalf("%d scenes were played, %v\n%s", played, err, said.String())
	}
}

// Shows: FR-082.
func TestThePageInABrowser(t *testing.T) {
	t.Parallel()
	lookFor(t)
	play(t, "test/page.mjs", 20)
}

// People log in to the page with a real OpenID provider (oidc-provider from npm, see internal/e2e/npm).
func TestPeopleLogInWithTheirAccountsInABrowser(t *testing.T) {
	t.Parallel()
	lookFor(t)
	provider, err := filepath.Abs(filepath.Join("..", "npm"))
	if err != nil {
		t.Fatal(err)
	}
	install(t, provider)
	play(t, "test/accounts.mjs", 6, "PROVIDER="+filepath.Join(provider, "openid-provider.mjs"))
}

// Texts of servers and agents are displayed as text: nothing in the page's source turns text into markup or code.
func TestTheSourceHasNoWayFromTextToMarkup(t *testing.T) {
	read := 0
	err := filepath.WalkDir(filepath.Join(folder(t), "src"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		for _, way := range []string{"{@html", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc", "javascript:"} {
			if bytes.Contains(raw, []byte(way)) {
				t.Errorf("%s contains %s", path, way)
			}
		}
		return nil
	})
	if err != nil || read < 20 {
		t.Errorf("%d files, %v", read, err)
	}
}

// The page must appear quickly on a slow machine, so the files that are loaded first are small.
func TestTheFirstLoadIsSmall(t *testing.T) {
	dist := filepath.Join(folder(t), "dist")
	index, err := os.ReadFile(filepath.Join(dist, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	size := packed(t, index)
	for part := range strings.SplitSeq(string(index), `"`) {
		if name, ok := strings.CutPrefix(part, "/ui/"); ok {
			raw, err := os.ReadFile(filepath.Join(dist, name))
			if err != nil {
				t.Fatal(err)
			}
			size += packed(t, raw)
		}
	}
	t.Logf("%d bytes gzipped", size)
	if size < 10_000 || size > 200_000 {
		t.Errorf("the first load is %d bytes gzipped", size)
	}
}
