package redact_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mcpproxy/internal/redact"
)

// pieces are combined to texts in which removed stretches are adjacent.
var pieces = []string{
	"http://",
	"https://a.example/x",
	"postgres://u:p@h",
	"10.0.0.5",
	":5432",
	"::1",
	"[",
	"]",
	"/app",
	"/etc/passwd",
	"\\\\",
	"C:\\",
	"\\srv\\x",
	"~",
	"/",
	"password",
	"token",
	"=",
	":",
	" ",
	"\n",
	"\t",
	"\\n",
	"\"",
	"'",
	"Bearer ",
	"sk-abc123def456",
	"x",
	"é",
	"Traceback (most recent call last):",
	"  File \"/a\", line 1",
	"    at f (/a.js:1:2)",
	"Caused by:",
	" ---> ",
	"goroutine 1 [running]:",
	"main.f(0x1)",
	"\t/a/b.go:1 +0x1",
	"ValueError: x",
	"During handling of the above exception",
	"stack backtrace:",
	"0: a::b",
	"/a.rb:1:in `f': ",
	"from ",
	"#0 /x.php(1): f()",
	"| ",
	"+ ",
	"...",
	"Stack trace:",
	".",
	",",
	"-----BEGIN RSA PRIVATE KEY-----",
	"-----END",
	"[cause]:",
	"server",
	"host",
	"@",
	"localhost",
	".internal",
	"ENOTFOUND ",
	";",
	"GET ",
	"must ",
	"‘",
	"“",
	"」",
	"：",
	"文",
	"用户",
	"à",
	"[trace]",
	"[address]",
	"/10.0.0.5",
	"lookup ",
	" port 80",
	"connecting to ",
	"db-1",
	"version ",
	"from ",
	"secret: ",
	"sk_",
	"\\\\n\\\\tat ",
	"com.x.Y.z(Y.java:3)",
	"stack=\"",
	"(app 0.1.0) a.ex:1: A.b/1",
	"#1 main () at x.c:12",
	"bei A.b() in x.cs:Zeile 3",
	"Caused by XError(",
	"instancePath\":\"",
	"UnknownHostException: ",
	"resolve host: ",
}

func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(
			rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.SampledFrom(pieces), rapid.String()), 0, 12).
				Draw(t, "pieces"),
			"",
		)
	})
}

func obeysLaws(t interface{ Errorf(string, ...any) }, text string, known func(string) bool) {
	got := redact.ErrorTo(text, known)
	if len(got) > len(text) {
		t.Errorf("%q grew to %q", text, got)
	}
	if utf8.ValidString(text) && !utf8.ValidString(got) {
		t.Errorf("%q became %q, which is no text", text, got)
	}
	if again := redact.ErrorTo(got, known); again != got {
		t.Errorf("%q became %q, and again %q", text, got, again)
	}
}

func TestRedactingTwiceIsRedactingOnceAndNeverGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		obeysLaws(t, text, nil)
		obeysLaws(t, text, redact.Sent([]string{rapid.SampledFrom(pieces).Draw(t, "sent"), "passwd", "x"}))
	})
}

func FuzzError(f *testing.F) {
	for _, p := range pieces {
		f.Add(p + p)
	}
	f.Fuzz(func(t *testing.T, text string) { obeysLaws(t, text, nil) })
}
