package flow_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mcpproxy"
	"mcpproxy/internal/flow"
)

const (
	plainKey = "q7Rk2vXw9LmZt4BcYd8HsN3f" // 24 characters, of no known kind
	gitToken = "ghp_8Kd93jfLs02mZqPx71VbTnWc4YhUe5RgAo6i"
	awsKey   = "kT9vQ2xLm4Zr8WbYd1HsN6fJc3PgUe5RaXo7iMq0"
	config   = "# service settings\nport = 8080\nkey=" + plainKey + "\nregion = eu-west-1\n"
	prose    = "The quarterly forecast assumes eleven percent growth in the southern region."
)

// Spec-027, story 8, and the forms that data takes between a result and a call.
// Shows: FR-010, story 8.
func TestDataThatMoves(t *testing.T) {
	for name, c := range map[string]struct {
		result, args string
		match        string // "" when it is no flow, "any" when the kind of match does not matter
	}{
		"a key alone in a result is found in arguments (8.1)":         {content("sk-proj-abc123def456"), says("sk-proj-abc123def456"), "secret"},
		"one field of many is found although the whole differs (8.2)": {`{"id":7,"note":` + quoted(prose) + `,"owner":"x"}`, says(prose), "field"},
		"a string below 20 characters is no evidence (8.3)":           {`{"name":"Johanna Baumgartner","n":1}`, says("Johanna Baumgartner"), ""},
		"12 characters are enough for a random key":                   {`{"a":"q7Rk2vXw9LmZ","b":2}`, `{"message":"q7Rk2vXw9LmZ","c":1}`, "value"},
		"seven characters are too few even for a random key":          {`{"a":"q7Rk2vX","b":2}`, `{"message":"q7Rk2vX","c":1}`, ""},
		"other case is the same data (8.4)":                           {`{"note":` + quoted(prose) + `}`, says(strings.ToUpper(prose)), "normalized"},
		"upper case data is found in lower case (8.4)":                {`{"note":` + quoted(strings.ToUpper(prose)) + `}`, says(strings.ToLower(prose)), "any"},
		"white space around data is ignored (8.4)":                    {`{"note":` + quoted(prose) + `}`, says("\n\t  " + prose + "  \n"), "field"},
		"white space within data is folded (8.4)":                     {`{"note":` + quoted(prose) + `}`, says(strings.ReplaceAll(prose, " ", "\n  ")), "normalized"},
		"the whole content is found whole":                            {`{"message":` + quoted(prose) + `,"port":"eight"}`, `{"a":` + quoted(prose) + `,"b":"eight"}`, "full"},
		"a 24-character key in a file text is found in another text":  {content(config), says("Look what I found: " + plainKey + ", is it yours?"), "word"},
		"a 24-character key in a file text is found alone":            {content(config), says(plainKey), "any"},
		"a 24-character key alone is found inside a text":             {`{"key":"` + plainKey + `"}`, says("use " + plainKey + " now"), "word"},
		"a key in another case is found inside a text":                {content(config), says("try " + strings.ToUpper(plainKey)), "word"},
		"a key between quotes and brackets is found":                  {content(`{"k": ["` + plainKey + `"]}`), says("k=<" + plainKey + ">;"), "word"},
		"a key with zero-width characters in it is found":             {content(config), says("try " + plainKey[:9] + "\u200b" + plainKey[9:]), "word"},
		"a key in full-width characters is found":                     {content(config), says("try " + fullwidth(plainKey)), "word"},
		"a key in JSON inside a string is found":                      {content(`{"settings":{"key":"` + plainKey + `"}}`), says(plainKey), "field"},
		"a key deep in the arguments is found":                        {content(config), `{"blocks":[{"x":1},{"elements":[{"text":"` + plainKey + `"}]}]}`, "any"},
		"a token is found in a URL's query":                           {content("token " + gitToken), `{"url":"https://x.example/?t=` + gitToken + `"}`, "secret"},
		"a token is found even where a channel is expected":           {content("token " + gitToken), object("channel", gitToken), "secret"},
		"other data is no flow":                                       {content(config), says("The build is green, all seventeen checks passed."), ""},
		"a member's name is no data":                                  {`{"aVeryLongMemberNameIndeedOfManyLetters":"x"}`, says("aVeryLongMemberNameIndeedOfManyLetters"), ""},
		"a UUID is no flow":                                           {`{"id":"3f2b8c1e-9a4d-4e6f-8b7a-1c2d3e4f5a6b","n":"x"}`, `{"text":"3f2b8c1e-9a4d-4e6f-8b7a-1c2d3e4f5a6b","m":"y"}`, ""},
		"a UUID that is the whole result is no flow":                  {object("id", "3f2b8c1e-9a4d-4e6f-8b7a-1c2d3e4f5a6b"), says("3f2b8c1e-9a4d-4e6f-8b7a-1c2d3e4f5a6b"), ""},
		"an ISO date is no flow":                                      {`{"at":"2026-03-01T12:30:45Z","until":"tomorrow"}`, `{"text":"2026-03-01T12:30:45Z","x":"today"}`, ""},
		"an ISO date that is the whole result is no flow":             {object("at", "2026-03-01T12:30:45.123Z"), says("2026-03-01T12:30:45.123Z"), ""},
		"an ISO date with an offset in a sentence is no flow":         {content("Due 2026-03-01T12:30:45.000+01:00 sharp"), says("It was 2026-03-01T12:30:45.000+01:00 then"), ""},
		"a path is no flow":                                           {`{"file":"/home/alice/projects/site/index.html","n":"x"}`, `{"text":"/home/alice/projects/site/index.html","m":"y"}`, ""},
		"a path that is the whole result is no flow":                  {content("/home/alice/projects/site/index.html"), says("/home/alice/projects/site/index.html"), ""},
		"a path in a sentence is no flow":                             {content("See /home/alice/projects/site/index.html first"), says("Open /home/alice/projects/site/index.html now"), ""},
		"a URL without a query is no flow":                            {`{"html_url":"https://github.com/acme/site/issues/17","n":"x"}`, `{"text":"https://github.com/acme/site/issues/17","m":"y"}`, ""},
		"an e-mail address in a sentence is no flow":                  {`{"mail":"johanna.baumgartner@example.com","n":"x"}`, `{"text":"Ask johanna.baumgartner@example.com, she knows","m":"y"}`, ""},
		"an e-mail address that is the whole argument is a flow":      {`{"mail":"johanna.baumgartner@example.com","n":"x"}`, `{"text":"johanna.baumgartner@example.com","m":"y"}`, "value"},
		"an e-mail address as a recipient is no flow":                 {`{"mail":"johanna.baumgartner@example.com","n":"x"}`, `{"to":"johanna.baumgartner@example.com","m":"y"}`, ""},
		"a commit's name is no flow":                                  {`{"commit":"9fceb02d0ae598e95dc970b74767f19372d61af8","n":"x"}`, `{"text":"9fceb02d0ae598e95dc970b74767f19372d61af8","m":"y"}`, ""},
		"a rule of dashes is no flow":                                 {content(strings.Repeat("-", 80)), `{"text":` + quoted(strings.Repeat("-", 80)) + `,"m":"y"}`, ""},
		"a destination is no flow":                                    {`{"id":"C0ABCDEFGH-general-announcements","n":"x"}`, `{"channel":"C0ABCDEFGH-general-announcements","m":"y"}`, ""},
		"a key in a destination is a flow":                            {content(config), object("channel", "to "+plainKey), "word"},
		"an empty result and empty arguments are no flow":             {`{}`, `{}`, ""},
		"the same number is no flow":                                  {`{"total":123456789012345678901234}`, `{"total":123456789012345678901234}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			a.reads("github", internal, c.result)
			got := ""
			for _, e := range a.sends("slack", external, c.args) {
				got = e.Match
			}
			if got != c.match && (got == "" || c.match != "any") {
				t.Errorf("matched as %q, want %q", got, c.match)
			}
		})
	}
}

func fullwidth(s string) string {
	return strings.Map(func(r rune) rune { return r + 0xFEE0 }, s)
}

// Shows: FR-020.
func TestAnEdgeSaysWhatMovedFromWhereToWhere(t *testing.T) {
	a := newAgent(t, limits)
	a.reads("github", internal, content("token: "+gitToken))
	got := a.sends("slack", external, `{"channel":"#general","blocks":[{"text":"psst: `+gitToken+`"}]}`)
	want := []mcpproxy.Edge{{
		From: mcpproxy.Origin{
			CallID:    "call-1",
			Server:    "github",
			Tool:      "read",
			Side:      mcpproxy.Internal,
			Sensitive: []string{"api_token"},
		},
		To:          "slack",
		ToSide:      mcpproxy.External,
		Type:        mcpproxy.InternalToExternal,
		Risk:        mcpproxy.RiskCritical,
		Sensitive:   []string{"api_token"},
		Path:        "arguments.blocks[0].text",
		Match:       "secret",
		Bytes:       len(gitToken),
		Destination: mcpproxy.FromNowhere,
		Start:       6,
		End:         6 + len(gitToken),
		Evidence:    "[api_token]",
		Confidence:  0.99,
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(mcpproxy.Origin{}, "Time")); diff != "" {
		t.Error(diff)
	}
}

// The words around a secret identify it. An attacker leaves them out.
func TestASecretStaysSensitiveWithoutTheWordsAroundIt(t *testing.T) {
	const result = "[default]\naws_secret_access_key = " + awsKey + "\n"
	for name, args := range map[string]string{
		"alone":                       awsKey,
		"in a sentence":               "remember this: " + awsKey + " okay",
		"in upper case":               strings.ToUpper(awsKey),
		"with the words":              "aws_secret_access_key = " + awsKey,
		"with white space around it":  "\n  " + awsKey + "  \n",
		"with a zero-width character": awsKey[:20] + "\u200b" + awsKey[20:],
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, limits)
			a.reads("github", internal, content(result))
			trace := a.tracker.Check(a.passage("slack", "post", external, says(args), "arguments"))
			edges, known := trace.Edges, trace.Known
			if len(edges) == 0 || edges[0].Risk != mcpproxy.RiskCritical {
				t.Errorf("no critical edge: %+v", edges)
			}
			// The masking of the arguments must know the secret, or find it itself.
			if args == awsKey &&
				(len(known) == 0 || known[0].Value != awsKey || known[0].Category != "cloud_credentials") {
				t.Errorf("the secret is not among the known ones: %+v", known)
			}
		})
	}
}

// FR-023 and FR-024: four types, and the risk that goes with each.
// Shows: FR-023, FR-024.
func TestFlowTypesAndRisk(t *testing.T) {
	for name, c := range map[string]struct {
		from, to  mcpproxy.Class
		flow      mcpproxy.FlowType
		risk      mcpproxy.RiskLevel
		sensitive mcpproxy.RiskLevel
	}{
		"internal to internal is safe":   {internal, internal, mcpproxy.InternalToInternal, mcpproxy.RiskNone, mcpproxy.RiskNone},
		"external to external is safe":   {external, external, mcpproxy.ExternalToExternal, mcpproxy.RiskNone, mcpproxy.RiskNone},
		"external to internal is safe":   {external, internal, mcpproxy.ExternalToInternal, mcpproxy.RiskNone, mcpproxy.RiskNone},
		"internal to external is a risk": {internal, external, mcpproxy.InternalToExternal, mcpproxy.RiskMedium, mcpproxy.RiskCritical},
		"internal to hybrid is a risk":   {internal, hybrid, mcpproxy.InternalToExternal, mcpproxy.RiskMedium, mcpproxy.RiskCritical},
		"hybrid to external is a risk":   {hybrid, external, mcpproxy.InternalToExternal, mcpproxy.RiskMedium, mcpproxy.RiskCritical},
		"unknown to external is a risk":  {unknown, external, mcpproxy.InternalToExternal, mcpproxy.RiskMedium, mcpproxy.RiskCritical},
		"external to hybrid is external": {external, hybrid, mcpproxy.ExternalToExternal, mcpproxy.RiskNone, mcpproxy.RiskNone},
	} {
		t.Run(name, func(t *testing.T) {
			if got := flow.TypeOf(c.from.Side, c.to); got != c.flow {
				t.Errorf("TypeOf is %s, want %s", got, c.flow)
			}
			for what, want := range map[string]mcpproxy.RiskLevel{prose: c.risk, "token " + gitToken: c.sensitive} {
				a := newAgent(t, limits)
				a.reads("from", c.from, `{"a":`+quoted(what)+`,"b":1}`)
				edges := a.sends("to", c.to, says(what))
				if c.from.Side == mcpproxy.External && len(edges) == 0 && what != prose {
					continue // an external secret does not belong to the user
				}
				if len(edges) != 1 || edges[0].Type != c.flow || edges[0].Risk != want {
					t.Errorf("%q: got %+v, want one edge %s with risk %s", what, edges, c.flow, want)
				}
			}
		})
	}
}
