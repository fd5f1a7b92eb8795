package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
	"mcpproxy/internal/approval"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gateway"
	"mcpproxy/internal/policy"
	"mcpproxy/internal/token"
	"mcpproxy/internal/wire"
)

// keyed is a rig whose gateway accepts tokens, as the daemon wires them.
type keyed struct {
	*rig
	tokens *token.Store
}

func newKeyed(t *testing.T, requireAuth bool) *keyed {
	t.Helper()
	return keyUp(newRig(t, setup{name: "notes", server: notes()}, setup{name: "chat", server: chat()}), requireAuth)
}

// keyUp adds tokens to a rig.
func keyUp(r *rig, requireAuth bool) *keyed {
	t := r.t
	t.Helper()
	k := &keyed{rig: r}
	var err error
	var d *auth.Authenticator
	ended := func(name string) { d.EndRequests(name); k.gateway.Expel(name) }
	if k.tokens, err = token.Open(filepath.Join(t.TempDir(), "tokens.json"), ended); err != nil {
		t.Fatal(err)
	}
	d = auth.New(func() string { return "key" }, k.tokens)
	k.gateway.UseAuth(d)
	k.gateway.Configure(gateway.Options{APIKey: "key", RequireAuth: requireAuth})
	s := settings(tables())
	s.Tables.Operations = nil
	s.Scope = func(c *mcpproxy.Call, op mcpproxy.Operation) string {
		if c.Principal == auth.Owner {
			return ""
		}
		one, ok := k.tokens.Named(c.Principal)
		if !ok {
			return "gone"
		}
		return one.Refuses(c, op)
	}
	s.Operation = func(principal string, _ []string, op mcpproxy.Operation) bool {
		one, ok := k.tokens.Named(principal)
		return principal == auth.Owner || ok && one.Permits(op)
	}
	k.gate.Configure(s)
	return k
}

// token creates a token.
func (k *keyed) token(name string, scope token.Scope) string {
	k.t.Helper()
	plain, _, err := k.tokens.Create(token.Spec{Name: name, Scope: scope})
	if err != nil {
		k.t.Fatal(err)
	}
	return plain
}

// as returns clients of both eras with a key.
func (k *keyed) as(key, path string) map[string]*agent {
	return map[string]*agent{
		"stateful":  k.statefulAs(key, path, "2025-11-25", `{}`),
		"stateless": {t: k.t, url: k.url + path, key: key},
	}
}

func listed(m *wire.Message, list, name string) []string {
	var entries []json.RawMessage
	_ = json.Unmarshal(wire.Member(m.Result, list), &entries)
	out := []string{}
	for _, e := range entries {
		out = append(out, wire.String(e, name))
	}
	slices.Sort(out)
	return out
}

// refused checks that a call was stopped because of its token's scope, and recorded.
func (k *keyed) refused(t *testing.T, m *wire.Message, principal string) {
	t.Helper()
	rule := wire.String(m.Result, "structuredContent", "rule") + wire.String(m.Error, "data", "rule")
	if rule != policy.RuleScope {
		t.Errorf("it is not refused by %s: %s", policy.RuleScope, m.Raw)
		return
	}
	all := k.recorded()
	last := all[len(all)-1]
	if last.Principal != principal || last.Rule != policy.RuleScope || last.Status != mcpproxy.StatusBlocked {
		t.Errorf("the record is %+v", last)
	}
}

func TestListsContainOnlyWhatATokenPermits(t *testing.T) {
	k := newKeyed(t, true)
	for name, c := range map[string]struct {
		scope     token.Scope
		all, own  []string
		resources int
	}{
		"everything": {token.Scope{}, []string{"chat__post_message", "notes__delete_note", "notes__echo", "notes__get_report"}, []string{"delete_note", "echo", "get_report"}, 1},
		"a-server":   {token.Scope{Servers: []string{"notes"}}, []string{"notes__delete_note", "notes__echo", "notes__get_report"}, []string{"delete_note", "echo", "get_report"}, 1},
		"a-tool":     {token.Scope{Tools: []string{"notes:echo"}}, []string{"notes__echo"}, []string{"echo"}, 0},
		"reading":    {token.Scope{Operations: []mcpproxy.Operation{mcpproxy.Read}}, []string{"notes__echo", "notes__get_report"}, []string{"echo", "get_report"}, 1},
	} {
		key := k.token(name, c.scope)
		for era, a := range k.as(key, "/mcp/all") {
			m, _ := a.call("1", "tools/list", `{}`).response()
			if diff := cmp.Diff(c.all, listed(m, "tools", "name")); diff != "" {
				t.Errorf("%s, %s, /mcp/all: %s", name, era, diff)
			}
		}
		for era, a := range k.as(key, "/mcp/s/notes") {
			m, _ := a.call("1", "tools/list", `{}`).response()
			if diff := cmp.Diff(c.own, listed(m, "tools", "name")); diff != "" {
				t.Errorf("%s, %s, /mcp/s/notes: %s", name, era, diff)
			}
			for list, id := range map[string]string{"resources": "uri", "prompts": "name"} {
				m, _ = a.call("2", list+"/list", `{}`).response()
				if got := listed(m, list, id); len(got) != c.resources {
					t.Errorf("%s, %s: %s are %v", name, era, list, got)
				}
			}
		}
		for era, a := range k.as(key, "/mcp") {
			m, _ := a.call("1", "tools/call", `{"name":"retrieve_tools","arguments":{"query":"note message report says again"}}`).
				response()
			if got := atoi(t, wire.Member(m.Result, "structuredContent", "total")); got != len(c.all) {
				t.Errorf("%s, %s: %d tools are said to be there", name, era, got)
			}
			for _, hidden := range []string{"chat:post_message", "notes:delete_note", "notes:echo", "notes:get_report"} {
				shown := strings.Contains(string(m.Result), hidden)
				if shown && !slices.Contains(c.all, strings.Replace(hidden, ":", "__", 1)) {
					t.Errorf("%s, %s: %s is found", name, era, hidden)
				}
			}
			m, _ = a.call("2", "tools/list", `{}`).response()
			if writes := slices.Contains(listed(m, "tools", "name"), "call_tool_write"); writes != (name != "reading") {
				t.Errorf("%s, %s: call_tool_write is listed: %t", name, era, writes)
			}
		}
	}
}

func TestCallsOutsideATokenAreRefusedAndRecorded(t *testing.T) {
	k := newKeyed(t, true)
	key := k.token("ci", token.Scope{Tools: []string{"notes:echo"}})
	for name, c := range map[string]struct{ path, method, params string }{
		"through the finder":         {"/mcp", "tools/call", `{"name":"call_tool_write","arguments":{"name":"chat:post_message","args":{"text":"x"}}}`},
		"a tool that does not exist": {"/mcp", "tools/call", `{"name":"call_tool_write","arguments":{"name":"chat:no_such_tool","args":{}}}`},
		"asked about":                {"/mcp", "tools/call", `{"name":"describe_tool","arguments":{"name":"notes:get_report"}}`},
		"not in the list of all":     {"/mcp/all", "tools/call", `{"name":"chat__no_such_tool","arguments":{}}`},
		"of no server at all":        {"/mcp/all", "tools/call", `{"name":"nowhere__no_such_tool","arguments":{}}`},
		"from the list of all":       {"/mcp/all", "tools/call", `{"name":"notes__get_report","arguments":{}}`},
		"at its server":              {"/mcp/s/notes", "tools/call", `{"name":"get_report","arguments":{}}`},
		"a resource":                 {"/mcp/s/notes", "resources/read", `{"uri":"note://1"}`},
		"a prompt":                   {"/mcp/s/notes", "prompts/get", `{"name":"greet"}`},
		"the list of another":        {"/mcp/s/chat", "tools/list", `{}`},
		"an unknown method":          {"/mcp/s/notes", "notes/wipe", `{}`},
	} {
		a := &agent{t: t, url: k.url + c.path, key: key}
		m, _ := a.call("1", c.method, c.params).response()
		t.Run(name, func(t *testing.T) { k.refused(t, m, "ci") })
	}
	for era, a := range k.as(key, "/mcp") {
		m, _ := a.call("9", "tools/call", `{"name":"call_tool_write","arguments":{"name":"notes:echo","args":{"text":"hello"}}}`).
			response()
		if textOf(m) != "you said hello" {
			t.Errorf("%s: what the token is for answers %s", era, m.Raw)
		}
	}
	if r := k.recorded(); r[len(r)-1].Principal != "ci" {
		t.Errorf("the call was made by %q", r[len(r)-1].Principal)
	}
}

func TestInitializeIsRefusedForAServerOutsideTheToken(t *testing.T) {
	k := newKeyed(t, true)
	a := &agent{t: t, url: k.url + "/mcp/s/chat", key: k.token("ci", token.Scope{Servers: []string{"notes"}})}
	m, _ := a.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, nil).
		response()
	k.refused(t, m, "ci")
}

func TestAnInvalidTokenIsRefused(t *testing.T) {
	for _, auth := range []bool{false, true} {
		k := newKeyed(t, auth)
		revoked := k.token("old", token.Scope{})
		if err := k.tokens.Revoke("old"); err != nil {
			t.Fatal(err)
		}
		plain, _, err := k.tokens.Create(token.Spec{Name: "eve", Role: token.Auditor})
		if err != nil {
			t.Fatal(err)
		}
		keyless := http.StatusOK
		if auth {
			keyless = http.StatusUnauthorized
		}
		for name, c := range map[string]struct {
			key  string
			want int
		}{
			"unknown":      {token.Prefix + "x", http.StatusUnauthorized},
			"revoked":      {revoked, http.StatusUnauthorized},
			"an auditor's": {plain, http.StatusForbidden},
			"none":         {"", keyless},
			"the key":      {"key", http.StatusOK},
		} {
			a := &agent{t: t, url: k.url + "/mcp", key: c.key}
			if x := a.call("1", "tools/list", `{}`); x.resp.StatusCode != c.want {
				t.Errorf("auth %t, %s: %s", auth, name, x.resp.Status)
			}
		}
	}
}

func TestRevokingEndsWhatIsOpen(t *testing.T) {
	k := newKeyed(t, false)
	key := k.token("ci", token.Scope{})
	a := k.statefulAs(key, "/mcp", "2025-11-25", `{}`)
	standing := a.do(http.MethodGet, "", map[string]string{"Accept": "text/event-stream"})
	listening := (&agent{t: t, url: k.url + "/mcp", key: key}).call(
		"1",
		"subscriptions/listen",
		`{"notifications":{"toolsListChanged":true}}`,
	)
	if m := listening.next(); m == nil || m.Method != "notifications/subscriptions/acknowledged" {
		t.Fatalf("the subscription begins with %v", m)
	}
	if err := k.tokens.Revoke("ci"); err != nil {
		t.Fatal(err)
	}
	for standing.next() != nil { // the call ends, or the test does
	}
	for m := listening.next(); m != nil; m = listening.next() {
	}
	if x := a.call("2", "tools/list", `{}`); x.resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("the session goes on: %s", x.resp.Status)
	}
	if n := k.gateway.SessionCount(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

// A request that waits for its client's answer belongs to the principal, too, and ends when the token is revoked.
func TestRevokingEndsWhatWaitsForAnAnswer(t *testing.T) {
	k := newKeyed(t, false)
	d := k.asking(approval.Rules{Elicitation: true})
	a := &agent{t: t, url: k.url + "/mcp/s/chat", key: k.token("ci", token.Scope{})}
	for _, name := range []string{"ci", "other"} {
		if name == "other" {
			a.key = k.token(name, token.Scope{})
		}
		m, _ := a.callAs("1", "tools/call", post("hello"), canElicit).response()
		if wire.String(m.Result, "resultType") != "input_required" {
			t.Fatalf("the client is not asked: %s", m.Raw)
		}
	}
	if err := k.tokens.Revoke("ci"); err != nil {
		t.Fatal(err)
	}
	k.until("one question is left", func() bool { return len(d.Pending()) == 1 })
	if left := d.Pending()[0].Principal; left != "other" {
		t.Errorf("the question of %q is left", left)
	}
}

func TestAStreamDoesNotOutliveItsToken(t *testing.T) {
	k := newKeyed(t, false)
	plain, _, err := k.tokens.Create(token.Spec{Name: "ci", Expires: time.Now().Add(3 * time.Second)})
	if err != nil {
		t.Fatal(err)
	}
	a := k.statefulAs(plain, "/mcp", "2025-11-25", `{}`)
	for x := a.do(http.MethodGet, "", map[string]string{"Accept": "text/event-stream"}); x.next() != nil; {
	}
	if x := a.call("2", "tools/list", `{}`); x.resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("after its end: %s", x.resp.Status)
	}
}

// A principal cannot use the sessions, data and questions of another.
func TestPrincipalsCannotUseEachOthersState(t *testing.T) {
	k := newKeyed(t, true)
	ann, ben := k.token("ann", token.Scope{}), k.token("ben", token.Scope{})
	a := k.statefulAs(ann, "/mcp", "2025-11-25", `{}`)
	for name, key := range map[string]string{"another token": ben, "the owner's key": "key"} {
		thief := &agent{
			t:       t,
			url:     a.url,
			session: a.session,
			version: a.version,
			key:     key,
		}
		if x := thief.call("1", "tools/list", `{}`); x.resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s enters a session that is not its own: %s", name, x.resp.Status)
		}
	}
	const report = `{"name":"call_tool_read","arguments":{"name":"notes:get_report","args":{}}}`
	const leak = `{"name":"call_tool_write","arguments":{"name":"chat:post_message","args":{"text":"Revenue of the northern region fell by a third in the autumn."}}}`
	a.call("2", "tools/call", report).response()
	for era, b := range k.as(ben, "/mcp") {
		m, _ := b.call("3", "tools/call", leak).response()
		if textOf(m) == "" || strings.Contains(string(m.Raw), "notes") {
			t.Errorf("%s: ben is told of ann's data: %s", era, m.Raw)
		}
		k.until("ben's call is recorded", func() bool { r := k.recorded(); return r[len(r)-1].Principal == "ben" })
		last := k.recorded()[len(k.recorded())-1]
		if len(last.Metadata.Edges) > 0 || strings.Contains(last.FlowSessionID, "ann") {
			t.Errorf("%s: ben's record is %+v", era, last)
		}
	}
	for key := range k.sessions.All() {
		if strings.Contains(key, "ann") && strings.Contains(key, "ben") {
			t.Errorf("the session %q is of both", key)
		}
	}
	m, _ := a.call("4", "tools/call", leak).response()
	_ = m
	k.until("ann's call is recorded", func() bool {
		r := k.recorded()
		return r[len(r)-1].Principal == "ann" && r[len(r)-1].ToolName == "post_message"
	})
	if r := k.recorded(); len(r[len(r)-1].Metadata.Edges) == 0 {
		t.Error("ann's own flow is not seen, so that this test shows nothing")
	}
}

// A remote token joins an agent's hook session only with the id of a call, which other clients cannot know.
func TestATokenCannotJoinAHookSessionByItsName(t *testing.T) {
	k := newKeyed(t, true)
	e := k.hooks()
	const write = `{"name":"chat:post_message","args":{"text":"a long enough text to tell calls apart"}}`
	k.told(e, "h", "toolu_1", "call_tool_write", write, "")
	named := &agent{t: t, url: k.url + "/mcp", key: k.token("ci", token.Scope{})}
	body, header := named.message(
		"1",
		"tools/call",
		`{"name":"call_tool_write","arguments":`+write+`,"_meta":{"sessionId":"h"}}`,
		`{}`,
	)
	header["X-Mcpproxy-Session"] = "h"
	named.send(body, header).response()
	k.until("the call is recorded", func() bool { r := k.recorded(); return r[len(r)-1].Principal == "ci" })
	if last := k.recorded()[len(k.recorded())-1]; last.FlowSessionID == flow.HookKey("h") {
		t.Error("a token entered a hook session by its name or by equal arguments")
	}
	if made := k.makes(named, "toolu_1", "call_tool_write", write); made.FlowSessionID != flow.HookKey("h") {
		t.Errorf("the call that the hook told of is in %q", made.FlowSessionID)
	}
}

// oneToolset is a set of audit tools that has one tool.
type oneToolset struct{ asked []string }

func (b *oneToolset) Instructions() string { return "A book." }
func (b *oneToolset) Tools() []json.RawMessage {
	return []json.RawMessage{json.RawMessage(`{"name":"look","inputSchema":{"type":"object"}}`)}
}
func (b *oneToolset) Ask(_ context.Context, principal, tool string, _ json.RawMessage) (json.RawMessage, error) {
	if b.asked = append(b.asked, principal+" "+tool); len(b.asked) > 3 {
		return nil, errors.New("enough")
	}
	return json.RawMessage(`{"seen":1}`), nil
}

func TestAuditToolsAreOnlyForTheOwnerAndAuditors(t *testing.T) {
	k := newKeyed(t, false) // MCP requires no key
	b := &oneToolset{}
	k.gateway.Open("/mcp/audit", b)
	auditor, _, err := k.tokens.Create(token.Spec{Name: "eve", Role: token.Auditor})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		key  string
		want int
	}{
		"no key":      {"", 401},
		"a wrong key": {"x", 401},
		"an agent":    {k.token("ci", token.Scope{}), 403},
		"the key":     {"key", 200},
		"an auditor":  {auditor, 200},
	} {
		a := &agent{t: t, url: k.url + "/mcp/audit", key: c.key}
		x := a.call("1", "tools/call", `{"name":"look","arguments":{}}`)
		if x.resp.StatusCode != c.want {
			t.Errorf("%s: %s", name, x.resp.Status)
		}
	}
	slices.Sort(b.asked)
	if diff := cmp.Diff([]string{"eve look", "local look"}, b.asked); diff != "" {
		t.Error(diff)
	}
	for era, a := range k.as(auditor, "/mcp/audit") {
		if m, _ := a.call("2", "tools/list", `{}`).response(); len(listed(m, "tools", "name")) != 1 {
			t.Errorf("%s: %s", era, m.Raw)
		}
		if m, _ := a.call("3", "tools/call", `{"name":"lok","arguments":{}}`).
			response(); !strings.Contains(
			textOf(m),
			`"look"`,
		) {
			t.Errorf("%s: %s", era, m.Raw)
		}
	}
	a := &agent{t: t, url: k.url + "/mcp/audit", key: "key"}
	a.call("4", "tools/call", `{"name":"look"}`).response()
	m, _ := a.call("5", "tools/call", `{"name":"look"}`).response()
	if textOf(m) != "enough" || string(wire.Member(m.Result, "isError")) != "true" {
		t.Errorf("a failure answers %s", m.Raw)
	}
	if len(k.recorded()) != 0 || len(k.sessions.All()) != 0 {
		t.Errorf(
			"an auditor's questions are in %d records and %d flow sessions of agents",
			len(k.recorded()),
			len(k.sessions.All()),
		)
	}
}

func atoi(t *testing.T, raw []byte) int {
	t.Helper()
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
