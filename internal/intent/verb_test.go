package intent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/intent"
)

func TestAUserWhoWritesTheVerbOfAToolAsksForItsCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, said string
		effect     mcpproxy.Effect
		tool       []string
		want       bool
	}{
		{"the verb of a name of one word", "Bestand prüfen, sperren", mcpproxy.EffectDelete, []string{"sperren"}, true},
		{"another form of the verb", "Publica as notas no portal", mcpproxy.EffectGrant, []string{"publicar"}, true},
		{"an imperative", "Sperr die Charge", mcpproxy.EffectDelete, []string{"sperren"}, true},
		{"an imperative with an ending", "Sperre die Charge", mcpproxy.EffectDelete, []string{"sperren"}, true},
		{"a plural", "altas y bajas están en los formularios", mcpproxy.EffectPay, []string{"alta"}, true},
		{"a participle", "whatever matches gets queued for Thursday", mcpproxy.EffectCreate, []string{"queue", "payment"}, true},
		{"the first word of a longer name", "block what needs blocking", mcpproxy.EffectChange, []string{"block", "sender"}, true},
		{"a verb of reading, for a tool that changes something", "check the weather", mcpproxy.EffectChange, []string{"check"}, false},
		{"a word that the user only mentions", "what is the weather in Graz", mcpproxy.EffectChange, []string{"weather"}, false},
		{"an object is not a verb", "check the salesforce records", mcpproxy.EffectChange, []string{"salesforce", "records"}, false},
		{"a longer name of a serious call", "konto prüfen", mcpproxy.EffectDelete, []string{"konto", "loeschen"}, false},
		{"a verb with another meaning", "update the page", mcpproxy.EffectGrant, []string{"update", "roles"}, false},
		{"a request that forbids it", "prüfe den Bestand, aber nicht sperren", mcpproxy.EffectDelete, []string{"sperren"}, false},
		{"another verb", "Bestand prüfen", mcpproxy.EffectDelete, []string{"sperren"}, false},
		{"a user who has said nothing", "", mcpproxy.EffectDelete, []string{"sperren"}, false},
		{"a tool without a name", "sperren", mcpproxy.EffectDelete, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r, restored intent.Request
			if c.said != "" {
				r.Add(c.said)
			}
			if got := r.Calls(c.effect, c.tool); got != c.want {
				t.Errorf("%q asks for %v: %v, want %v", c.said, c.tool, got, c.want)
			}
			raw, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(raw, &restored); err != nil {
				t.Fatal(err)
			}
			if got := restored.Calls(c.effect, c.tool); got != c.want {
				t.Errorf("after a restart, %q asks for %v: %v, want %v", c.said, c.tool, got, c.want)
			}
		})
	}
}

func TestALaterRequestKeepsTheVerbsOfAnEarlierOne(t *testing.T) {
	t.Parallel()
	var first, later intent.Request
	first.Add("Bestand prüfen, sperren")
	later.Add("Bestand prüfen, stempeln")
	before := first
	first.Join(later)
	if !first.Calls(mcpproxy.EffectDelete, []string{"sperren"}) || !first.Calls(mcpproxy.EffectChange, []string{"stempeln"}) {
		t.Error("a request that was joined with another one has lost a verb")
	}
	if before.Calls(mcpproxy.EffectChange, []string{"stempeln"}) {
		t.Error("a copy of the request has got the verbs of the later one")
	}
}

func TestTheVerbsOfALaterRequestReplaceThoseOfALongOne(t *testing.T) {
	t.Parallel()
	var pasted strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&pasted, "wort%04d, ", i)
	}
	var r intent.Request
	r.Add(pasted.String())
	r.Add("Bestand prüfen, sperren")
	if !r.Calls(mcpproxy.EffectDelete, []string{"sperren"}) {
		t.Error("a pasted text has displaced the verb of a later request")
	}
}
