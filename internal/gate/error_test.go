package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/ledger/ledgertest"
)

// Shows: GW-14.
func TestAgentsReadErrorsWithoutTheInsideOfServers(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	key := "AKIA" + random(7, 16, upper+"234567")
	for _, c := range []struct{ name, raw, want string }{
		{"unchanged parts keep their bytes", `{ "code" : -32602,"message":"no field \u0022x\u0022","data":{"n":12345678901234567890} }`, `{ "code" : -32602,"message":"no field \u0022x\u0022","data":{"n":12345678901234567890} }`},
		{"a message", `{"code":1,"message":"open /galaxy/x/y failed"}`, `{"code":1,"message":"open [path] failed"}`},
		{"names of members", `{"code":1,"message":"m","data":{"/galaxy/x/y":1}}`, `{"code":1,"message":"m","data":{"[path]":1}}`},
		{"JSON in a string", `{"isError":true,"content":[{"type":"text","text":"{\"password\":\"hunter2horse\",\"at\":\"/galaxy/x/y\"}"}]}`,
			`{"isError":true,"content":[{"type":"text","text":"{\"password\":\"[credential]\",\"at\":\"[path]\"}"}]}`},
		{"a URL that the user is to visit", `{"code":-32042,"message":"see http://10.1.1.1/x","data":{"elicitations":[{"url":"https://login.example/x"}]}}`,
			`{"code":-32042,"message":"see [url]","data":{"elicitations":[{"url":"https://login.example/x"}]}}`},
		{"a link to a resource", `{"isError":true,"content":[{"type":"resource_link","uri":"file:///srv/log.txt","name":"log"},{"type":"resource_link","uri":"https://u:p@h.example/x"}]}`,
			`{"isError":true,"content":[{"type":"resource_link","uri":"file:///srv/log.txt","name":"log"},{"type":"resource_link","uri":"[url]"}]}`},
		{"bytes", `{"isError":true,"content":[{"type":"resource","resource":{"uri":"x://y","blob":"/9j/4AAQSkZJRg=="}}]}`,
			`{"isError":true,"content":[{"type":"resource","resource":{"uri":"x://y","blob":"/9j/4AAQSkZJRg=="}}]}`},
		{"a secret of any shape", `{"isError":true,"content":[{"type":"text","text":"denied for ` + key + `"}]}`, `{"isError":true,"content":[{"type":"text","text":"denied for [credential]"}]}`},
		{"a value in a place for credentials", `{"code":1,"message":"login failed: password=hunter2horse at /galaxy/x","data":{"secret":"hunter2horse"}}`,
			`{"code":1,"message":"login failed: password=[credential] at [path]","data":{"secret":"[credential]"}}`},
		{"text of the call", `{"code":1,"message":"/srv/sent/a.txt and http://10.2.2.2/y"}`, `{"code":1,"message":"/srv/sent/a.txt and [url]"}`},
		{"the name of the called tool", `{"code":1,"message":"vault.internal: get_entry failed"}`, `{"code":1,"message":"vault.internal: get_entry failed"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			sent := call("vault.internal", "get_entry", `{"path":"/srv/sent/a.txt"}`)
			got, v := h.failing(t, sent, c.raw)
			if got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
			if err := h.log.Append(context.Background(), ledgertest.Record("after "+v.ID)); err != nil {
				t.Fatal(err)
			}
			stored := h.stored(v.ID)
			if stored.Metadata.ErrorRedacted != (c.raw != c.want) {
				t.Errorf("the record says %v", stored.Metadata.ErrorRedacted)
			}
			if strings.Contains(c.raw, "/galaxy/") && !strings.Contains(string(stored.Response), "/galaxy/") {
				t.Errorf("the log does not contain it: %s", stored.Response)
			}
			if strings.Contains(string(stored.Response), key) ||
				strings.Contains(string(stored.Response), "hunter2horse") {
				t.Errorf("the log holds a secret: %s", stored.Response)
			}
		})
	}
}

// Shows: FR-071.
func TestAResultThatAHookReportsStaysUnchanged(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	c := hooked("", "Read", `{"path":"a"}`)
	p := h.gate.Decides(context.Background(), c)
	raw := `{"isError":true,"content":"open /galaxy/x/y failed"}`
	result := &mcpproxy.Result{Raw: json.RawMessage(raw), IsError: true}
	if h.gate.Deliver(context.Background(), p, result); string(result.Raw) != raw {
		t.Errorf("got %s", result.Raw)
	}
}

// Shows: GW-16.
func TestErrorsOfTheProxyNameTheServerWithoutItsDetails(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	c := call("db.internal", "query", `{"table":"/srv/mine"}`)
	for _, code := range []mcpproxy.Code{mcpproxy.CodeServerNotFound, mcpproxy.CodeToolNotFound, mcpproxy.CodeTimeout, mcpproxy.CodeUpstream, mcpproxy.CodeTooLarge,
		mcpproxy.CodeMalformed, mcpproxy.CodeCancelled, mcpproxy.CodeDenied, mcpproxy.CodeGroupDenied, mcpproxy.CodeCircuitOpen, mcpproxy.CodeRateLimit,
		mcpproxy.CodeTool, mcpproxy.CodeScript, mcpproxy.CodeInternal} {
		err := mcpproxy.Errorf(
			code,
			context.DeadlineExceeded,
			"server %q refused /srv/mine: see http://10.0.0.1:99/x and /galaxy/y/z",
			"db.internal",
		)
		got, want := h.gate.ErrorText(
			c,
			mcpproxy.AgentMessage(err),
		), `server "db.internal" refused /srv/mine: see [url] and [path]`
		if got != want {
			t.Errorf("%s: got %q", code, got)
		}
		e, ok := errors.AsType[*mcpproxy.Error](h.gate.Readable(c, err))
		if !ok || e.Message != `server "db.internal" refused /srv/mine: see [url] and [path]` || e.Code != code ||
			!errors.Is(e, context.DeadlineExceeded) {
			t.Errorf("%s: readable is %v", code, e)
		}
	}
	s := defaults()
	s.RawErrors = true
	h.gate.Configure(s)
	if got := h.gate.ErrorText(c, "at /galaxy/y/z"); got != "at /galaxy/y/z" {
		t.Errorf("switched off: %q", got)
	}
}

// An error that replaces a server's answer is recorded without credentials.
// Shows: GW-13.
func TestTheRecordOfAnErrorHoldsNoCredential(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	_, v := h.gate.Do(
		context.Background(),
		call("db.internal", "query", `{}`),
		func(context.Context, *mcpproxy.Call) *mcpproxy.Result {
			return &mcpproxy.Result{Err: errors.New("dialing 10.0.0.1:99: login failed: set-cookie: sid=Zk3v9Qp2Lm8x")}
		},
	)
	if err := h.log.Append(context.Background(), ledgertest.Record("after "+v.ID)); err != nil {
		t.Fatal(err)
	}
	got, want := h.stored(v.ID).ErrorMessage, "dialing 10.0.0.1:99: login failed: set-cookie: [credential]"
	if got != want {
		t.Errorf("the record says %q, want %q", got, want)
	}
}

// Passwords that are masked in errors are also masked in the records of results and arguments, even if no detector
// recognises their form.
func TestWordsThatServeAsPasswordsAreInNoRecord(t *testing.T) {
	for _, c := range []struct{ name, value, secret string }{
		{"a member of three words", `{"password":"PurpleMonkeyDishwasher"}`, "PurpleMonkeyDishwasher"},
		{"a member with a number", `{"db":{"passwd":"BlueHorse42River"}}`, "BlueHorse42River"},
		{"a short one in a line", `{"text":"login ok, password: hunter2 (expires soon)"}`, "hunter2"},
		{"an assignment of words", `{"text":"DB_PASSWORD=correct-horse-battery"}`, "correct-horse-battery"},
		{"a passphrase", `{"passphrase":"four words make one"}`, "four words make one"},
		{"a key with signs", `{"secret_key":"wet/paint+on=bench"}`, "wet/paint+on=bench"},
		{"JSON in a text", `{"text":"{\"client_secret\":\"winter-garden-gate\"}"}`, "winter-garden-gate"},
		{"an address", `{"url":"https://files.example.com/a?token=springtime-on-the-river"}`, "springtime-on-the-river"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			_, v := h.answering(t, call("db.internal", "query", c.value), &mcpproxy.Result{Raw: json.RawMessage(c.value)})
			if err := h.log.Append(context.Background(), ledgertest.Record("after "+v.ID)); err != nil {
				t.Fatal(err)
			}
			stored := h.stored(v.ID)
			for _, kept := range []json.RawMessage{stored.Arguments, stored.Response} {
				if len(kept) == 0 || strings.Contains(string(kept), c.secret) {
					t.Errorf("the record holds %s", kept)
				}
			}
			for _, d := range stored.Metadata.Destinations {
				if strings.Contains(d.Value, c.secret) {
					t.Errorf("the record names the destination %s", d.Value)
				}
			}
		})
	}
}

// Text that only mentions passwords stays readable in a record.
func TestTextThatOnlyMentionsPasswordsStaysInTheRecord(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	said := `{"text":"The password is required.","next_page_token":"page-two-of-nine","token_type":"bearer","password":null}`
	_, v := h.answering(t, call("db.internal", "query", `{}`), &mcpproxy.Result{Raw: json.RawMessage(said)})
	if err := h.log.Append(context.Background(), ledgertest.Record("after "+v.ID)); err != nil {
		t.Fatal(err)
	}
	if got := string(h.stored(v.ID).Response); got != said {
		t.Errorf("the record says %s", got)
	}
}

// The output and the errors of a script stay unchanged.
func TestTheErrorOfAScriptStaysAsItIs(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	c := call("", "execute", `{"code":"1"}`)
	c.Kind = mcpproxy.KindScript
	raw := `{"isError":true,"content":[{"type":"text","text":"moved to /galaxy/x/y"}]}`
	if got, _ := h.failing(t, c, raw); got != raw {
		t.Errorf("got %s", got)
	}
}

// failing makes a call to which the server answers with an error.
func (h *rig) failing(t *testing.T, c *mcpproxy.Call, raw string) (string, mcpproxy.Verdict) {
	t.Helper()
	return h.answering(t, c, &mcpproxy.Result{Raw: json.RawMessage(raw), IsError: true})
}

// answering makes a call to which the server answers with a result.
func (h *rig) answering(t *testing.T, c *mcpproxy.Call, result *mcpproxy.Result) (string, mcpproxy.Verdict) {
	t.Helper()
	r, v := h.gate.Do(context.Background(), c, func(context.Context, *mcpproxy.Call) *mcpproxy.Result { return result })
	if r == nil {
		t.Fatalf("%+v", v)
	}
	return string(r.Raw), v
}

func TestAgentsLearnWhichOfTheirArgumentsIsWrong(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	c := call("files", "api_list_repositories_v2", `{"filters":[{"op":"like"}]}`)
	raw := `{"isError":true,"content":[{"type":"text","text":"api_list_repositories_v2: /filters/0/op is not supported, see /galaxy/x/y"}]}`
	want := `{"isError":true,"content":[{"type":"text","text":"api_list_repositories_v2: /filters/0/op is not supported, see [path]"}]}`
	if got, _ := h.failing(t, c, raw); got != want {
		t.Errorf("got %s", got)
	}
}
