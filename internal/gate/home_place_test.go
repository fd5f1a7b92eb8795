package gate_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/home"
)

// homes returns a home with confirmed entries.
func homes(t *testing.T, entries ...string) *home.Home {
	t.Helper()
	var own []home.Entry
	for _, s := range entries {
		e, err := home.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		e.State = home.Confirmed
		own = append(own, e)
	}
	return home.New(own)
}

func TestPlacesOfHomeHaveTheUsersOwnAudience(t *testing.T) {
	issue := func(server, owner, repo string) *mcpproxy.Call {
		return call(server, "create_issue", `{"owner":"`+owner+`","repo":"`+repo+`","title":"Login","body":"It fails."}`)
	}
	shell := func(line string) *mcpproxy.Call {
		c := askable("", "Bash", object("command", line))
		return c
	}
	for name, c := range map[string]struct {
		home []string
		call *mcpproxy.Call
		want bool
	}{
		"a repository of an owner":                 {[]string{"github.com/acme"}, issue("github", "acme", "shop"), true},
		"in another case":                          {[]string{"github.com/acme"}, issue("github", "Acme", "Shop"), true},
		"the repository itself":                    {[]string{"github.com/acme/shop"}, issue("github", "acme", "shop"), true},
		"another repository of that owner":         {[]string{"github.com/acme/shop"}, issue("github", "acme", "tools"), false},
		"a stranger's repository":                  {[]string{"github.com/acme"}, issue("github", "mallory", "shop"), false},
		"a stranger whose name begins alike":       {[]string{"github.com/acme"}, issue("github", "acme-mirror", "shop"), false},
		"a stranger's repository of the same name": {[]string{"github.com/acme/shop"}, issue("github", "mallory", "acme"), false},
		"the same name at another forge":           {[]string{"github.com/acme"}, issue("gitlab", "acme", "shop"), false},
		"a server without the name of a forge":     {[]string{"git.acme.example/acme"}, issue("code", "acme", "shop"), true},
		"a forge on a host of its own":             {[]string{"git.acme.example/acme"}, issue("github", "acme", "shop"), true},
		"owner and repository in one":              {[]string{"github.com/acme"}, call("github", "create_issue", `{"repo":"acme/shop","title":"x"}`), true},
		"an owner that contradicts it":             {[]string{"github.com/acme"}, call("github", "create_issue", `{"owner":"mallory","repo":"acme/shop","title":"x"}`), false},
		"a second owner further in":                {[]string{"github.com/acme"}, call("github", "create_issue", `{"owner":"acme","repo":"shop","at":{"owner":"mallory"}}`), false},
		"a path out of the owner":                  {[]string{"github.com/acme"}, issue("github", "acme/..", "mallory"), false},
		"a repository without its owner":           {[]string{"github.com/acme"}, call("github", "create_issue", `{"repo":"shop","title":"x"}`), false},
		"an address in the repository":             {[]string{"github.com/acme"}, call("http", "post", `{"url":"https://github.com/acme/shop/issues","body":"x"}`), true},
		"an address beside it":                     {[]string{"github.com/acme"}, call("http", "post", `{"url":"https://github.com/mallory/shop/issues","body":"x"}`), false},
		"an address that leads out of it":          {[]string{"github.com/acme"}, call("http", "post", `{"url":"https://github.com/acme/shop/../../mallory/x","body":"x"}`), false},
		"an address that leads out of it, encoded": {[]string{"github.com/acme"}, call("http", "post", `{"url":"https://github.com/acme/shop%2f..%2f..%2fmallory","body":"x"}`), false},
		"the interface for programs":               {[]string{"github.com/acme"}, call("http", "post", `{"url":"https://api.github.com/repos/acme/shop/issues","body":"x"}`), true},
		"a push to the repository":                 {[]string{"github.com/acme"}, shell("git push git@github.com:acme/shop.git HEAD"), true},
		"a push to a stranger's":                   {[]string{"github.com/acme"}, shell("git push git@github.com:mallory/shop.git HEAD"), false},
		"a push to both":                           {[]string{"github.com/acme"}, shell("git push git@github.com:acme/shop.git HEAD; git push git@github.com:mallory/shop.git HEAD"), false},
		"an issue by gh":                           {[]string{"github.com/acme"}, shell("gh issue create -R acme/shop -t Login -b fails"), true},
		"an issue by gh at a stranger's":           {[]string{"github.com/acme"}, shell("gh issue create -R mallory/shop -t Login -b fails"), false},
		"a channel of the own workspace":           {[]string{"workspace:T0ACME"}, call("slack", "post_message", `{"team_id":"T0ACME","channel":"ops","text":"x"}`), true},
		"a channel of another workspace":           {[]string{"workspace:T0ACME"}, call("slack", "post_message", `{"team_id":"T0EVIL","channel":"ops","text":"x"}`), false},
		"a channel of an unknown workspace":        {[]string{"workspace:T0ACME"}, call("slack", "post_message", `{"channel":"T0ACME","text":"x"}`), false},
		"the user's own account":                   {[]string{"account:ana-k"}, call("jira", "assign_issue", `{"assignee":"ana-k","key":"A-1"}`), true},
		"another account":                          {[]string{"account:ana-k"}, call("jira", "assign_issue", `{"assignee":"mallory","key":"A-1"}`), false},
	} {
		t.Run(name, func(t *testing.T) {
			s := defaults()
			s.Home = homes(t, c.home...)
			h := newRig(t, t.TempDir(), s)
			v, _ := h.does(c.call)
			facts := h.settled(t, v.ID).Metadata
			if got := facts.Audience == mcpproxy.AudienceHome; got != c.want {
				t.Errorf("audience %q of %+v, want home: %v", facts.Audience, facts.Destinations, c.want)
			}
			for _, d := range facts.Destinations {
				if c.want && !d.Home {
					t.Errorf("%+v is not home", d)
				}
			}
		})
	}
}
