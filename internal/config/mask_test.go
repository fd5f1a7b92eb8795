package config_test

import (
	"slices"
	"strings"
	"testing"

	"mcpproxy/internal/config"
)

func TestArgumentsAreShownWithoutTheirSecrets(t *testing.T) {
	for name, c := range map[string]struct{ args, want []string }{
		"a flag and its value":        {[]string{"--token", "s3cret", "--verbose"}, []string{"--token", "[masked]", "--verbose"}},
		"a flag with its value":       {[]string{"--api-key=s3cret"}, []string{"--api-key=[masked]"}},
		"a header":                    {[]string{"--header", "Authorization: Bearer s3cret"}, []string{"--header", "Authorization: [masked]"}},
		"a header that ends in =":     {[]string{"--header", "Authorization: Basic s3cretA=="}, []string{"--header", "Authorization: [masked]"}},
		"any header behind its flag":  {[]string{"-H", "X-Tenant:s3cret", "x"}, []string{"-H", "X-Tenant:[masked]", "x"}},
		"a header with its flag":      {[]string{"--header=Authorization: Bearer s3cret"}, []string{"--header=Authorization: [masked]"}},
		"a header behind another":     {[]string{"run", "Cookie: s3cret"}, []string{"run", "Cookie: [masked]"}},
		"a variable":                  {[]string{"-e", "GITHUB_TOKEN=s3cret"}, []string{"-e", "GITHUB_TOKEN=[masked]"}},
		"an address":                  {[]string{"https://u:s3cret@a.example/mcp?k=s3cret"}, []string{"https://masked@a.example/mcp?masked"}},
		"an address with its flag":    {[]string{"--url=https://u:s3cret@a.example/mcp"}, []string{"--url=https://masked@a.example/mcp"}},
		"a reference":                 {[]string{"--token", "${env:T}", "--header", "Authorization: Bearer ${env:T}"}, []string{"--token", "${env:T}", "--header", "Authorization: Bearer ${env:T}"}},
		"a secret beside a reference": {[]string{"--token", "s3cret${env:T}"}, []string{"--token", "[masked]"}},
		"what is no secret":           {[]string{"-y", "mcp-remote@1.2", "https://a.example/mcp", "--port=80", "-v", "/a:/b"}, []string{"-y", "mcp-remote@1.2", "https://a.example/mcp", "--port=80", "-v", "/a:/b"}},
	} {
		t.Run(name, func(t *testing.T) {
			shown := config.Config{Servers: config.Servers{{Name: "a", Args: slices.Clone(c.args)}}}
			shown.Mask()
			got := shown.Servers[0].Args
			if !slices.Equal(got, c.want) || strings.Contains(strings.Join(got, " "), "s3cret") {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestAddressesWithReferencesAreShownWithoutTheirSecrets(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.example/${env:TENANT}/mcp":          "https://a.example/${env:TENANT}/mcp",
		"https://${env:U}:${env:P}@a.example/mcp":      "https://${env:U}:${env:P}@a.example/mcp",
		"https://a.example/mcp?key=${env:K}":           "https://a.example/mcp?key=${env:K}",
		"https://u:s3cret@a.example/${env:TENANT}/mcp": "[masked]",
		"https://a.example/${env:T}?key=s3cret":        "[masked]",
	} {
		shown := config.Config{Servers: config.Servers{{Name: "a", URL: address}}}
		if shown.Mask(); shown.Servers[0].URL != want {
			t.Errorf("%s is shown as %s", address, shown.Servers[0].URL)
		}
	}
}

func TestSecretsInPlainTextAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		server config.Server
		want   string
	}{
		"none":                    {config.Server{Command: "x", Args: []string{"-y", "y"}, Env: map[string]string{"NODE_ENV": "production", "TOKEN": "", "DOCS": "https://a.example/x"}}, ""},
		"references":              {config.Server{URL: "https://a.example/mcp", Env: map[string]string{"TOKEN": "${env:T}"}, Headers: map[string]string{"Authorization": "Bearer ${keyring:a}"}}, ""},
		"the environment":         {config.Server{Command: "x", Env: map[string]string{"GITHUB_TOKEN": "s3cret", "API_KEY": "s3cret"}}, "env API_KEY, env GITHUB_TOKEN"},
		"an address with a login": {config.Server{Command: "x", Env: map[string]string{"DATABASE": "postgres://me:s3cret@db.example/x"}}, "env DATABASE"},
		"a header":                {config.Server{URL: "https://a.example/mcp", Headers: map[string]string{"Authorization": "Bearer s3cret", "Accept": "x"}}, "header Authorization"},
		"an argument":             {config.Server{Command: "x", Args: []string{"--api-key=s3cret"}}, "args"},
		"an address":              {config.Server{URL: "https://a.example/mcp?key=s3cret"}, "url"},
	} {
		if got := strings.Join(c.server.Plain(), ", "); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestTheAddressOfTheLogsDatabaseIsMasked(t *testing.T) {
	for store, want := range map[string]string{
		"sqlite":         "sqlite",
		"${env:LOG_URL}": "${env:LOG_URL}",
		"postgres://log:hunter2@db/log?sslmode=require":  "postgres://masked@db/log?masked",
		"postgres://log:${env:PW}@db/log":                "[masked]",
		"${env:LOG_URL}&password=hunter2":                "[masked]",
		"postgres://db/log?user=log&password=hunter2":    "postgres://db/log?masked",
		"postgresql://log@db.example:5433/log":           "postgresql://masked@db.example:5433/log",
		"postgres://log:hunter2%zz@db/log?sslmode=allow": "[masked]",
	} {
		c := config.Default()
		c.Activity.Store = store
		if c.Mask(); c.Activity.Store != want {
			t.Errorf("%s is shown as %s; the test expects %s", store, c.Activity.Store, want)
		}
	}
}

func TestTheStoreOfTheLogIsAFileOrADatabase(t *testing.T) {
	for store, want := range map[string]string{
		"sqlite":                     "",
		"postgres://log@db/log":      "",
		"postgresql://log@db/log":    "",
		"mysql://log:hunter2@db/log": "not a PostgreSQL address",
		"postgres":                   "sqlite",
	} {
		_, err := config.Parse("c.json", []byte(`{"activity": {"store": "`+store+`"}}`), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", store, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error quotes the password: %v", err)
		}
	}
}
