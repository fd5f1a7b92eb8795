package redact_test

import (
	"testing"

	"mcpproxy/internal/redact"
)

func TestWhatStandsBehindASlashIsSeen(t *testing.T) {
	check(t, []shape{
		{"Java's address", "Failed to connect to /172.17.0.4:9092", "Failed to connect to /[address]"},
		{"a public one", "Connection reset by peer /198.51.100.4:5432", "Connection reset by peer /[address]"},
		{"one without a port", "Connection refused: /10.0.0.4", "Connection refused: /[host]"},
		{"a host without a scheme", "cannot load //internal-host:8080/login", "cannot load //[address]/login"},
		{"an address in a route", "POST /proxy/10.0.0.5:8080/x", "POST /proxy/[address]/x"},
		{"a key in a route", "POST /services/sk-abcd1234efgh5678/x", "POST /services/[credential]/x"},
		{
			"a bot's token in a route",
			"GET /bot123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc/getMe",
			"GET /bot123456789:[credential]/getMe",
		},
		{"a socket that is called an endpoint", "endpoint /var/run/app.sock refused", "endpoint [path] refused"},
		{"a file that is got", "GET /home/bob/secret.txt: EACCES", "GET [path]: EACCES"},
	})
	kept(
		t,
		"GET /repos/a/b/commits/3 returned 404",
		"POST /v1/messages: 422",
		"Mozilla/5.0 Chrome/10.0.0.1 is too old",
		"DELETE /users/42/keys/7: not found",
	)
}

func TestNamesThatBeginLikeKeysStay(t *testing.T) {
	check(t, []shape{
		{"letters and digits mixed", "bad key sk-abcd1234efgh5678", "bad key [credential]"},
		{"letters before digits", "bad key sk-abcdef1234567890", "bad key [credential]"},
		{"digits before letters", "bad key sk-1234567890abcdef", "bad key [credential]"},
		{"live", "rk_live_51Habcdefgh", "[credential]"},
		{"letters only", "sk-aBcDeFgHiJkLmNoPqRsTuV", "[credential]"},
		{"a mail service's", "key-3ax6xnjp29jd6fds4gc373sgvjxteol0", "[credential]"},
		{"another's", "api-7f3k9x2m5q8w1z4b", "[credential]"},
		{"a password is no word", "password: hunter2", "password: [key]"},
		{"a token's value", "token: abc123def", "token: [key]"},
	})
	kept(
		t,
		`the server "errs" has no tool "api_list_repositories_v2": did you mean "api_list_repositories_v3"?`,
		"Tool api_list_repositories_v2 failed: field 'owner' is required",
		"duplicate key value violates unique constraint \"pk_order_items2\"",
		"column pk_orderLines does not exist",
		"index key_created_at_index2 is unused",
		"locale sk_SK.UTF-8 is unknown",
		"branch api-gateway-refactoring-2024 not found",
		"No module named sk-learn-contrib2",
		"no such secret: projects/p1/secrets/foo",
		"syntax error near token: SELECT2",
		`pod "api-gateway-7d9f8b6c5d-x2v4q" not found`,
		"pk_orders_20241122 exists",
		"key_userProfile2 is no column",
		"npm_config_legacy_peer_deps2 is unknown",
		"sk_getUserById2 is no tool",
	)
	got := redact.ErrorTo("no tool api_a1b2c3d4e5f6g7h8", nil, "srv", "api_a1b2c3d4e5f6g7h8")
	if got != "no tool api_a1b2c3d4e5f6g7h8" {
		t.Errorf("a tool's own name became %q", got)
	}
}

func TestPointersIntoTheArgumentsStay(t *testing.T) {
	kept(
		t,
		`[{"instancePath":"/filters/0/op","message":"must be equal"}]`,
		`[{\"instancePath\": \"/filters/0/op\"}]`,
		`{"source":{"pointer":"/data/attributes/title"}}`,
		"jsonschema: '/filters/0/op' does not validate with x",
		"at '/filters/0/op': value must be one of 'a', 'b'",
		"Invalid value at /user/name (string expected)",
	)
	check(t, []shape{{"a host's path in a pointer's place", `{"pointer":"/home/bob/x"}`, `{"pointer":"[path]"}`}})
	known := redact.Sent(redact.Pointers([]byte(`{"filters":[{"op":1,"a/b":{"c~d":[]}}]}`)))
	for _, text := range []string{"at '/filters/0/op': wrong", "/filters/0: too few", "bad /filters/0/a~1b/c~0d."} {
		if got := redact.ErrorTo(text, known); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := redact.ErrorTo("open '/filters/1/op': wrong", known); got != "open '[path]': wrong" {
		t.Errorf("a path to nothing that was sent became %q", got)
	}
	for value, want := range map[string]string{"/data/attributes/title": "/data/attributes/title", "/etc/passwd": "[path]", "/data/x in /srv/y": "[path] in [path]"} {
		if got := redact.Member("pointer", value, nil); got != want {
			t.Errorf("pointer %q: got %q, want %q", value, got, want)
		}
	}
}

func TestFilesAndVersionsAreNoAddresses(t *testing.T) {
	kept(
		t,
		"src/app/user.service.ts:14:5 - error TS2322",
		"a.test.js:3",
		"docker-compose.prod.yml:3: bad indent",
		"types/index.d.ts:12",
		"jquery.min.js:2",
		"com.example.service.UserService:12",
		"Downgraded from 1.2.3.4 to 1.2.3.3",
		"Downgraded from 10.2.3.4 to 10.2.3.3",
		"server 8.0.33.1",
		"requires >=10.0.0.1,<11",
		"requires x >= 10.0.0.1",
		"FileVersion: 10.0.1.2",
		"SDK 10.0.1.2 is missing",
		"see section 10.1.2.3",
		`{"version":"10.0.0.1","name":"x"}`,
		"version is 10.0.0.1 or 10.0.0.2",
	)
	check(t, []shape{
		{"a host of a known domain", "db.prod.example.com:5432 is down", "[address] is down"},
		{"a host of a country", "db.acme.co.uk:5432 is down", "[address] is down"},
		{"a host that is dialed", "failed to connect to kafka-0.kafka.zone1:9092", "failed to connect to [address]"},
		{"a private address after a preposition", "from 10.0.0.5 to 192.168.1.4", "from [host] to [address]"},
		{"a public one that is dialed", "connection from 52.1.2.3 refused", "connection from [host] refused"},
		{"behind an arrow", "10.0.0.5 -> 10.0.0.6", "[host] -> [host]"},
	})
}

func TestHostsWithoutADot(t *testing.T) {
	check(t, []shape{
		{
			"Go's resolver",
			"dial tcp: lookup inventory on 10.96.0.10:53: no such host",
			"dial tcp: lookup [address] on [address]: no such host",
		},
		{"Go's resolver, already redacted", "lookup inventory on [address]", "lookup [address] on [address]"},
		{"curl's", "Could not resolve host: artifactory-int", "Could not resolve host: [address]"},
		{
			"curl's port",
			"Failed to connect to vault-01 port 8200 after 3 ms",
			"Failed to connect to [host] port 8200 after 3 ms",
		},
		{"Java's", "java.net.UnknownHostException: billing-svc", "java.net.UnknownHostException: [address]"},
		{"a port", "Error connecting to cache-01:6379.", "Error connecting to [address]."},
		{
			"Python's",
			"Failed to resolve 'inventory' ([Errno -2] Name or service not known)",
			"Failed to resolve '[address]' ([Errno -2] Name or service not known)",
		},
		{"Oracle's", "(HOST=ora-prod)(PORT=1521)", "(HOST=[host])(PORT=1521)"},
		{
			"libpq's",
			`connection to server at "db-primary.corp.example.com" (203.0.113.7), port 5432 failed`,
			`connection to server at "[address]" ([address]), port 5432 failed`,
		},
		{"libpq's, a public one", `"db.corp.example.com" (52.1.2.3), port 5432`, `"[address]" ([host]), port 5432`},
		{"MySQL's", "Unknown MySQL server host 'db-main' (0)", "Unknown MySQL server host '[host]' (0)"},
		{
			"psql's",
			`could not translate host name "pgmain" to address`,
			`could not translate host name "[host]" to address`,
		},
	})
	kept(
		t,
		"lookup table not found",
		"lookup failed for user 3",
		"could not resolve dependency tree",
		"Failed to resolve import './x'",
		"unknown host key type",
		"connect to the server first",
		"connection string: error at line:12",
		"connecting to a read-only replica is not supported",
		"cannot connect to server",
		"port 8080 is in use",
	)
}
