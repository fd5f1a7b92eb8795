package config_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/config"
)

func TestSettingsOfConnectionsToServers(t *testing.T) {
	for name, c := range map[string]struct {
		server string
		says   string // words of the refusal; "" when it holds
	}{
		"a token over https":                          {`"url": "https://a.example", "headers": {"Authorization": "x"}`, ""},
		"a token on this machine":                     {`"url": "http://127.0.0.1:1", "headers": {"Authorization": "x"}`, ""},
		"a token to localhost":                        {`"url": "http://localhost:1", "headers": {"X-Api-Key": "x"}`, ""},
		"a token in the clear":                        {`"url": "http://a.example", "headers": {"Authorization": "x"}`, "use an https url"},
		"a token in the clear within a network":       {`"url": "http://10.0.0.1", "headers": {"X-My-Secret": "x"}`, "X-My-Secret"},
		"a token in the clear over the old transport": {`"url": "http://a.example", "protocol": "sse", "headers": {"Cookie": "x"}`, "Cookie"},
		"a password in the address":                   {`"url": "http://u:p@a.example"`, "user and password"},
		"a key in the address":                        {`"url": "http://a.example/mcp?tenant=1&api_key=x"`, "api_key"},
		"a key in the address over https":             {`"url": "https://a.example/mcp?api_key=x"`, ""},
		"a key in an address on this machine":         {`"url": "http://localhost:1/mcp?access_token=x"`, ""},
		"an ordinary parameter in the clear":          {`"url": "http://a.example/mcp?keywords=x&author=y"`, ""},
		"an ordinary header in the clear":             {`"url": "http://a.example", "headers": {"X-Tenant": "x"}`, ""},
		"tls without https":                           {`"url": "http://a.example", "tls": {"ca_file": "x"}`, "needs an https url"},
		"a certificate without its key":               {`"url": "https://a.example", "tls": {"cert_file": "x"}`, "belong together"},
		"an old version of tls":                       {`"url": "https://a.example", "tls": {"min_version": "1.1"}`, "min_version"},
		"any certificate from afar":                   {`"url": "https://a.example", "tls": {"insecure_skip_verify": true}`, "ca_file"},
		"any certificate on this machine":             {`"url": "https://localhost", "tls": {"insecure_skip_verify": true}`, ""},
		"tls of a program":                            {`"command": "x", "tls": {}`, "servers with a url"},
		"a proxy":                                     {`"url": "https://a.example", "proxy": "socks5://p:1"`, ""},
		"no proxy":                                    {`"url": "https://a.example", "proxy": "none"`, ""},
		"a proxy that is no address":                  {`"url": "https://a.example", "proxy": "p:1"`, "proxy"},
		"isolation of a program":                      {`"command": "x", "isolation": {"read": ["/a", "~/b"], "network": false, "memory_mb": 64}`, ""},
		"a list of hosts":                             {`"command": "x", "isolation": {"network": ["api.github.com", "*.npmjs.org", "[::1]:80", "10.0.0.0/8"]}`, ""},
		"a network that is observed":                  {`"command": "x", "isolation": {"network": "observe"}`, ""},
		"an open network":                             {`"command": "x", "isolation": {"network": true}`, ""},
		"a network that nobody knows":                 {`"command": "x", "isolation": {"network": "watch"}`, "observe"},
		"a network that is a number":                  {`"command": "x", "isolation": {"network": 1}`, "network"},
		"a host that is an address of the web":        {`"command": "x", "isolation": {"network": ["https://a.example/"]}`, "name the host only"},
		"every host":                                  {`"command": "x", "isolation": {"network": ["*"]}`, "observe"},
		"the standard profile":                        {`"command": "x", "isolation": {"profile": "standard", "read": ["~/.kube"]}`, ""},
		"a profile that nobody knows":                 {`"command": "x", "isolation": {"profile": "standart"}`, "standard"},
		"isolation of a server elsewhere":             {`"url": "https://a.example", "isolation": {}`, "only a stdio server"},
		"isolation with a relative path":              {`"command": "x", "isolation": {"write": ["a"]}`, "absolute path"},
		"too little memory":                           {`"command": "x", "isolation": {"memory_mb": 1}`, "too small"},
		"a negative time":                             {`"command": "x", "isolation": {"cpu_secs": -1}`, "negative"},
		"a negative size":                             {`"command": "x", "max_text_mb": -1`, "negative"},
		"oauth over https":                            {`"url": "https://a.example", "oauth": {}`, ""},
		"oauth on this machine":                       {`"url": "http://localhost:1", "oauth": {"store": "file", "redirect_port": 8085}`, ""},
		"oauth in the clear":                          {`"url": "http://a.example", "oauth": {}`, "use an https url"},
		"oauth of a program":                          {`"command": "x", "oauth": {}`, "servers with a url"},
		"oauth beside a header":                       {`"url": "https://a.example", "oauth": {}, "headers": {"authorization": "x"}`, "both set the credentials"},
		"oauth beside a password":                     {`"url": "https://u:p@a.example", "oauth": {}`, "both set the credentials"},
		"a client secret without a client id":         {`"url": "https://a.example", "oauth": {"client_secret": "x"}`, "client_id"},
		"an issuer in the clear":                      {`"url": "https://a.example", "oauth": {"issuer": "http://b.example"}`, "without encryption"},
		"an issuer with a query":                      {`"url": "https://a.example", "oauth": {"issuer": "https://b.example/?a=b"}`, "not an issuer"},
		"two scopes in one string":                    {`"url": "https://a.example", "oauth": {"scopes": ["a b"]}`, "not a scope"},
		"a port that is none":                         {`"url": "https://a.example", "oauth": {"redirect_port": 70000}`, "not a port"},
		"a store that is none":                        {`"url": "https://a.example", "oauth": {"store": "memory"}`, "must be one of auto, keyring, file"},
		"an unknown key of oauth":                     {`"url": "https://a.example", "oauth": {"scope": "a"}`, "scopes"},
		"an unknown key of isolation":                 {`"command": "x", "isolation": {"raed": ["/a"]}`, "read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Parse("f.json", []byte(`{"mcpServers": [{"name": "a", `+c.server+`}]}`), nil)
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}
