package token_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpproxy"
	"mcpproxy/internal/token"
)

func open(t *testing.T, ended func(string)) (*token.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens.json")
	s, err := token.Open(path, ended)
	if err != nil {
		t.Fatal(err)
	}
	return s, path
}

func TestATokenIsFoundByItsPlainFormAlone(t *testing.T) {
	s, path := open(t, nil)
	plain, made, err := s.Create(token.Spec{Name: "ci", Scope: token.Scope{Servers: []string{"github"}}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(plain, token.Prefix) || len(plain) != len(token.Prefix)+43 {
		t.Errorf("the plain form is %q", plain)
	}
	if got, ok := s.Find(plain); !ok || got.Name != "ci" || got.Role != token.Agent || made.Name != "ci" {
		t.Errorf("found %+v, %t", got, ok)
	}
	for name, wrong := range map[string]string{
		"nothing":            "",
		"the prefix":         token.Prefix,
		"one letter less":    plain[:len(plain)-1],
		"one letter more":    plain + "A",
		"another case":       strings.ToUpper(plain),
		"without its prefix": strings.TrimPrefix(plain, token.Prefix),
	} {
		if _, ok := s.Find(wrong); ok {
			t.Errorf("%s opens", name)
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), plain[len(token.Prefix):]) {
		t.Error("the file holds the plain form")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	listed, err := json.Marshal(s.List())
	if err != nil || strings.Contains(string(listed), "sha256") ||
		!strings.Contains(string(listed), `"servers":["github"]`) {
		t.Errorf("the list is %s, %v", listed, err)
	}
}

func TestTokensOutliveTheDaemon(t *testing.T) {
	s, path := open(t, nil)
	plain, _, err := s.Create(
		token.Spec{
			Name: "ci",
			Scope: token.Scope{
				Tools:      []string{"github:create_issue"},
				Operations: []mcpproxy.Operation{mcpproxy.Write},
			},
			Expires: time.Now().Add(time.Hour),
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := s.Find(plain)
	again, err := token.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := again.Find(plain); !ok || cmp.Diff(want.Scope, got.Scope) != "" || !got.Expires.Equal(want.Expires) {
		t.Errorf("after a restart it is %+v, %t", got, ok)
	}
}

func TestWhatIsRevokedIsGoneAtOnce(t *testing.T) {
	var ended []string
	s, path := open(t, func(name string) { ended = append(ended, name) })
	plain, _, err := s.Create(token.Spec{Name: "ci"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Revoke("cu"); !errors.Is(err, token.ErrUnknown) {
		t.Errorf("an unknown name: %v", err)
	}
	if err := s.Revoke("ci"); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Find(plain); ok {
		t.Error("it is still found")
	}
	if _, ok := s.Named("ci"); ok {
		t.Error("its principal is still known")
	}
	if diff := cmp.Diff([]string{"ci"}, ended); diff != "" {
		t.Error(diff)
	}
	if raw, err := os.ReadFile(path); err != nil || strings.Contains(string(raw), `"ci"`) {
		t.Errorf("the file is %s, %v", raw, err)
	}
}

// A revoked token that could not be removed from the file stays revoked when the file is read again.
func TestWhatIsRevokedStaysRevokedWhenTheDiskFails(t *testing.T) {
	s, path := open(t, nil)
	plain, _, err := s.Create(token.Spec{Name: "ci"})
	if err != nil {
		t.Fatal(err)
	}
	folder, away := filepath.Dir(path), filepath.Dir(path)+".away"
	if err := os.Rename(folder, away); err != nil {
		t.Fatal(err)
	}
	if err := s.Revoke("ci"); err == nil {
		t.Fatal("nothing could be written, and nobody is told")
	}
	if err := os.Rename(away, folder); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Find(plain); ok || len(s.List()) > 0 {
		t.Error("the token is back")
	}
	if _, _, err := s.Create(token.Spec{Name: "other"}); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(path); err != nil || strings.Contains(string(raw), `"ci"`) {
		t.Errorf("the next file is %s, %v", raw, err)
	}
}

func TestAnExpiredTokenIsNotFound(t *testing.T) {
	s, _ := open(t, nil)
	plain, _, err := s.Create(token.Spec{Name: "ci", Expires: time.Now().Add(2 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Find(plain); !ok {
		t.Fatal("it does not open while it should")
	}
	s.At(time.Now().Add(2 * time.Hour))
	if _, ok := s.Find(plain); ok {
		t.Error("it still opens")
	}
	if _, ok := s.Named("ci"); ok {
		t.Error("its principal still may call")
	}
	if len(s.List()) != 1 {
		t.Error("it is not listed, so that nobody can see why it does not open")
	}
}

func TestWhenATokenWasUsedIsKnownToTheHour(t *testing.T) {
	s, path := open(t, nil)
	plain, _, err := s.Create(token.Spec{Name: "ci"})
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2026, 3, 1, 12, 34, 56, 0, time.UTC)
	s.At(noon)
	s.Find(plain)
	if got := s.List()[0].Used; !got.Equal(noon.Truncate(time.Hour)) {
		t.Errorf("used %s", got)
	}
	before, _ := os.Stat(path)
	s.At(noon.Add(20 * time.Minute))
	s.Find(plain)
	if after, _ := os.Stat(path); !os.SameFile(before, after) {
		t.Error("a second use within the hour writes the file again")
	}
}

func TestAChangeOfTheFileIsTakenUp(t *testing.T) {
	var ended []string
	s, path := open(t, func(name string) { ended = append(ended, name) })
	plain, _, _ := s.Create(token.Spec{Name: "ci"})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err == nil {
		t.Error("a damaged file is taken")
	}
	if _, ok := s.Find(plain); !ok {
		t.Error("a damaged file takes the tokens out of force")
	}
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err != nil || len(ended) > 0 {
		t.Errorf("the same file: %v, ended %v", err, ended)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(good), `"agent"`, `"auditor"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err != nil || len(ended) != 1 {
		t.Errorf("what its bearer opened in another role goes on: %v, ended %v", err, ended)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Find(plain); ok || len(ended) != 2 {
		t.Errorf("the file is gone and the token opens: %t, ended %v", ok, ended)
	}
}

func TestInvalidTokensAreNotCreated(t *testing.T) {
	s, path := open(t, nil)
	if _, _, err := s.Create(token.Spec{Name: "ci"}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spec token.Spec
		want error
	}{
		"no name":                     {token.Spec{}, token.ErrSpec},
		"a name with a border in it":  {token.Spec{Name: "a:b"}, token.ErrSpec},
		"a path":                      {token.Spec{Name: "../x"}, token.ErrSpec},
		"a long name":                 {token.Spec{Name: strings.Repeat("a", 65)}, token.ErrSpec},
		"the owner's name":            {token.Spec{Name: "Local"}, token.ErrSpec},
		"a name that is taken":        {token.Spec{Name: "ci"}, token.ErrExists},
		"the same in another case":    {token.Spec{Name: "CI"}, token.ErrExists},
		"an unknown role":             {token.Spec{Name: "x", Role: "admin"}, token.ErrSpec},
		"a limited auditor":           {token.Spec{Name: "x", Role: token.Auditor, Scope: token.Scope{Servers: []string{"a"}}}, token.ErrSpec},
		"a tool without its server":   {token.Spec{Name: "x", Scope: token.Scope{Tools: []string{"post"}}}, token.ErrSpec},
		"a server with a tool":        {token.Spec{Name: "x", Scope: token.Scope{Servers: []string{"a:b"}}}, token.ErrSpec},
		"an operation that is none":   {token.Spec{Name: "x", Scope: token.Scope{Operations: []mcpproxy.Operation{"unknown"}}}, token.ErrSpec},
		"an end that has come before": {token.Spec{Name: "x", Expires: time.Now().Add(-time.Second)}, token.ErrSpec},
	} {
		plain, _, err := s.Create(c.spec)
		if !errors.Is(err, c.want) || plain != "" {
			t.Errorf("%s: %v, and a plain form of %d letters", name, err, len(plain))
		}
	}
	if again, err := token.Open(path, nil); err != nil || len(again.List()) != 1 {
		t.Errorf("%v", err)
	}
}

func TestAScopeHoldsForEveryKindOfRequest(t *testing.T) {
	call := func(kind mcpproxy.Kind, server, name string) mcpproxy.Call {
		return mcpproxy.Call{Kind: kind, Server: server, Tool: name}
	}
	tool := call(mcpproxy.KindTool, "github", "create_issue")
	for _, c := range []struct {
		name  string
		scope token.Scope
		call  mcpproxy.Call
		op    mcpproxy.Operation
		in    bool
	}{
		{"no limits", token.Scope{}, tool, mcpproxy.Destructive, true},
		{"the server", token.Scope{Servers: []string{"github"}}, tool, mcpproxy.Write, true},
		{"another server", token.Scope{Servers: []string{"gitlab"}}, tool, mcpproxy.Write, false},
		{"the tool", token.Scope{Tools: []string{"github:create_issue"}}, tool, mcpproxy.Write, true},
		{"another tool of the server", token.Scope{Tools: []string{"github:list"}}, tool, mcpproxy.Write, false},
		{"a server, and a tool of another", token.Scope{Servers: []string{"gitlab"}, Tools: []string{"github:create_issue"}}, tool, mcpproxy.Write, true},
		{"the operation", token.Scope{Operations: []mcpproxy.Operation{mcpproxy.Write}}, tool, mcpproxy.Write, true},
		{"another operation", token.Scope{Operations: []mcpproxy.Operation{mcpproxy.Read}}, tool, mcpproxy.Write, false},
		{"nobody knows what it does", token.Scope{Operations: []mcpproxy.Operation{mcpproxy.Read}}, tool, mcpproxy.UnknownOperation, false},
		{"nobody knows, and writing is allowed", token.Scope{Operations: []mcpproxy.Operation{mcpproxy.Write}}, tool, mcpproxy.UnknownOperation, true},
		{"a resource of the server", token.Scope{Servers: []string{"github"}}, call(mcpproxy.KindResource, "github", "file:///x"), "", true},
		{"a resource beside the tool", token.Scope{Tools: []string{"github:list"}}, call(mcpproxy.KindResource, "github", "file:///x"), "", false},
		{"a prompt beside the tool", token.Scope{Tools: []string{"github:list"}}, call(mcpproxy.KindPrompt, "github", "p"), "", false},
		{"a resource named like the tool", token.Scope{Tools: []string{"github:list"}}, call(mcpproxy.KindResource, "github", "list"), "", false},
		{"a resource when only writing is allowed", token.Scope{Operations: []mcpproxy.Operation{mcpproxy.Write}}, call(mcpproxy.KindResource, "github", "x"), "", false},
		{"the handshake with a server of which a tool is in scope", token.Scope{Tools: []string{"github:list"}}, call(mcpproxy.KindMethod, "github", "initialize"), "", true},
		{"the handshake with another", token.Scope{Tools: []string{"github:list"}}, call(mcpproxy.KindMethod, "vault", "initialize"), "", false},
		{"an unknown method beside the tool", token.Scope{Tools: []string{"github:list"}}, call(mcpproxy.KindMethod, "github", "x/wipe"), "", false},
		{"an unknown method when only reading is allowed", token.Scope{Operations: []mcpproxy.Operation{mcpproxy.Read}}, call(mcpproxy.KindMethod, "github", "x/wipe"), "", false},
		{"a watched resource when only reading is allowed", token.Scope{Operations: []mcpproxy.Operation{mcpproxy.Read}}, call(mcpproxy.KindMethod, "github", "resources/subscribe"), "", true},
		{"an answer to a server that is not in scope", token.Scope{Servers: []string{"gitlab"}}, call(mcpproxy.KindAnswer, "github", "elicitation/create"), "", false},
	} {
		reason := token.Token{Name: "ci", Role: token.Agent, Scope: c.scope}.Refuses(&c.call, c.op)
		if (reason == "") != c.in {
			t.Errorf("%s: %q", c.name, reason)
		}
		if reason != "" && !strings.Contains(reason, `"ci"`) {
			t.Errorf("%s: the reason does not name the token: %s", c.name, reason)
		}
	}
}

func TestWhatTheAgentSaysItselfCountsToo(t *testing.T) {
	only := token.Token{
		Name:  "ci",
		Role:  token.Agent,
		Scope: token.Scope{Operations: []mcpproxy.Operation{mcpproxy.Read}},
	}
	c := mcpproxy.Call{
		Kind:   mcpproxy.KindTool,
		Server: "a",
		Tool:   "b",
		Intent: mcpproxy.Intent{Operation: mcpproxy.Destructive},
	}
	if only.Refuses(&c, mcpproxy.Read) == "" {
		t.Error("a call that calls itself destructive passes")
	}
}

func TestAnAuditorCallsNothing(t *testing.T) {
	c := mcpproxy.Call{Kind: mcpproxy.KindTool, Server: "a", Tool: "b"}
	if (token.Token{Name: "eve", Role: token.Auditor}).Refuses(&c, mcpproxy.Read) == "" {
		t.Error("it calls a tool")
	}
}

// A narrower scope never permits a call that a wider one refuses.
func TestScopesOnlyNarrow(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "b", "c"})
	ops := rapid.SampledFrom([]mcpproxy.Operation{mcpproxy.Read, mcpproxy.Write, mcpproxy.Destructive})
	kinds := rapid.SampledFrom(
		[]mcpproxy.Kind{
			mcpproxy.KindTool,
			mcpproxy.KindResource,
			mcpproxy.KindPrompt,
			mcpproxy.KindCompletion,
			mcpproxy.KindAnswer,
			mcpproxy.KindMethod,
		},
	)
	rapid.Check(t, func(t *rapid.T) {
		wide := token.Scope{
			Servers:    rapid.SliceOfN(names, 1, 3).Draw(t, "servers"),
			Operations: rapid.SliceOfN(ops, 1, 3).Draw(t, "operations"),
		}
		narrow := token.Scope{Operations: wide.Operations[:rapid.IntRange(1, len(wide.Operations)).Draw(t, "kept")]}
		for _, server := range wide.Servers {
			narrow.Tools = append(narrow.Tools, server+":"+names.Draw(t, "tool"))
		}
		c := mcpproxy.Call{
			Kind:   kinds.Draw(t, "kind"),
			Server: names.Draw(t, "server"),
			Tool:   rapid.SampledFrom([]string{"a", "b", "initialize", "resources/read", "x/y"}).Draw(t, "name"),
		}
		op := ops.Draw(t, "operation")
		if (token.Token{Scope: narrow}).Refuses(&c, op) == "" && (token.Token{Scope: wide}).Refuses(&c, op) != "" {
			t.Fatalf("%+v passes the narrower scope alone", c)
		}
	})
}

func FuzzTheFileMakesNoKeysOfNonsense(f *testing.F) {
	f.Add(
		[]byte(
			`{"version":1,"tokens":[{"name":"ci","role":"agent","created":"2026-03-01T12:00:00Z","sha256":"` + strings.Repeat(
				"ab",
				32,
			) + `"}]}`,
		),
	)
	f.Add(
		[]byte(
			`{"version":1,"tokens":[{"name":"local","role":"agent","created":"2026-03-01T12:00:00Z","sha256":"` + strings.Repeat(
				"ab",
				32,
			) + `"}]}`,
		),
	)
	f.Add([]byte(`{"version":1,"tokens":[],"tokens":[]}`))
	f.Add([]byte(``))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "tokens.json")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := token.Open(path, nil)
		if err != nil {
			return
		}
		for _, got := range s.List() {
			if got.Name == "" || got.Name == "local" || strings.Contains(got.Name, ":") ||
				got.Role != token.Agent && got.Role != token.Auditor {
				t.Errorf("a key was made of %+v", got)
			}
		}
		if _, _, err := s.Create(token.Spec{Name: "fuzz-made"}); err == nil {
			if _, err := token.Open(path, nil); err != nil {
				t.Errorf("what was written cannot be read: %v", err)
			}
		}
	})
}

func TestWhenATokenExpires(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for said, want := range map[string]time.Time{
		"":                     now.Add(token.Life),
		"never":                {},
		"30d":                  now.AddDate(0, 0, 30),
		"12h":                  now.Add(12 * time.Hour),
		"5m":                   now.Add(5 * time.Minute),
		"2027-01-31":           time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC),
		"2026-03-02T00:00:00Z": time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC),
	} {
		if got, err := token.ParseExpiry(said, now); err != nil || !got.Equal(want) {
			t.Errorf("%q is %s, %v", said, got, err)
		}
	}
	for _, wrong := range []string{"d", "0d", "-1d", "30", "1.5d", "99999999d", "soon", "30 d", "ü", "0001-01-01", "0001-01-01T00:00:00Z"} {
		if got, err := token.ParseExpiry(wrong, now); !errors.Is(err, token.ErrSpec) {
			t.Errorf("%q is %s, %v", wrong, got, err)
		}
	}
}

func TestWhatOneOfSeveralScopesPermitsIsPermitted(t *testing.T) {
	reads := token.Scope{Operations: []mcpproxy.Operation{mcpproxy.Read}}
	chats := token.Scope{Servers: []string{"chat"}}
	lists := token.Scope{Tools: []string{"notes:list"}}
	for name, c := range map[string]struct {
		scopes  token.Scopes
		server  string
		tool    string
		op      mcpproxy.Operation
		refused string // part of the reason; "" if it is permitted
	}{
		"by the first":                   {token.Scopes{reads, chats}, "notes", "list", mcpproxy.Read, ""},
		"by the second":                  {token.Scopes{reads, chats}, "chat", "post", mcpproxy.Write, ""},
		"by halves of two":               {token.Scopes{reads, chats}, "notes", "post", mcpproxy.Write, "all servers (read only); or chat"},
		"by a tool":                      {token.Scopes{lists}, "notes", "list", mcpproxy.Write, ""},
		"by a tool of the server":        {token.Scopes{lists}, "notes", "post", mcpproxy.Read, "notes:list"},
		"by no scope":                    {nil, "notes", "list", mcpproxy.Read, "no longer"},
		"by a scope that limits nothing": {token.Scopes{chats, {}}, "notes", "list", mcpproxy.Destructive, ""},
	} {
		why := c.scopes.Refuses(&mcpproxy.Call{
			Kind:      mcpproxy.KindTool,
			Principal: "oidc/ann",
			Server:    c.server,
			Tool:      c.tool,
		}, c.op)
		if (why == "") != (c.refused == "") || !strings.Contains(why, c.refused) {
			t.Errorf("%s: the reason is %q, want %q", name, why, c.refused)
		}
	}
	if !(token.Scopes{reads, chats}).Permits(mcpproxy.Write) || (token.Scopes{reads}).Permits(mcpproxy.Write) || (token.Scopes{}).Permits(mcpproxy.Read) {
		t.Error("operations are permitted by other scopes than those that there are")
	}
}
