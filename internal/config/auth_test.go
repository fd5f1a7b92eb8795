package config_test

import (
	"fmt"
	"strings"
	"testing"

	"mcpproxy/internal/config"
)

func TestTheSectionAuth(t *testing.T) {
	const groups = `"groups": {"dev": {"servers": ["github"]}}`
	const provider = `"issuer": "https://login.acme.example", "audience": "mcpproxy"`
	page := func(more string) string {
		return `{"auth": {"oidc": {"issuer": "https://login.acme.example", "page": {"client_id": "x", "url": "https://mcp.acme.example", ` +
			more + `}}}}`
	}
	const tls = `"tls": {"local": true, "client_ca": "ca.pem"}`
	for name, c := range map[string]struct{ file, want string }{
		"a provider":                          {`{"auth": {"oidc": {` + provider + `, ` + groups + `}}}`, ""},
		"a provider on this machine":          {`{"auth": {"oidc": {"issuer": "http://127.0.0.1:9000/x", "audience": "a", ` + groups + `}}}`, ""},
		"a provider in the open":              {`{"auth": {"oidc": {"issuer": "http://login.acme.example", "audience": "a", ` + groups + `}}}`, "auth.oidc.issuer"},
		"an issuer that is a name":            {`{"auth": {"oidc": {"issuer": "login.acme.example", "audience": "a", ` + groups + `}}}`, "is not an https address"},
		"an issuer with a password":           {`{"auth": {"oidc": {"issuer": "https://a:b@login.acme.example", "audience": "a", ` + groups + `}}}`, "is not an https address"},
		"no audience":                         {`{"auth": {"oidc": {"issuer": "https://login.acme.example", ` + groups + `}}}`, "auth.oidc.audience"},
		"no groups":                           {`{"auth": {"oidc": {` + provider + `}}}`, "every token would be refused"},
		"no issuer":                           {`{"auth": {"oidc": {"audience": "a", ` + groups + `}}}`, "auth.oidc.issuer"},
		"a group without a name":              {`{"auth": {"oidc": {` + provider + `, "groups": {"": {"servers": ["x"]}}}}}`, "without a name"},
		"a group that may use nothing":        {`{"auth": {"oidc": {` + provider + `, "groups": {"dev": {}}}}}`, "auth.oidc.groups.dev: names nothing"},
		"a group with an empty list":          {`{"auth": {"oidc": {` + provider + `, "groups": {"dev": {"servers": []}}}}}`, "names nothing"},
		"a group that may use everything":     {`{"auth": {"oidc": {` + provider + `, "groups": {"dev": {"operations": ["read", "write", "destructive"]}}}}}`, ""},
		"an operation that there is not":      {`{"auth": {"oidc": {` + provider + `, "groups": {"dev": {"operations": ["delete"]}}}}}`, "must be read, write or destructive"},
		"a tool without its server":           {`{"auth": {"oidc": {` + provider + `, "groups": {"dev": {"tools": ["list"]}}}}}`, "write SERVER:TOOL"},
		"a misspelt key of a group":           {`{"auth": {"oidc": {` + provider + `, "groups": {"dev": {"server": ["x"]}}}}}`, `did you mean "servers"`},
		"no claim of the principal":           {`{"auth": {"oidc": {` + provider + `, "claims": {"principal": ""}, ` + groups + `}}}`, "claims.principal"},
		"a resource in the open":              {`{"auth": {"oidc": {` + provider + `, "resource": "http://mcp.acme.example", ` + groups + `}}}`, "auth.oidc.resource"},
		"a login to the page alone":           {page(`"owners": ["admins"]`), ""},
		"a login for auditors alone":          {page(`"auditors": ["audit"]`), ""},
		"a login for nobody":                  {page(`"name": "Acme"`), "every login would be refused"},
		"a group of the page without a name":  {page(`"owners": ["admins"], "auditors": [""]`), "a group without a name"},
		"a login without its address":         {`{"auth": {"oidc": {"issuer": "https://login.acme.example", "page": {"client_id": "x", "owners": ["a"]}}}}`, "auth.oidc.page.url"},
		"a login in the open":                 {`{"auth": {"oidc": {"issuer": "https://login.acme.example", "page": {"client_id": "x", "url": "http://mcp.acme.example", "owners": ["a"]}}}}`, "auth.oidc.page.url"},
		"a page with a path":                  {`{"auth": {"oidc": {"issuer": "https://login.acme.example", "page": {"client_id": "x", "url": "https://mcp.acme.example/x", "owners": ["a"]}}}}`, "has a path"},
		"a login without its client":          {`{"auth": {"oidc": {"issuer": "https://login.acme.example", "page": {"url": "https://mcp.acme.example", "owners": ["a"]}}}}`, "auth.oidc.page.client_id"},
		"a login without an issuer":           {`{"auth": {"oidc": {"page": {"client_id": "x", "url": "https://mcp.acme.example", "owners": ["a"]}}}}`, "auth.oidc.issuer"},
		"a recheck too often":                 {page(`"owners": ["a"], "recheck": "5s"`), "not a duration from 1m to 12h"},
		"a recheck too seldom":                {page(`"owners": ["a"], "recheck": "13h"`), "not a duration from 1m to 12h"},
		"no recheck at all":                   {page(`"owners": ["a"], "recheck": ""`), "not a duration from 1m to 12h"},
		"a scope that is two":                 {page(`"owners": ["a"], "scopes": ["groups email"]`), "not the name of a scope"},
		"a login, and half of the rest":       {`{"auth": {"oidc": {"issuer": "https://login.acme.example", ` + groups + `, "page": {"client_id": "x", "url": "https://mcp.acme.example", "owners": ["a"]}}}}`, "auth.oidc.audience"},
		"certificates":                        {`{` + tls + `, "auth": {"certificates": {"dns:ci.acme.example": {"servers": ["x"]}}}}`, ""},
		"a URI of a certificate":              {`{` + tls + `, "auth": {"certificates": {"uri:spiffe://acme.example/ci": {"tools": ["x:y"]}}}}`, ""},
		"certificates that nobody asks for":   {`{"auth": {"certificates": {"dns:ci.acme.example": {"servers": ["x"]}}}}`, "needs tls.client_ca"},
		"a name without its kind":             {`{` + tls + `, "auth": {"certificates": {"ci.acme.example": {"servers": ["x"]}}}}`, "uri:, email:, dns: or cn:"},
		"a kind without a name":               {`{` + tls + `, "auth": {"certificates": {"dns:": {"servers": ["x"]}}}}`, "uri:, email:, dns: or cn:"},
		"a certificate that may use nothing":  {`{` + tls + `, "auth": {"certificates": {"cn:ci": {}}}}`, "names nothing"},
		"authorities without TLS":             {`{"tls": {"client_ca": "ca.pem"}}`, "needs cert and key"},
		"a way of asking without authorities": {`{"tls": {"local": true, "client_auth": "require"}}`, "needs tls.client_ca"},
		"a way of asking that there is not":   {`{"tls": {"local": true, "client_ca": "ca.pem", "client_auth": "always"}}`, "optional, require"},
		"commands that could not connect":     {`{"enable_socket": false, ` + tls + `}`, "could not reach it"},
		"commands that can connect":           {`{"enable_socket": false, "tls": {"local": true, "client_ca": "ca.pem", "client_auth": "optional"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Parse("f.json", []byte(c.file), config.Lookup)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestTheClaimsThatAreReadUnlessTheFileSaysOtherwise(t *testing.T) {
	for claims, want := range map[string]config.OIDCClaims{
		`{}`:                                {Principal: "sub", Groups: "groups"},
		`{"principal": "email"}`:            {Principal: "email", Groups: "groups"},
		`{"groups": "realm_access.roles"}`:  {Principal: "sub", Groups: "realm_access.roles"},
		`{"principal": "x", "groups": "y"}`: {Principal: "x", Groups: "y"},
	} {
		file := fmt.Sprintf(`{"auth": {"oidc": {"claims": %s}}}`, claims)
		c, err := config.Parse("f.json", []byte(file), config.Lookup)
		if err != nil || c.Auth.OIDC.Claims != want {
			t.Errorf("%s: the claims are %+v (%v), want %+v", claims, c.Auth.OIDC.Claims, err, want)
		}
	}
}
