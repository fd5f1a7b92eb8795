package redact_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/redact"
)

// shape is an error of a server, with the text that an agent should read.
type shape struct{ name, text, want string }

func check(t *testing.T, shapes []shape) {
	t.Helper()
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			if got := redact.ErrorTo(s.text, nil); got != s.want {
				t.Errorf("%q\n got %q\nwant %q", s.text, got, s.want)
			}
		})
	}
}

// kept checks texts that must not change.
func kept(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if got := redact.ErrorTo(text, nil); got != text {
			t.Errorf("%q\n became %q", text, got)
		}
	}
}

func TestURLs(t *testing.T) {
	check(t, []shape{
		{"http", "Failed to fetch http://localhost:3000/api/v1: refused", "Failed to fetch [url]: refused"},
		{"https in a sentence", "see https://api.example.com/v1/users?id=1.", "see [url]."},
		{"in parentheses", "(https://a.example/x)", "([url])"},
		{"quoted", `fetch "https://a.example/x" failed`, `fetch "[url]" failed`},
		{"postgres with a password", "connect to postgres://u:p@db.example/prod failed", "connect to [url] failed"},
		{"a password with a slash and an at", "postgres://admin:p/a@ss@10.0.0.5:5432/prod", "[url]"},
		{"a password with brackets", "redis://:s}e]c)@cache:6379/0 timed out", "[url] timed out"},
		{"mongodb+srv", "mongodb+srv://u:p@cluster0.abc.mongodb.net/?w=1", "[url]"},
		{"jdbc", "jdbc:postgresql://10.1.2.3:5432/prod", "jdbc:[url]"},
		{"any scheme with a user", "weird+x://me:pw@host/y", "[url]"},
		{"any scheme with a port", "weird://host:99/y", "[url]"},
		{"any scheme of the inside", "weird://db.internal/y", "[url]"},
		{"an IPv6 host", "http://[::1]:8080/x", "[url]"},
		{"a bare IPv6 host", "dial http://[::1]", "dial [url]"},
		{"file", "cannot open file:///srv/data/x.db now", "cannot open [path] now"},
		{"object storage", "s3://acme-prod-backup/dump.sql", "[url]"},
		{"two in one", "http://a.example or https://b.example", "[url] or [url]"},
		{"a long one", "notes://" + strings.Repeat("a", 2000), "[url]"},
	})
	kept(t, "Resource not found: notes://today. Known: notes://all, ui://widget/1", "use the form scheme://", "a :// b")
}

func TestAddresses(t *testing.T) {
	check(t, []shape{
		{"IPv4 with a port", "connection refused: 127.0.0.1:9876", "connection refused: [address]"},
		{"a public one with a port", "dial tcp 52.1.2.3:443: i/o timeout", "dial tcp [address]: i/o timeout"},
		{"a private one without", "no route to 192.168.1.20.", "no route to [address]."},
		{"a public one after a preposition", "cannot connect to 52.1.2.3", "cannot connect to [host]"},
		{
			"a user's host",
			"Access denied for user 'root'@'172.18.0.1' (using password: YES)",
			"Access denied for user 'root'@'[address]' (using password: YES)",
		},
		{"a network", "10.0.0.0/8 is not allowed", "[address] is not allowed"},
		{"Node's IPv6", "connect ECONNREFUSED ::1:5432", "connect ECONNREFUSED [host]"},
		{
			"IPv6 in brackets",
			"dial tcp [::1]:5432: connect: connection refused",
			"dial tcp [address]: connect: connection refused",
		},
		{"a full IPv6", "peer 2001:db8:0:0:1:0:0:1 reset", "peer [address] reset"},
		{"a zone", "via fe80::1%eth0, lost", "via [address], lost"},
		{"IPv6 before a colon", "fe80::1: unreachable", "[host]: unreachable"},
		{"localhost with a port", "connection to localhost:6379 failed", "connection to [address] failed"},
		{"a host with a port", "lookup failed for db.prod.example.com:5432", "lookup failed for [address]"},
		{"a host of the inside", "no such host: vault.internal", "no such host: [address]"},
		{"a host of a cluster", "api.default.svc.cluster.local is down", "[address] is down"},
		{"what could not be resolved", "getaddrinfo ENOTFOUND redis", "getaddrinfo ENOTFOUND …"},
		{
			"a connection string",
			"Server=db01;Database=x;User Id=sa;Password=hunter2;",
			"Server=…;Database=x;User Id=sa;Password=[key];",
		},
		{
			"libpq",
			"host=db-primary port=5432 user=app password=topsecret1 dbname=x",
			"host=[address] port=5432 user=app password=[key] dbname=x",
		},
	})
	kept(
		t,
		"version 1.2.3.4 is too old",
		"Chrome/10.0.0.1",
		"requires foo==10.0.0.1",
		"v10.0.0.5",
		"release 10.2.3.4",
		"1.2.3.4.5",
		"10.0.19041.1",
		"section 1.2.3.4 of the document",
		"at 12:34:56",
		"2026-11-22T03:04:05Z",
		"00:1b:44:11:3a:b7",
		"std::io::Error",
		"dead::beef",
		"a::b",
		"main.go:12",
		"config.yaml:3:7: bad indent",
		"ratio 3:4",
		"error 404: page not found",
		"x: y",
		"[1]: two",
		"line 3, column 5",
		"https is required",
	)
}

func TestPaths(t *testing.T) {
	check(t, []shape{
		{"an app's", "Cannot find module '/app/dist/index.js'", "Cannot find module '[path]'"},
		{
			"any root",
			"open /galaxy/brain/secret.txt: no such file or directory",
			"open [path]: no such file or directory",
		},
		{
			"a home",
			"EACCES: permission denied, open '/home/ann/.ssh/id_rsa'",
			"EACCES: permission denied, open '[path]'",
		},
		{"behind an equals sign", "cwd=/srv/mcp", "cwd=[path]"},
		{"behind a colon", "error:/etc/mcp/x.toml", "error:[path]"},
		{"a folder of every root", "cannot write to /root", "cannot write to …"},
		{"a file at the root", "missing /entrypoint.sh", "missing [path]"},
		{"below a tilde", "no config in ~/.config/foo/x.json", "no config in [path]"},
		{"below somebody's tilde", "~ann/x/y.txt is gone", "[path] is gone"},
		{"with line and column", "/app/src/x.ts:12:5 - error", "[path] - error"},
		{"with a space, in quotes", "open '/Users/ann/My Documents/a b.txt' failed", "open '[path]' failed"},
		{"with a space, without", "/Library/Application Support/Foo/x.db is locked", "[path] is locked"},
		{"Windows", `Could not find C:\Users\ann\secrets.json.`, "Could not find [path]."},
		{"Windows with a space", `C:\Program Files\Foo\bar.exe failed`, "[path] failed"},
		{"Windows with slashes", "C:/work/x.py:3", "[path]"},
		{"Windows, escaped", `open C:\\Users\\ann\\x.txt`, "open [path]"},
		{"UNC", `\\fileserver\share$\x.xlsx not found`, "[path] not found"},
		{"a device", `open \\.\pipe\docker_engine: denied`, "open [path]: denied"},
		{"a long path of Windows", `\\?\C:\very\long`, "[path]"},
		{"in a tag", "<path>/etc/passwd</path>", "<path>[path]</path>"},
	})
	kept(
		t,
		"and/or",
		"src/main.go is missing",
		"./relative/x and ../y/z",
		"GET /repos/a/b returned 404",
		"Cannot POST /mcp/v1/messages",
		"must be m/s",
		"/help for help",
		"either / or",
		"1/2",
		"data/items/0/name must be string",
		"/items/0/name must be string",
		`instancePath "/user/age" must be integer`,
		"#/properties/x/type is wrong",
		"application/json",
		"</p><br/>",
		"must match pattern /^[a-z]+$/",
		`must match \d{3}\w+`,
		`must match ^\\d+\\w+$`,
		`\n and \t`,
		"c: not found",
		"@scope/pkg/x",
		"owner/repo/path",
		"TCP/IP",
		"no // comments",
	)
}

func TestCredentials(t *testing.T) {
	check(t, []shape{
		{
			"a bearer token",
			"401 with Authorization: Bearer abc123def456",
			"401 with Authorization: Bearer [credential]",
		},
		{"a JWT", "bad token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghij", "bad token [credential]"},
		{"basic", "header Basic dXNlcjpwYXNz", "header Basic [credential]"},
		{
			"a bare sk- key",
			"Incorrect API key provided: sk-proj-abc123def456ghi789.",
			"Incorrect API key provided: [credential].",
		},
		{"pk", "pk_live_51Habcdefgh", "[credential]"},
		{"a GitHub token", "ghp_16C7e42F292c6912E7710c838347Ae178B4a is revoked", "[credential] is revoked"},
		{"AWS", "AKIAIOSFODNN7EXAMPLE does not exist", "[credential] does not exist"},
		{"a password in JSON", `{"user":"x","password":"x"}`, `{"user":"x","password":"*"}`},
		{"a longer one", `{"password": "hunter2horse"}`, `{"password": "[credential]"}`},
		{"in JSON in a string", `{\"api_key\":\"abcdefghijklm\"}`, `{\"api_key\":\"[credential]\"}`},
		{"in Python", "{'client_secret': 'abcdefghijklm'}", "{'client_secret': '[credential]'}"},
		{"in the environment", "DB_PASSWORD=hunter2hunter2", "DB_PASSWORD=[credential]"},
		{"in a query", "?page=2&access_token=abcdefabcdef&x=1", "?page=2&access_token=[credential]&x=1"},
		{"with a colon", "api_key: abc123def456789", "api_key: [credential]"},
		{"a DSN of Go", "app:s3cr3tpassw@tcp(10.0.0.5:3306)/prod", "[credential]@tcp([address])/prod"},
		{
			"a private key",
			"x -----BEGIN RSA PRIVATE KEY-----\nMIIabc\nxyz\n-----END RSA PRIVATE KEY----- y",
			"x [credential] y",
		},
	})
	kept(
		t,
		"password: required",
		"password is required",
		"token: expected string, received number",
		"missing required field 'pattern'",
		"Bearer token is invalid",
		"Unexpected token = in JSON at position 4",
		"Unexpected token '=' at 3",
		"api_key is required",
		"Field 'token' must be a string",
		`{"password":"must be at least 8 characters"}`,
		`{"token":"string"}`,
		"sk-learn",
		"next_page_token=abc",
		"max_tokens=500",
		"token: undefined",
		"expired token; log in again",
		"secret: not found",
		"key_name is unknown",
		"user:latest@sha256:0123abcd",
		"mail ann@example.org",
		"password=",
	)
}

// Shows: GW-15.
func TestWhatHelpsAgentsStays(t *testing.T) {
	kept(
		t,
		`validating "arguments": validating root: validating /properties/text: type: 7 has type "integer", want "string"`,
		"narsil: symbol 'handleRequet' not found, did you mean 'handleRequest'?",
		"Input validation error: 'query' is a required property",
		"MCP error -32602: Invalid arguments for tool search: [{\"code\":\"invalid_type\",\"expected\":\"string\",\"received\":\"number\",\"path\":[\"items\",0,\"name\"],\"message\":\"Expected string, received number\"}]",
		"1 validation error for call[add]\na\n  Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value='x', input_type=str]",
		"Error: At least one of (a, b) is needed\n  at least one\n  at user.name",
		"YAML: bad indentation\n  at line 3, column 5:\n    a: b\n       ^",
		"No results for 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 is unknown",
		"commit d670460b4b4aece5915caf5c68d12f560a9fe3e4 not found on branch feature/x",
		"Rate limit exceeded. Retry after 30s.",
		"Error: 3 of 4 items failed:\n1: too long\n2: too short\n- c",
		"expected: {\n  \"a\": 1\n}",
		"naïve: größer als 5 €",
		"",
	)
}

func TestWhatTheAgentSentStays(t *testing.T) {
	known := redact.Sent(
		[]string{
			"/srv/data/report.txt",
			"https://a.example/x",
			"notes/today.md",
			"curl http://10.0.0.9:8080/health",
			"cat /etc/hosts",
			"10.1.1.1",
			"postgres://u:p@h/x",
			"sub dir/b.txt",
		},
	)
	for _, c := range []shape{
		{"a path", "ENOENT: '/srv/data/report.txt'", "ENOENT: '/srv/data/report.txt'"},
		{"a path with its line", "/srv/data/report.txt:3: bad", "/srv/data/report.txt:3: bad"},
		{"another path", "ENOENT: '/srv/data/other.txt'", "ENOENT: '[path]'"},
		{"a URL", "404 at https://a.example/x", "404 at https://a.example/x"},
		{"another URL", "302 to https://a.example/y", "302 to [url]"},
		{"words of a command", "http://10.0.0.9:8080/health timed out, /etc/hosts too", "http://10.0.0.9:8080/health timed out, /etc/hosts too"},
		{"an address", "10.1.1.1:22 refused", "10.1.1.1:22 refused"},
		{"the end of a path", "open '/srv/vault/notes/today.md': no such file", "open '[path]/notes/today.md': no such file"},
		{"the end of a path in spaces", "open '/srv/vault/sub dir/b.txt'", "open '[path]/sub dir/b.txt'"},
		{"a password never", "cannot reach postgres://u:p@h/x", "cannot reach [url]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := redact.ErrorTo(c.text, known)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if again := redact.ErrorTo(got, known); again != got {
				t.Errorf("again %q", again)
			}
		})
	}
}

func TestMembers(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"password", "hunter2horse", "[credential]"}, {"password", "is required", "is required"}, {"apiKey", "short", "[key]"},
		{"message", "in /app/x/y.py", "in [path]"}, {"token", "", ""},
	} {
		if got := redact.Member(c.name, c.value, nil); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.name, c.value, got, c.want)
		}
	}
}

func TestReferencesLoseTheirCredentialsOnly(t *testing.T) {
	for text, want := range map[string]string{
		"file:///srv/x": "file:///srv/x", "https://a.example:99/y?token=abcdefabcdef": "https://a.example:99/y?token=[credential]", "https://u:p@a.example/y": "[url]",
	} {
		if got := redact.Secrets(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
