package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate/journal"
)

// A call or a result that cannot be inspected is not let through.
var unreadable = map[string]string{
	"duplicate keys":             `{"text":"a","text":"b"}`,
	"duplicate keys deep inside": `{"a":[{"b":{"text":"a","text":"b"}}]}`,
	"duplicate keys by escapes":  `{"text":"a","\u0074ext":"b"}`,
	"invalid UTF-8":              "{\"text\":\"\xff\xfe\"}",
	"half a surrogate pair":      `{"text":"\ud800"}`,
	"not JSON":                   `{text:1}`,
	"two values":                 `{"a":1}{"b":2}`,
	"an object without its end":  `{"a":1`,
	"a thousand and one levels":  strings.Repeat("[", 1001) + strings.Repeat("]", 1001),
}

func TestUnreadableArgumentsAreDenied(t *testing.T) {
	for name, args := range unreadable {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			v, sent := h.does(call("github", "get_file", args))
			if sent || v.Decision != mcpproxy.Deny || v.Rule != "inspection.failed" {
				t.Errorf("sent %v, verdict %s by %q", sent, v.Decision, v.Rule)
			}
			r := h.stored(v.ID)
			if r == nil || strings.Contains(string(r.Arguments), "text") {
				t.Errorf("the record: %+v", r)
			}
		})
	}
}

func TestUnreadableResultsAreWithheld(t *testing.T) {
	for name, raw := range unreadable {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			sent := 0
			c := call("github", "get_file", `{"path":"a"}`)
			r, v := h.gate.Do(t.Context(), c, func(context.Context, *mcpproxy.Call) *mcpproxy.Result {
				sent++
				return &mcpproxy.Result{Raw: json.RawMessage(raw)}
			})
			if r != nil || sent != 1 || v.Decision != mcpproxy.Deny || v.Rule != "inspection.failed" {
				t.Errorf("sent %d times, result %v, verdict %s by %q", sent, r, v.Decision, v.Rule)
			}
			record := h.stored(v.ID) // without Close before: it is on disk already
			if record == nil || record.Status != mcpproxy.StatusRejected || record.Type != mcpproxy.RecordToolCall ||
				record.Response != nil {
				t.Errorf("the record: %+v", record)
			}
			if h.published(journal.EventPolicyDecision) != 1 || h.published(journal.EventCompleted) != 1 {
				t.Errorf("events: %v", h.events)
			}
		})
	}
}

// A stopped call is never sent, whatever stops it.
func TestAStoppedCallIsNeverSent(t *testing.T) {
	hook := call("webhook", "post_event", object("text", summary))
	hook.Channel = mcpproxy.ChannelHook
	resource := call("github", "file:///a", `{"uri":"a","uri":"b"}`)
	resource.Kind = mcpproxy.KindResource
	method := call("github", "logging/setLevel", `{"level":"x","level":"y"}`)
	method.Kind = mcpproxy.KindMethod
	for name, c := range map[string]*mcpproxy.Call{
		"a denied flow":                 call("slack", "post_message", object("text", gitToken)),
		"an asked flow on a hook":       hook,
		"a suspicious endpoint":         call("web", "fetch", object("url", "https://a.webhook.site/x")),
		"a destructive tool":            call("github", "delete_repo", `{}`),
		"arguments that are not JSON":   call("github", "get_file", `{`),
		"an unreadable resource read":   resource,
		"an unreadable method's params": method,
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			h.reads("postgres-db", "query", summary+" "+gitToken)
			h.reads("postgres-db", "query", summary)
			r, v := h.gate.Do(t.Context(), c, func(context.Context, *mcpproxy.Call) *mcpproxy.Result {
				t.Error("sent")
				return &mcpproxy.Result{}
			})
			if r != nil || !v.Decision.Stops() {
				t.Errorf("result %v, verdict %s", r, v.Decision)
			}
			if h.stored(v.ID) == nil {
				t.Error("no record in the file")
			}
		})
	}
}

func TestAnOverrideOfTheTablesIsObeyed(t *testing.T) {
	s := defaults()
	s.Tables.ToolOverrides = map[string]mcpproxy.Decision{"slack:post_message": mcpproxy.Allow}
	h := newRig(t, t.TempDir(), s)
	if v, sent := h.does(
		call("slack", "post_message", object("text", gitToken)),
	); !sent ||
		v.Decision != mcpproxy.Allow {
		t.Errorf("sent %v, verdict %s", sent, v.Decision)
	}
	if v, sent := h.does(
		call("slack", "post_message", object("text", "https://webhook.site/x")),
	); sent ||
		v.Decision != mcpproxy.Deny {
		t.Errorf("a suspicious endpoint was overridden: sent %v, verdict %s", sent, v.Decision)
	}
	s.Tables.ToolOverrides = nil
	h.gate.Configure(s)
	if v, sent := h.does(call("slack", "post_message", object("text", gitToken))); sent || v.Decision != mcpproxy.Deny {
		t.Errorf("after the override was taken back: sent %v, verdict %s", sent, v.Decision)
	}
}

func TestAFailedCallIsRecordedAsAnError(t *testing.T) {
	for name, c := range map[string]struct {
		result  mcpproxy.Result
		message string
	}{
		"no answer came":          {mcpproxy.Result{Err: errors.New("timeout")}, "timeout"},
		"the tool says it failed": {mcpproxy.Result{Raw: json.RawMessage(`{"isError":true}`), IsError: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			r, v := h.gate.Do(
				t.Context(),
				call("github", "get_file", `{}`),
				func(context.Context, *mcpproxy.Call) *mcpproxy.Result { return &c.result },
			)
			if r != &c.result || v.Decision != mcpproxy.Allow {
				t.Errorf("result %v, verdict %s", r, v.Decision)
			}
			h.log.Close()
			record := h.stored(v.ID)
			if record == nil || record.Status != mcpproxy.StatusError || record.ErrorMessage != c.message {
				t.Errorf("the record: %+v", record)
			}
		})
	}
}
