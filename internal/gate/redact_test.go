package gate_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/ledger/ledgertest"
)

// redacting returns settings that redact secrets in calls to slack.
func redacting() gate.Settings {
	s := defaults()
	s.Tables.SensitiveDataExternal = mcpproxy.Redact
	return s
}

// sent makes a call and returns the arguments that were sent.
func (h *rig) sent(t *testing.T, c *mcpproxy.Call, result string) (args, got string, v mcpproxy.Verdict) {
	t.Helper()
	r, v := h.gate.Do(context.Background(), c, func(_ context.Context, sent *mcpproxy.Call) *mcpproxy.Result {
		args = string(sent.Arguments)
		return &mcpproxy.Result{Raw: json.RawMessage(result)}
	})
	if r == nil {
		t.Fatalf("stopped: %+v", v)
	}
	return args, string(r.Raw), v
}

func TestRedactedValuesBecomePlaceholders(t *testing.T) {
	h := newRig(t, t.TempDir(), redacting())
	first, second := "AKIA"+random(1, 16, upper+"234567"), "AKIA"+random(2, 16, upper+"234567")
	args, got, v := h.sent(
		t,
		call(
			"slack",
			"post_message",
			`{ "text":`+quoted("keys "+first+", "+second+" and again "+first)+`,"n":12345678901234567890}`,
		),
		content("you said "+first),
	)
	if want := `{ "text":"keys [aws_access_key:1], [aws_access_key:2] and again [aws_access_key:1]","n":12345678901234567890}`; args != want {
		t.Errorf("sent %s, want %s", args, want)
	}
	if want := content("you said [aws_access_key:1]"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if v.Decision != mcpproxy.Redact {
		t.Errorf("%+v", v)
	}
	// Records are written in order, so this record is written after the call's.
	if err := h.log.Append(context.Background(), ledgertest.Record("after "+v.ID)); err != nil {
		t.Fatal(err)
	}
	stored := h.stored(v.ID)
	s := string(stored.Arguments)
	if strings.Contains(s, first) || !strings.Contains(s, "[aws_access_key") || stored.Decision != mcpproxy.Redact {
		t.Errorf("stored %s, %s", stored.Decision, s)
	}
	// Later calls of the session use the same names; other sessions have their own.
	if args, _, _ := h.sent(
		t,
		call("slack", "post_message", object("text", second)),
		content("ok"),
	); args != object(
		"text",
		"[aws_access_key:2]",
	) {
		t.Errorf("a later call sent %s", args)
	}
	other := call("slack", "post_message", object("text", second))
	other.FlowSession = "flow-2"
	if args, _, _ := h.sent(t, other, content("ok")); args != object("text", "[aws_access_key:1]") {
		t.Errorf("another session sent %s", args)
	}
}

func TestRedactionSeesThroughDisguises(t *testing.T) {
	h := newRig(t, t.TempDir(), redacting())
	key := "AKIA" + random(7, 16, upper+"234567")
	for name, put := range hidden {
		t.Run(name, func(t *testing.T) {
			args, _, _ := h.sent(t, call("slack", "post_message", put(key)), content("ok"))
			if !json.Valid([]byte(args)) || !strings.Contains(args, "[aws_access_key:1]") {
				t.Errorf("%s was sent as %s", put(key), args)
			}
			if v, sent := newRig(t, t.TempDir(), defaults()).does(call("slack", "post_message", args)); !sent {
				t.Errorf("what was sent would still be stopped: %s: %+v", args, v)
			}
		})
	}
}

func TestSecretsOutsideTheArgumentsAreRedactedToo(t *testing.T) {
	h := newRig(t, t.TempDir(), redacting())
	key := "AKIA" + random(7, 16, upper+"234567")
	c := call("slack", "post_message", `{}`)
	c.Extra = json.RawMessage(`{"_meta":` + object("note", key) + `}`)
	r, v := h.gate.Do(context.Background(), c, func(_ context.Context, sent *mcpproxy.Call) *mcpproxy.Result {
		if want := `{"_meta":{"note":"[aws_access_key:1]"}}`; string(sent.Extra) != want {
			t.Errorf("sent %s, want %s", sent.Extra, want)
		}
		return &mcpproxy.Result{Raw: json.RawMessage(content("ok"))}
	})
	if r == nil {
		t.Errorf("%+v", v)
	}
}

func TestAnAnswerThatCannotBeRedactedIsStopped(t *testing.T) {
	h := newRig(t, t.TempDir(), redacting())
	c := call("slack", "elicitation/create", object("text", "AKIA"+random(7, 16, upper+"234567")))
	c.Kind = mcpproxy.KindAnswer
	if v, sent := h.does(c); sent || v.Decision != mcpproxy.Deny {
		t.Errorf("%+v", v)
	}
}
