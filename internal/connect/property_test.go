package connect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"pgregory.net/rapid"

	"mcpproxy/internal/connect"
	"mcpproxy/internal/settings"
)

// meaning returns the parsed content of a file, without our entry, and without the list if nothing else is in it. It
// returns nil if the file cannot be parsed.
func meaning(path string, raw []byte) map[string]any {
	doc := map[string]any{}
	list := "mcpServers"
	if filepath.Ext(path) == ".toml" {
		list = "mcp_servers"
		if toml.Unmarshal(raw, &doc) != nil {
			return nil
		}
	} else if raw, err := hujson.Standardize(bytes.Clone(raw)); err != nil || json.Unmarshal(raw, &doc) != nil {
		return nil
	}
	if servers, ok := doc[list].(map[string]any); ok {
		if delete(servers, "mcpproxy"); len(servers) == 0 {
			delete(doc, list)
		}
	}
	return doc
}

// holds checks the invariants of one file: all other content stays, connecting twice has the same result as connecting
// once, and disconnecting restores the file. If the file is strange, connecting may instead fail and ask the user to
// change the file by hand. It must then leave the file unchanged.
func holds(t interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}, env settings.Env, agent string, before []byte, strange bool) {
	t.Helper()
	p, err := connect.At(env, agent, settings.User)
	if err != nil {
		t.Fatal(err)
	}
	write := func(raw []byte) {
		if err := os.MkdirAll(filepath.Dir(p.Path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p.Path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func() []byte {
		raw, err := os.ReadFile(p.Path)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	do := func(plan connect.Plan, err error) connect.Action {
		was := read()
		if err == nil {
			err = plan.Apply()
		}
		if err != nil && (!strange || !strings.Contains(err.Error(), "by hand") || !bytes.Equal(was, read())) {
			t.Fatal(err)
		}
		return plan.Action
	}
	write(before)
	plan, err := p.Connect(bridge)
	if err != nil {
		if got := read(); string(got) != string(before) {
			t.Fatalf("%v, and yet %q became %q", err, before, got)
		}
		return
	}
	was := do(plan, nil)
	after := read()
	if !reflect.DeepEqual(meaning(p.Path, before), meaning(p.Path, after)) &&
		len(strings.TrimSpace(string(before))) > 0 {
		t.Fatalf("%q became %q", before, after)
	}
	if all, err := p.Servers(); err != nil || !contains(all) {
		t.Fatalf("the servers are %v, %v", all, err)
	}
	if again := do(p.Connect(bridge)); again != connect.Unchanged {
		t.Fatalf("the second time it was %s: %q", again, read())
	}
	do(p.Disconnect())
	if got := read(); was == connect.Connected && string(got) != string(before) {
		t.Fatalf("%q came back as %q", before, got)
	}
	write(append(after, '\n')) // another program has changed it since
	do(p.Connect(bridge))
	write(append(read(), '\n'))
	do(p.Disconnect())
	if got := read(); !reflect.DeepEqual(meaning(p.Path, before), meaning(p.Path, got)) &&
		len(strings.TrimSpace(string(before))) > 0 {
		t.Fatalf("%q came back as %q", before, got)
	}
}

func contains(all []connect.Server) bool {
	for _, s := range all {
		if s.Name == connect.Name && s.Leads(listen) {
			return true
		}
	}
	return false
}

// aTOML generates a file of Codex, with comments, blank lines and tables in any order.
func aTOML(t *rapid.T) string {
	name := rapid.SampledFrom([]string{"files", `"my server"`, "mcpproxy2", "'x.y'"})
	var b strings.Builder
	piece := func(s string) {
		b.WriteString(
			s + rapid.SampledFrom([]string{"\n", "\n\n", "  # note\n", "\n# [mcp_servers.mcpproxy]\n"}).Draw(t, "end"),
		)
	}
	if rapid.Bool().Draw(t, "top") {
		piece(`model = "gpt-5"`)
		piece("notes = \"\"\"\ntext\n[mcp_servers.mcpproxy]\n\"\"\"")
	}
	for i, n := range rapid.SliceOfNDistinct(name, 0, 4, rapid.ID).Draw(t, "servers") {
		piece("[mcp_servers." + n + "]")
		piece(fmt.Sprintf("command = %q", rapid.StringMatching(`[a-z/ ]{0,8}`).Draw(t, "command")))
		piece("args = [\n  \"-y\", # yes\n  \"b\",\n]")
		if rapid.Bool().Draw(t, "env") {
			piece("[mcp_servers." + n + ".env]")
			piece(fmt.Sprintf("A%d = \"b\"", i))
		}
	}
	if rapid.Bool().Draw(t, "ours") {
		piece("[ mcp_servers . \"mcpproxy\" ]")
		piece("command = \"mcpproxy\"")
		piece("args = [\"stdio\", \"--all\"]")
		if rapid.Bool().Draw(t, "within") {
			piece("[mcp_servers.mcpproxy.env]")
			piece("MCPPROXY_TOKEN = \"x\"")
		}
	}
	if rapid.Bool().Draw(t, "last") {
		piece("[profiles.fast]")
		piece("model = 'x'")
	}
	s := b.String()
	if rapid.Bool().Draw(t, "windows") {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	if rapid.Bool().Draw(t, "cut") {
		s = strings.TrimRight(s, "\r\n")
	}
	return s
}

func TestTheInvariantsHoldForTOML(t *testing.T) {
	dir := t.TempDir()
	env := world(t, dir)
	rapid.Check(t, func(t *rapid.T) { holds(t, env, "codex", []byte(aTOML(t)), false) })
}

// aJSON generates a file of an editor, with comments and unusual formatting.
func aJSON(t *rapid.T) string {
	blank := rapid.SampledFrom([]string{"", " ", "\n  ", "\n    ", "\r\n\t", " // note\n  ", " /* note */ "})
	space := func() string { return blank.Draw(t, "blank") }
	var members []string
	for _, n := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"files", "my server", "mcpproxy", "ü"}), 0, 3, rapid.ID).Draw(t, "servers") {
		command := `"npx"`
		if n == "mcpproxy" {
			command = `"mcpproxy", "args": ["stdio", "--all"]`
		}
		members = append(members, space()+fmt.Sprintf("%q:", n)+space()+`{"command": `+command+space()+"}")
	}
	comma := rapid.SampledFrom([]string{"", ","}).Draw(t, "comma")
	if len(members) == 0 {
		comma = ""
	}
	list := "{" + strings.Join(members, space()+",") + comma + space() + "}"
	out := "{" + space()
	if rapid.Bool().Draw(t, "before") {
		out += `"a": 1` + space() + "," + space()
	}
	out += `"mcpServers":` + space() + list
	if rapid.Bool().Draw(t, "after") {
		out += space() + `,` + space() + `"z": [1, 2]`
	}
	return out + space() + "}" + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
}

func TestTheInvariantsHoldForJSON(t *testing.T) {
	dir := t.TempDir()
	env := world(t, dir)
	rapid.Check(t, func(t *rapid.T) { holds(t, env, "cursor", []byte(aJSON(t)), false) })
}

func FuzzAFileOfAnAgent(f *testing.F) {
	f.Add(
		[]byte(
			"[mcp_servers.mcpproxy]\ncommand = \"mcpproxy\"\nargs = [\"stdio\"]\n# end\n[x]\na = '''\n[mcp_servers.mcpproxy]\n'''\n",
		),
		true,
	)
	f.Add([]byte("{\n  // mine\n  \"mcpServers\": {\"a\": {\"command\": \"x\"},}, // and\n}"), false)
	f.Add([]byte("mcp_servers = {mcpproxy = {command = \"mcpproxy\", args = [\"stdio\"]}}"), true)
	f.Fuzz(func(t *testing.T, raw []byte, isTOML bool) {
		agent := "cursor"
		if isTOML {
			agent = "codex"
		}
		env := world(t, t.TempDir())
		holds(t, env, agent, raw, true)
		for _, file := range []string{"a.json", "a.toml", "a.yaml"} {
			path := filepath.Join(env.Project, file)
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			if all, err := connect.ReadFile(env, path); err == nil {
				for _, s := range all {
					_ = s.Leads(listen)
				}
			}
		}
	})
}
