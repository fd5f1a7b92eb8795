//go:build unix

package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpproxy/internal/eventually"
)

// quick are limits for commands that do not take long.
var quick = Secrets{CommandTimeoutSecs: 25, CommandCacheSecs: 300}

func fresh() *commands { return &commands{kept: map[string]printed{}, busy: map[string]*running{}} }

// script returns the text of a reference that runs a script. The script counts its runs in a file, which script also
// returns.
func script(t *testing.T, body string) (text, runs string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "script")
	runs = filepath.Join(dir, "runs")
	if err := os.WriteFile(path, []byte("echo >>"+runs+"\n"+body+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "/bin/sh " + path, runs
}

func count(t *testing.T, runs string) int {
	t.Helper()
	raw, err := os.ReadFile(runs)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(raw), "\n")
}

func TestACommandPrintsTheSecret(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"one newline is cut":            {`printf 's3cret\n\n'`, "s3cret\n"},
		"so is one of Windows":          {`printf 's3cret\r\n'`, "s3cret"},
		"none is needed":                {`printf 's3cret'`, "s3cret"},
		"standard error does not count": {`echo noise >&2; echo s3cret`, "s3cret"},
		"as much as fits":               {`head -c 65536 /dev/zero | tr '\0' x`, strings.Repeat("x", 65536)},
	} {
		text, _ := script(t, c.body)
		if got, err := fresh().get(t.Context(), text, quick); err != nil || got != c.want {
			t.Errorf("%s: %.40q, %v", name, got, err)
		}
	}
}

func TestACommandThatFailsIsNamedWithoutItsOutput(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"an exit code":  {`echo s3cret; echo s3cret >&2; exit 7`, "sh failed (exit status 7); run it by hand to see why"},
		"too much":      {`head -c 65537 /dev/zero | tr '\0' x`, "sh prints more than 65536 bytes"},
		"nothing":       {`:`, "sh printed nothing"},
		"only newlines": {`echo`, "sh printed nothing"},
	} {
		text, _ := script(t, c.body)
		if got, err := fresh().get(t.Context(), text, quick); err == nil || err.Error() != c.want {
			t.Errorf("%s: %.40q, %v", name, got, err)
		}
	}
	text, _ := script(t, `echo s3cret; exec sleep 600`)
	limits := Secrets{CommandTimeoutSecs: 1}
	if got, err := fresh().get(t.Context(), text, limits); err == nil || err.Error() != "sh has not ended within 1s" {
		t.Errorf("a command without an end: %q, %v", got, err)
	}
}

func TestACommandWhoseProgramOthersCanChangeIsRefused(t *testing.T) {
	open := filepath.Join(t.TempDir(), "open")
	if err := errors.Join(os.WriteFile(open, nil, 0o700), os.Chmod(open, 0o777)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", ".:"+filepath.Dir(open)+"/none")
	t.Chdir(filepath.Dir(open))
	for text, want := range map[string]string{
		"open":        "the program open was not found in PATH",
		"./open":      "write the program's name, or its path from the root",
		"~/bin/op":    "write the program's name, or its path from the root",
		open:          "can be changed by other users (mode 0777)",
		"/none/there": "no such file",
	} {
		if got, err := fresh().get(t.Context(), text, quick); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

func TestACommandRunsOnceForAllWhoAskAtATime(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	text, runs := script(t, "while test -e "+gate+"; do sleep 0.01; done; echo s3cret")
	c := fresh()
	limits := Secrets{CommandTimeoutSecs: 25} // the output is not cached; only concurrent callers share it
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got, err := c.get(t.Context(), text, limits); err != nil || got != "s3cret" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	waiting := func() int {
		c.mu.Lock()
		defer c.mu.Unlock()
		if r := c.busy[text]; r != nil {
			return r.waiting
		}
		return 0
	}
	eventually.True(t, "all wait for the command", func() bool { return waiting() == 8 })
	if err := os.Remove(gate); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if n := count(t, runs); n != 1 {
		t.Errorf("it ran %d times", n)
	}
}

func TestTheOutputOfACommandIsCachedAndAFailureIsNot(t *testing.T) {
	good, goodRuns := script(t, "echo s3cret")
	bad, badRuns := script(t, "exit 1")
	c := fresh()
	for range 3 {
		if _, err := c.get(t.Context(), good, quick); err != nil {
			t.Error(err)
		}
		if _, err := c.get(t.Context(), bad, quick); err == nil {
			t.Error("a failure was kept from the caller")
		}
	}
	if g, b := count(t, goodRuns), count(t, badRuns); g != 1 || b != 3 {
		t.Errorf("the good one ran %d times, the bad one %d times", g, b)
	}
	c.kept[good] = printed{"old", time.Now().Add(-time.Second)}
	if got, err := c.get(t.Context(), good, quick); err != nil || got != "s3cret" {
		t.Errorf("after its time: %q, %v", got, err)
	}
}

func TestACallerThatGivesUpDoesNotDelayTheNext(t *testing.T) {
	flag := filepath.Join(t.TempDir(), "flag")
	text, _ := script(t, "test -e "+flag+" || exec sleep 600; echo s3cret")
	c := fresh()
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := c.get(ctx, text, quick)
		first <- err
	}()
	eventually.True(t, "the command runs", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.busy[text] != nil
	})
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the first: %v", err)
	}
	if err := os.WriteFile(flag, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := c.get(t.Context(), text, quick); err != nil || got != "s3cret" {
		t.Errorf("the second: %q, %v", got, err)
	}
}

func TestACommandGetsFewVariables(t *testing.T) {
	got := commandEnvironment([]string{
		"PATH=.:/usr/bin:bin:/bin", "HOME=/home/me", "OP_ACCOUNT=me", "AWS_PROFILE=work", "VAULT_ADDR=https://v.example",
		"MCPPROXY_API_KEY=x", "LD_PRELOAD=/tmp/x.so", "OPENAI_API_KEY=x", "BASH_ENV=/tmp/x", "OP=x",
	})
	want := "PATH=/usr/bin:/bin HOME=/home/me OP_ACCOUNT=me AWS_PROFILE=work VAULT_ADDR=https://v.example"
	if strings.Join(got, " ") != want {
		t.Errorf("%q", got)
	}
}

// own writes a configuration and returns its path.
func own(t *testing.T, format string, args ...any) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp_config.json")
	if err := os.WriteFile(path, fmt.Appendf(nil, format, args...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoadRunsCommandsAndNothingElseDoes(t *testing.T) {
	text, runs := script(t, "echo s3cret")
	path := own(t, `{"mcpServers": {"a": {"url": "${cmd:%s}/mcp"}, "b": {"command": "x", "env": {"T": "a ${cmd:%[1]s}"}}}}`, text)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(path, raw, Lookup); err != nil {
		t.Errorf("parsed: %v", err)
	}
	if _, err := Check(t.Context(), path); err != nil {
		t.Errorf("checked: %v", err)
	}
	if _, err := LoadClient(path); err != nil {
		t.Errorf("loaded by a client: %v", err)
	}
	if err := AddServer(path, Server{Name: "c", Command: "x", Env: map[string]string{"T": "${cmd:" + text + "}"}}); err != nil {
		t.Errorf("added: %v", err)
	}
	if n := count(t, runs); n != 0 {
		t.Fatalf("it ran %d times", n)
	}
	_, err = Load(t.Context(), path) // the command prints something that is not an address
	if want := `url: "${cmd:/bin/sh …}/mcp" is not an http or https address`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v", err)
	}
	if n := count(t, runs); n != 1 {
		t.Errorf("it ran %d times", n)
	}
}

func TestACommandOfOthersIsRefused(t *testing.T) {
	text, runs := script(t, "echo s3cret")
	reference := "${cmd:" + text + "}"
	servers := []Server{{Name: "a", Command: "x", Env: map[string]string{"T": reference}}}
	path := own(t, `{}`)
	trial, err := NewTrial(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{"tried": trial.Add(servers[0]), "added": AddServers(path, servers)} {
		if err == nil || !strings.Contains(err.Error(), "a command is taken only from your own configuration") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, key := range []string{"listen", "data_dir", "api_key"} {
		path := own(t, `{%q: %q}`, key, reference)
		if _, err := Load(t.Context(), path); err == nil || !strings.Contains(err.Error(), "clients read this key") {
			t.Errorf("%s: %v", key, err)
		}
	}
	open := own(t, `{"mcpServers": {"a": {"command": %q}}}`, reference)
	if err := os.Chmod(open, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(t.Context(), open); err == nil || !strings.Contains(err.Error(), "can be changed by other users") {
		t.Errorf("a file that others may write: %v", err)
	}
	if n := count(t, runs); n != 0 {
		t.Errorf("it ran %d times", n)
	}
}

func TestTheLimitsOfCommandsAreOfTheFile(t *testing.T) {
	text, _ := script(t, "exec sleep 600")
	path := own(t, `{"mcpServers": {"a": {"command": "${cmd:%s}"}}, "secrets": {"command_timeout_secs": 1} /* short */,}`, text)
	if _, err := Load(t.Context(), path); err == nil || !strings.Contains(err.Error(), "sh has not ended within 1s") {
		t.Errorf("the error is %v", err)
	}
}

func TestACommandIsShownWithoutSecretsInIt(t *testing.T) {
	for in, want := range map[string]string{
		"${cmd:op read op://a/b/c}":              "${cmd:op read op://a/b/c}",
		"Bearer ${cmd:pass show a}":              "Bearer ${cmd:pass show a}",
		"${cmd:vault read -token=s3cret kv/a}":   "${cmd:vault read -token=[masked] kv/a}",
		"${cmd:op read --note x --token s3cret}": "${cmd:op read --note x --token [masked]}",
		"${cmd:op 's3cret}":                      "${cmd:…}",
	} {
		c := Config{Servers: Servers{{
			Name:    "a",
			Command: "x",
			Env:     map[string]string{"T": in},
			Args:    []string{in},
		}}}
		c.Mask()
		if got := c.Servers[0].Env["T"]; got != want {
			t.Errorf("%s is shown as %s", in, got)
		}
	}
	c := Config{Servers: Servers{{Name: "a", Command: "x", Args: []string{"${cmd:op read op://a/b/c}"}}}}
	if c.Mask(); c.Servers[0].Args[0] != "${cmd:op read op://a/b/c}" {
		t.Errorf("an argument is shown as %q", c.Servers[0].Args)
	}
}
