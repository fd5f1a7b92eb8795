package install_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"

	"mcpproxy/internal/hook/install"
)

// gap draws spaces, comments and line ends.
func gap(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", " ", "\n", "\n  ", "\r\n\t", " // a note\n", " /* a note */ ", "\n\n  // two\n  // lines \n  "}).
		Draw(t, "gap")
}

func commas(t *rapid.T, open, shut string, elements []string) string {
	out := open
	for i, e := range elements {
		out += gap(t) + e + gap(t)
		if i < len(elements)-1 || rapid.IntRange(0, 4).Draw(t, "trailing") == 0 {
			out += ","
		}
	}
	return out + gap(t) + shut
}

var scalars = []string{`1e999`, `"mcpproxy"`, `"a\u0000\/b"`, `true`, `null`, `{}`, `[ ]`, `"x mcpproxy-hooked y"`}

func object(t *rapid.T, names []string, value func(name string) string) string {
	var members []string
	for _, n := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, len(names), rapid.ID[string]).Draw(t, "names") {
		members = append(members, `"`+n+`"`+gap(t)+":"+gap(t)+value(n))
	}
	return commas(t, "{", "}", members)
}

// settingsFile draws a settings file in a random style.
func settingsFile(t *rapid.T) string {
	scalar := func(string) string { return rapid.SampledFrom(scalars).Draw(t, "scalar") }
	hook := func() string {
		return `{"type": "command", "command": "` + rapid.SampledFrom([]string{"lint", "say hi", "mcpproxy status"}).
			Draw(t, "command") +
			`"}`
	}
	list := func(string) string {
		var groups []string
		for range rapid.IntRange(0, 2).Draw(t, "groups") {
			groups = append(groups, `{"matcher":"Bash","hooks":`+commas(t, "[", "]", []string{hook()})+`}`)
		}
		return commas(t, "[", "]", groups)
	}
	root := object(t, []string{"model", "hooks", "version", "env"}, func(name string) string {
		if name == "hooks" {
			return object(t, []string{"PreToolUse", "PostToolUse", "Stop", "BeforeTool", "preToolUse"}, list)
		}
		return scalar(name)
	})
	return rapid.SampledFrom([]string{"", "\xef\xbb\xbf", " \n", "// mine\n"}).Draw(t, "head") + root + gap(t)
}

// Shows: FR-048.
func TestUninstallingRestoresEveryByte(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		env := world(rt, dir)
		agent := rapid.SampledFrom([]string{"claude-code", "codex", "gemini-cli", "cursor", "copilot", "goose"}).
			Draw(rt, "agent")
		p, err := install.At(env, agent, install.Project)
		if err != nil {
			rt.Fatal(err)
		}
		mine := settingsFile(rt)
		put(t, p.Path, mine)
		plan, err := p.Install(program)
		if err != nil {
			rt.Fatalf("%v\n%s", err, mine)
		}
		if err := plan.Apply(); err != nil {
			rt.Fatal(err)
		}
		written := content(t, p.Path)
		holds(rt, mine, written)
		again, err := p.Install(program)
		if err != nil || again.Action != install.Unchanged {
			rt.Fatalf("again: %s, %v\n%s", again.Action, err, again.Diff())
		}
		back, err := p.Uninstall()
		if err != nil {
			rt.Fatal(err)
		}
		if err := back.Apply(); err != nil {
			rt.Fatal(err)
		}
		if got := content(t, p.Path); got != mine {
			rt.Fatalf("got %q\nwant %q\nafter %q", got, mine, written)
		}
	})
}

// Without the backup from before the installation, uninstalling keeps the user's content, but not necessarily every
// byte.
func TestUninstallingWithoutACopyTakesOnlyOurs(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		env := world(rt, dir)
		p, err := install.At(
			env,
			rapid.SampledFrom([]string{"claude-code", "gemini-cli", "cursor"}).Draw(rt, "agent"),
			install.Project,
		)
		if err != nil {
			rt.Fatal(err)
		}
		mine := settingsFile(rt)
		put(t, p.Path, mine)
		plan, err := p.Install(program)
		if err != nil {
			rt.Fatal(err)
		}
		if err := plan.Apply(); err != nil {
			rt.Fatal(err)
		}
		if err := os.RemoveAll(env.Backups); err != nil {
			rt.Fatal(err)
		}
		back, err := p.Uninstall()
		if err != nil {
			rt.Fatal(err)
		}
		if err := back.Apply(); err != nil {
			rt.Fatal(err)
		}
		left := content(t, p.Path)
		if p.Status().Installed != "no" {
			rt.Fatalf("something of ours is left:\n%s", left)
		}
		for _, note := range []string{"// a note", "/* a note */", "// two", "// mine"} {
			if strings.Count(left, note) != strings.Count(mine, note) {
				rt.Fatalf("%q is lost:\n%s\nof\n%s", note, left, mine)
			}
		}
		if got, want := bare(rt, left), bare(rt, mine); got != want {
			rt.Fatalf("got %s\nwant %s", got, want)
		}
	})
}

// bare returns a file without comments, spaces and empty lists.
func bare(t *rapid.T, file string) string {
	raw, err := hujson.Minimize(bytes.TrimPrefix([]byte(file), []byte("\xef\xbb\xbf")))
	if err != nil {
		t.Fatalf("%v\n%s", err, file)
	}
	out := string(raw)
	for _, empty := range []string{`"version":1`, `"PreToolUse":[]`, `"PostToolUse":[]`, `"BeforeTool":[]`, `"preToolUse":[]`, `"hooks":{}`} {
		for _, s := range []string{"," + empty, empty + ",", empty} {
			out = strings.ReplaceAll(out, s, "")
		}
	}
	return out
}

// holds checks that a file contains all lines of another, in order.
func holds(t *rapid.T, mine, written string) {
	rest := written
	for _, word := range strings.Fields(strings.NewReplacer(",", " ", "{", " ", "}", " ", "[", " ", "]", " ", ":", " ").Replace(mine)) {
		i := strings.Index(rest, word)
		if i < 0 {
			t.Fatalf("%q is lost:\n%s\nof\n%s", word, written, mine)
		}
		rest = rest[i+len(word):]
	}
	if _, err := hujson.Parse(bytes.TrimPrefix([]byte(written), []byte("\xef\xbb\xbf"))); err != nil {
		t.Fatalf("%v\n%s", err, written)
	}
}

// Whatever a file contains, it is either refused and unchanged, or uninstalling restores it.
func FuzzInstall(f *testing.F) {
	for _, s := range []string{"", "{}", "{\"hooks\": {\"PreToolUse\": [{\"hooks\": []}, 1]}}", "{/*a*/\"hooks\"//b\n:{}\r\n,}", "[1", "\xef\xbb\xbf{ }", "{\"a\":1}{"} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, mine []byte) {
		p := at(t, world(t, dir), "claude-code", install.Project)
		put(t, p.Path, string(mine))
		if p.Status().Installed != "no" {
			return // it already has our hooks
		}
		plan, err := p.Install(program)
		if err != nil {
			if !strings.Contains(err.Error(), "nothing was changed") {
				t.Fatal(err)
			}
			return
		}
		apply(t, plan, nil)
		if s := p.Status(); s.Installed != "yes" {
			t.Fatalf("afterwards: %+v\n%s", s, content(t, p.Path))
		}
		plan, err = p.Uninstall()
		apply(t, plan, err)
		if got := content(t, p.Path); got != string(mine) {
			t.Fatalf("got %q, want %q", got, mine)
		}
	})
}
