package locate_test

import (
	"slices"
	"testing"

	"mcpproxy/internal/locate"
)

func TestASiteIsCalledByTheNameOfItsOwner(t *testing.T) {
	for host, want := range map[string]string{
		"api.sendgrid.com":                "sendgrid",
		"api.postmarkapp.com":             "postmark",
		"public-api.meteo-nord.fr":        "meteonord",
		"zenodo.org":                      "zenodo",
		"my.castlegas.co.uk":              "castlegas",
		"www.example.co.uk":               "example",
		"api.github.com":                  "", // strangers have accounts there
		"hooks.slack.com":                 "",
		"acme.zendesk.com":                "", // a customer's host
		"sendgrid.com.evil.example":       "",
		"sendgrid.collect.example":        "",
		"x.io":                            "", // too short
		"192.0.2.7":                       "",
		"co.uk":                           "",
		"":                                "",
		"api.sendgrid.com:443":            "",
		"xn--sendgrd-q2a.com/../mail.com": "",
	} {
		names := locate.SiteNames(host)
		if want == "" && len(names) > 0 || want != "" && !slices.Contains(names, want) {
			t.Errorf("%s is called %q, want %q", host, names, want)
		}
	}
}

func TestALongerNameBelongsToAnotherOwner(t *testing.T) {
	for _, c := range []struct {
		host, name string
		want       bool
	}{
		{"api.postmarkapp.com", "postmark", true},
		{"api.postmark.com", "postmark", true},
		{"postmark-mail.com", "postmark", false},
		{"postmark.evil.com", "postmark", false},
		{"api.post.com", "postmark", false},
	} {
		if got := locate.IsCalled(c.host, c.name); got != c.want {
			t.Errorf("%s is called %s: %v", c.host, c.name, got)
		}
	}
}
