package daemon

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpproxy"
	"mcpproxy/internal/bundle"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/home"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/policy"
)

// signer signs bundles in a test.
type signer struct {
	t   *testing.T
	key bundle.PrivateKey
}

// newSigner makes this machine a managed one until the test ends.
func newSigner(t *testing.T, source, onExpiry string) signer {
	t.Helper()
	key, err := bundle.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "managed.json")
	text := fmt.Sprintf(`{"source": %q, "public_keys": [%q], "on_expiry": %q, "refresh_secs": 1}`, source, key.Public(), onExpiry)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MCPPROXY_TEST_MANAGED_FILE", path)
	return signer{t, key}
}

// signs returns a signed bundle with the given version and further members.
func (c signer) signs(version int, expires time.Time, more string) []byte {
	c.t.Helper()
	b, err := bundle.Build([]byte(fmt.Sprintf(`{"name": "acme-2026-11", "version": %d, "expires": %q%s}`,
		version, expires.UTC().Format(time.RFC3339Nano), more)))
	if err != nil {
		c.t.Fatal(err)
	}
	raw, err := bundle.Sign(b, time.Now(), c.key)
	if err != nil {
		c.t.Fatal(err)
	}
	return raw
}

// posts makes the agent post a message, and returns the answer.
func (w *watched) posts() string {
	w.t.Helper()
	out, err := w.agent.CallTool(w.t.Context(), &mcp.CallToolParams{
		Name:      "call_tool_write",
		Arguments: map[string]any{"name": "chat:post_message", "args_json": `{"channel": "#x", "text": "hello"}`},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range out.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// hearsOf waits until the answer to posting a message contains a text.
func (w *watched) hearsOf(text string) {
	w.t.Helper()
	last := ""
	defer func() {
		if w.t.Failed() {
			w.t.Logf("the last answer is %q", last)
		}
	}()
	eventually.True(w.t, "the answer: "+text, func() bool {
		last = w.posts()
		return strings.Contains(last, text)
	})
}

// lastCall returns the newest record of a call.
func (w *watched) lastCall() (last *mcpproxy.Record) {
	w.t.Helper()
	q := ledger.Filter{Types: []mcpproxy.RecordType{mcpproxy.RecordToolCall, mcpproxy.RecordPolicyDecision}}
	err := w.log.store.Scan(w.t.Context(), q, func(r *mcpproxy.Record) error {
		if last == nil || r.ID > last.ID {
			last = r
		}
		return nil
	})
	if err != nil || last == nil {
		w.t.Fatalf("there is no record of a call: %v", err)
	}
	return last
}

const noChat = `, "config": {"security": {"policies": [
	{"name": "no-chat", "when": "call.server == 'chat'", "then": "deny", "reason": "Chats are for people."}
]}}`

const passes = "posted"

func TestABundleInAFolderIsAppliedWithoutARestartAndCannotBeUndone(t *testing.T) {
	folder := t.TempDir()
	acme := newSigner(t, folder, "deny")
	later := time.Now().Add(time.Hour)
	put := func(raw []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, bundle.FileName), raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := newWatched(t)
	w.hearsOf("it denies every call until it has its company's bundle")
	put(acme.signs(6, later, ""))
	w.hearsOf(passes)
	put(acme.signs(7, later, noChat))
	w.hearsOf("Your company's bundle acme-2026-11 v7 denies this: rule no-chat: Chats are for people.")
	r := w.lastCall()
	if r.Metadata.Ruled == nil || r.Metadata.Ruled.Bundle != "acme-2026-11 v7" || r.Rule != "security.policies.no-chat" {
		t.Errorf("the record has the rule %s, ruled %+v", r.Rule, r.Metadata.Ruled)
	}
	remedy := policy.RemedyFor(r)
	if remedy.JSON != "" || !strings.Contains(remedy.Meaning, "Your company's bundle acme-2026-11 v7 denies this: rule no-chat.") {
		t.Errorf("explain says %+v", remedy)
	}
	for name, wider := range map[string]string{
		"a rule of the user's":      `"policies": [{"name": "all", "when": "true", "then": "allow"}]`,
		"a rule with the same name": `"policies": [{"name": "no-chat", "when": "true", "then": "allow"}]`,
		"an override":               `"flow_policy": {"tool_overrides": {"chat": "allow", "chat:post_message": "allow"}}`,
		"a suppression of the rule": `"policies": [{"name": "no-chat", "when": "false || call.tool == 'x'", "then": "deny"}], "suppressions": [{"rule": "no-chat", "server": "chat"}]`,
	} {
		w.rewrite(`"security": {`, `"security": {`+wider+`, `)
		if why := w.facts().ConfigError; why != "" {
			t.Errorf("%s: %s", name, why)
		}
		if got := w.posts(); !strings.Contains(got, "bundle acme-2026-11 v7 denies this") {
			t.Errorf("%s lets the call pass: %s", name, got)
		}
		w.rewrite(wider+`, `, "")
	}
	put(acme.signs(5, later, "")) // older, therefore refused
	put([]byte("{}"))
	time.Sleep(time.Second)
	if got := w.posts(); !strings.Contains(got, "bundle acme-2026-11 v7 denies this") {
		t.Errorf("a refused bundle had an effect: %s", got)
	}
	// An invalid configuration file of the user does not keep an older bundle in force.
	good, err := os.ReadFile(w.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.path, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	put(acme.signs(8, later, strings.Replace(noChat, "Chats are", "Chat is", 1)))
	w.hearsOf("acme-2026-11 v8 denies this: rule no-chat: Chat is")
	eventually.True(t, "the user's file is said to be broken", func() bool { return w.facts().ConfigError != "" })
	if err := os.WriteFile(w.path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	put(acme.signs(9, later, ""))
	w.hearsOf(passes)
}

func TestABundleThatExpiresWhileItsServerIsGone(t *testing.T) {
	for onExpiry, want := range map[string]string{
		"deny": "Your company's bundle acme-2026-11 v2 expired on",
		"keep": "bundle acme-2026-11 v2 denies this: rule no-chat",
	} {
		t.Run(onExpiry, func(t *testing.T) {
			var answer atomic.Pointer[[]byte]
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if raw := answer.Load(); raw != nil {
					_, _ = w.Write(*raw)
					return
				}
				http.Error(w, "gone", http.StatusServiceUnavailable)
			}))
			t.Cleanup(srv.Close)
			acme := newSigner(t, srv.URL+"/bundle.json", onExpiry)
			w := newWatched(t)
			first := acme.signs(1, time.Now().Add(time.Hour), "")
			answer.Store(&first)
			w.hearsOf(passes)
			expires := time.Now().Add(6 * time.Second)
			second := acme.signs(2, expires, noChat)
			answer.Store(&second)
			w.hearsOf("bundle acme-2026-11 v2 denies this: rule no-chat")
			answer.Store(nil)
			time.Sleep(time.Until(expires) + 100*time.Millisecond)
			w.hearsOf(want)
		})
	}
}

func TestAServerThatTheBundleDoesNotListIsNotStarted(t *testing.T) {
	folder := t.TempDir()
	acme := newSigner(t, folder, "keep")
	raw := acme.signs(1, time.Now().Add(time.Hour), "")
	if err := os.WriteFile(filepath.Join(folder, bundle.FileName), raw, 0o644); err != nil {
		t.Fatal(err)
	}
	w := newWatched(t)
	w.hearsOf(passes)
	var vault string
	for _, s := range w.Config().Servers {
		if s.Name == "vault" {
			vault = s.URL
		}
	}
	raw = acme.signs(2, time.Now().Add(time.Hour), fmt.Sprintf(`, "servers": [{"name": "vault", "url": %q}]`, vault))
	if err := os.WriteFile(filepath.Join(folder, bundle.FileName), raw, 0o644); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "the server that is not listed to be gone", func() bool { return !w.servers.hasTool("chat", "post_message") })
	if !w.servers.hasTool("vault", "read_secret") {
		t.Error("the listed server was removed, too")
	}
}

func TestAnApprovalOfABundleHoldsForEverybody(t *testing.T) {
	folder := t.TempDir()
	acme := newSigner(t, folder, "deny")
	put := func(raw []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, bundle.FileName), raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const asks = `, "config": {"security": {"tool_policy": {"write": "ask"}}}`
	later := time.Now().Add(time.Hour)
	w := newWatched(t)
	put(acme.signs(1, later, asks))
	w.hearsOf(passes) // no person can be asked, so the call is allowed and logged
	var asked *mcpproxy.Record
	eventually.True(t, "the record of the call", func() bool {
		asked = w.lastCall()
		return asked.Metadata.Ruled.Bundle == "acme-2026-11 v1"
	})
	if asked.Metadata.Ruled.Decision != mcpproxy.Ask || asked.Metadata.Boundary == nil {
		t.Fatalf("ruled is %+v, the boundary %+v", asked.Metadata.Ruled, asked.Metadata.Boundary)
	}
	b := asked.Metadata.Boundary.Clone()
	b.Principal = ""
	raw, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	put(acme.signs(2, later, asks+`, "approvals": [`+string(raw)+`]`))
	eventually.True(t, "the approval", func() bool {
		w.posts()
		last := w.lastCall()
		return last.Metadata.Approval == "bundle acme-2026-11 v2" && last.Metadata.Remembered == mcpproxy.RememberedAlways
	})
	put(acme.signs(3, later, asks))
	eventually.True(t, "the end of the approval", func() bool {
		w.posts()
		return w.lastCall().Metadata.Approval == ""
	})
}

func TestTheHomeOfABundleReplacesTheUsersHome(t *testing.T) {
	folder := t.TempDir()
	acme := newSigner(t, folder, "deny")
	w := newWatched(t)
	e, err := home.Parse("evil.example")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.home.store.Add(e, "the user"); err != nil {
		t.Fatal(err)
	}
	isHome := func(host string) bool { return w.home.store.Home().Host(host) }
	if !isHome("evil.example") {
		t.Fatal("the user's addition to home is ignored although the bundle sets no home")
	}
	raw := acme.signs(1, time.Now().Add(time.Hour), `, "config": {"security": {"home": ["acme.example"]}}`)
	if err := os.WriteFile(filepath.Join(folder, bundle.FileName), raw, 0o644); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "the company's home", func() bool { return isHome("acme.example") })
	if isHome("evil.example") {
		t.Error("the user's addition to home holds beside the bundle's")
	}
}

// Otherwise a user could keep an older bundle in force with a value that only the newer bundle makes invalid.
func TestEveryCallIsDeniedIfTheConfigurationContradictsTheBundle(t *testing.T) {
	folder := t.TempDir()
	acme := newSigner(t, folder, "keep")
	put := func(raw []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, bundle.FileName), raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	later := time.Now().Add(time.Hour)
	put(acme.signs(1, later, ""))
	w := newWatched(t)
	w.hearsOf(passes)
	const long = `"approvals": {"wait": "9m"}, `
	w.rewrite(`"security": {`, `"security": {`+long)
	put(acme.signs(2, later, `, "config": {"security": {"approvals": {"expiry": "5m"}}}`))
	w.hearsOf("Your configuration conflicts with your company's bundle")
	w.rewrite(long, "")
	w.hearsOf(passes)
}
