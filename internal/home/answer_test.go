package home_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/home"
)

func TestSaysWhoKnowsQuestionsAboutTheUser(t *testing.T) {
	for call, want := range map[string]bool{
		"get_me {}":                      true,
		"getMe":                          true,
		"github_get_me {}":               true,
		"API-get-self {}":                true,
		"whoami null":                    true,
		"auth.test {}":                   true,
		"viewer {}":                      true,
		`get_me {"reason":"to know"}`:    true,
		`get_me {"fields":"login"}`:      true,
		`get_profile {"include":["x"]}`:  true,
		`get_profile {"verbose":true}`:   true,
		`get_profile {"user":"mallory"}`: false,
		`get_profile {"id":7}`:           false,
		`get_profile ["mallory"]`:        false,
		"get_user {}":                    false,
		"about_me {}":                    false,
		"list_users {}":                  false,
		"readme {}":                      false,
		"home {}":                        false,
		"":                               false,
	} {
		tool, arguments, _ := strings.Cut(call, " ")
		if got := home.SaysWho(tool, json.RawMessage(arguments)); got != want {
			t.Errorf("%s: %v", call, got)
		}
	}
}

func TestAnAnswerTellsOfTheOwnAccountOnly(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   []string
	}{
		"login, company address and its domain": {
			`{"login":"ana-acme","id":583231,"details":{"name":"Ana","email":"ana@acme.example","company":"evil.example"}}`,
			[]string{"acme.example", "ana@acme.example", "account:ana-acme"},
		},
		"a free mailbox, without its domain": {
			`{"emailAddress":"Ana@gmail.com","messagesTotal":3}`,
			[]string{"ana@gmail.com"},
		},
		"an address that hides the user": {
			`{"login":"ana","email":"1+ana@users.noreply.github.com"}`,
			[]string{"1+ana@users.noreply.github.com", "account:ana"},
		},
		"a workspace and its host": {
			`{"ok":true,"url":"https://acme.slack.com/","team":"Acme","user":"ana","team_id":"T0123","user_id":"U77"}`,
			[]string{"account:ana", "account:u77", "workspace:acme.slack.com", "workspace:t0123"},
		},
		"a nested viewer with an organisation": {
			`{"data":{"viewer":{"email":"ana@acme.example","organization":{"id":"org-17","name":"Acme"}}}}`,
			[]string{"acme.example", "ana@acme.example", "workspace:org-17"},
		},
		"nothing of other people": {
			`{"followers":[{"login":"mallory","email":"m@evil.example"}],"last_message":{"email":"m@evil.example"},
				"invited_by":{"login":"mallory"},"bio":"mail me at m@evil.example"}`,
			nil,
		},
		"no small numbers, short words or texts": {
			`{"user_id":"7","login":"a","username":"two\nlines"}`,
			nil,
		},
		"no host of a site that gives workspaces no hosts": {
			`{"url":"https://evil.example/acme.slack.com","workspace_url":"https://a.b.slack.com"}`,
			nil,
		},
		"a list": {`[{"login":"ana"}]`, nil},
		"prose":  {`You are ana@acme.example`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, c.answer)
			if diff := cmp.Diff(c.want, words(home.FromAnswer(json.RawMessage(text)))); diff != "" {
				t.Error(diff)
			}
			failed := strings.Replace(text, "{", `{"isError":true,`, 1)
			if got := home.FromAnswer(json.RawMessage(failed)); got != nil {
				t.Errorf("a failure says %v", got)
			}
			if !strings.HasPrefix(c.answer, "{") {
				return
			}
			structured := fmt.Sprintf(`{"content":[],"structuredContent":%s}`, c.answer)
			if diff := cmp.Diff(c.want, words(home.FromAnswer(json.RawMessage(structured)))); diff != "" {
				t.Errorf("structured: %s", diff)
			}
		})
	}
}

func words(entries []home.Entry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.String())
	}
	return out
}

func TestRemotesOfOtherMachinesNameRepositories(t *testing.T) {
	for url, want := range map[string]string{
		"https://github.com/Acme/App.git":                "github.com/acme/app",
		"https://ana:token@github.com/acme/app":          "github.com/acme/app",
		"git@github.com:acme/app.git":                    "github.com/acme/app",
		"ssh://git@git.acme.example:2222/team/sub/x.git": "git.acme.example/team/sub/x",
		"work-alias:acme/app":                            "work-alias/acme/app",
		"/srv/git/app.git":                               "",
		"../app":                                         "",
		"dir/sub/app":                                    "",
		"file:///srv/git/app":                            "",
		"ext::sh -c evil":                                "",
		"":                                               "",
	} {
		e, ok := home.FromRemote(url)
		if ok != (want != "") || ok && e.Value != want {
			t.Errorf("%q is %q, %v", url, e.Value, ok)
		}
	}
}

func FuzzFromAnswer(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"{\"login\":\"ana\",\"email\":\"ana@acme.example\"}"}]}`))
	f.Add([]byte(`{"structuredContent":{"team":{"id":"T0123"},"url":"https://acme.slack.com"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		home.SaysWho("get_me", raw)
		for _, e := range home.FromAnswer(raw) {
			again, err := home.Make(e.Kind, e.Value)
			if err != nil || !again.Same(e) {
				t.Errorf("%v is read as %v, %v", e, again, err)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"acme.example",
		"me@acme.example",
		"git@github.com:acme/app.git",
		"workspace:T0123",
		"bücher.example",
		"@ 00",
		"ü..",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := home.Parse(s)
		if err != nil {
			return
		}
		again, err := home.Parse(e.String())
		if err != nil || again != e {
			t.Errorf("%q is %v, which is read as %v, %v", s, e, again, err)
		}
		home.New([]home.Entry{e}).Host(s)
	})
}
