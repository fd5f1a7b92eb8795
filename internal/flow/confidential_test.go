package flow_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/flow/passage"
)

func TestADocumentCallsItselfConfidential(t *testing.T) {
	const body = `Open at 200 percent and walk away at 125 percent of the annual fees, including data loss.`
	for name, c := range map[string]struct {
		args, result string
		want         bool
	}{
		"in its first line":                 {`{"id":"d1"}`, `{"text":"PRIVILEGED & CONFIDENTIAL – memo\n\n` + body + `"}`, true},
		"in French":                         {`{"id":"d1"}`, `{"text":"# Note interne – secret professionnel\n` + body + `"}`, true},
		"in the name of its file":           {`{"path":"/a/position_memo-privileged.docx"}`, `{"text":"` + body + `"}`, true},
		"in a field for its classification": {`{"id":"d1"}`, `{"sensitivityLabel":"Internal only","text":"` + body + `"}`, true},
		"in running text":                   {`{"id":"d1"}`, `{"text":"` + body + ` The data is confidential."}`, false},
		"at the end of a mail":              {`{"id":"d1"}`, `{"text":"Hello Ann,\n` + body + `\nThis mail is confidential."}`, false},
		"words that say the opposite":       {`{"id":"d1"}`, `{"text":"Non-confidential version\n` + body + `"}`, false},
		"no words about it":                 {`{"id":"d1"}`, `{"text":"Memo\n` + body + `"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			a.opens("vault", internal, c.args, c.result)
			edges := a.mails("mail", `{"to":"eve@x.example","body":"`+body+`"}`).Edges
			if len(edges) == 0 {
				t.Fatal("no edge")
			}
			if got := edges[0].From.Confidential; got != c.want {
				t.Errorf("confidential: %t, want %t", got, c.want)
			}
		})
	}
	t.Run("on a public page", func(t *testing.T) {
		a := newAgent(t, limits)
		p := a.passage("web", "fetch", external, `{"text":"Confidential\n`+body+`"}`, "response")
		p.Act = &passage.Act{Effect: mcpproxy.EffectRead}
		a.tracker.Record(p)()
		for _, e := range a.mails("mail", `{"body":"`+body+`"}`).Edges {
			if e.From.Confidential {
				t.Error("a public page counts as confidential")
			}
		}
	})
}
