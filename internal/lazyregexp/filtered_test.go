package lazyregexp_test

import (
	"regexp"
	"testing"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/lazyregexp/lazyregexptest"
)

// expressions are of the forms that the program's patterns have.
var expressions = []string{
	`(?i)\b(?:requests?\.|fetch\(|https?\.(?:get|post)|nc|scp)\b|fetch\(|require\(["']https?["']\)`,
	`\b(?:os\.system|subprocess|check_output)\b`,
	`(?i)["'](?:w|a|r\+)["']|write|\brm(?:dir|_r)|open\s+\w+\s*,\s*["']\+?>`,
	`(?i)\b\w*(verif|ssl|2fa)\w*["']?\s*(:\s*bool\s*)?[:=]\s*["']?(false|off|0)\b|(?i)\b(skip|no)[_-]?\w*(tls|auth)\w*\s*[:=]\s*(true|1)\b`,
	`(?i)kill|signal|stop-(?:process|service)`,
	`\bexec\s+(?:[\w./]*/)?(?:ba|da)?sh\b|%w\[\s*(?:/bin/)?(?:ba)?sh\b`,
	`(?:a|b)?cd+(?:ef|g){2,3}`,
	`\Bfoo\B|^bar$|(?m)^baz`,
	`(?i)k+s`,
}

func TestEveryTextWithAMatchIsAdmitted(t *testing.T) {
	for _, expr := range expressions {
		lazyregexptest.Admits(t, expr, lazyregexp.NewFiltered(expr))
	}
}

func TestTextsWithoutALiteralAreExcluded(t *testing.T) {
	for _, c := range []struct{ expr, text string }{
		{`(?i)\b(?:curl|nc)\b`, "a function once called curly"},
		{`https?\.(?:get|post)\(`, "http.put(x), https.get"},
		{`\w*(ssl|tls)\w*=`, "title = 1"},
		{`\s+(?:abc)+\s+`, "ab c"},
		{`abc`, ""},
		{`abc`, "ab"},
	} {
		f := lazyregexp.NewFiltered(c.expr)
		if !f.Filters() || f.Admits(c.text) || f.MatchString(c.text) {
			t.Errorf("%s admits %q", c.expr, c.text)
		}
	}
}

func TestAnExpressionWithoutACertainLiteralAdmitsEveryText(t *testing.T) {
	for _, expr := range []string{`\w+`, `(?:abc)*`, `a?`, `abc|\d+`, `\b`, `[^a]b*`, `straße`} {
		if f := lazyregexp.NewFiltered(expr); f.Filters() || !f.Admits("") {
			t.Errorf("%s has a filter", expr)
		}
	}
}

func TestFilteredFindsWhatTheExpressionFinds(t *testing.T) {
	f := lazyregexp.NewFiltered(`(a|b)c`)
	for _, s := range []string{"", "c", "ac", "xBC bc ac"} {
		re := regexp.MustCompile(`(a|b)c`)
		if len(f.FindAllString(s, -1)) != len(re.FindAllString(s, -1)) ||
			len(f.FindAllStringIndex(s, 1)) != len(re.FindAllStringIndex(s, 1)) ||
			len(f.FindAllStringSubmatch(s, -1)) != len(re.FindAllStringSubmatch(s, -1)) ||
			f.ReplaceAllString(s, "<$1>") != re.ReplaceAllString(s, "<$1>") {
			t.Errorf("other matches in %q", s)
		}
	}
}

func FuzzAdmits(f *testing.F) {
	f.Add("x = ſslVerify: false")
	f.Add("requests.get('https://a.example')")
	all := make([]*lazyregexp.Filtered, len(expressions))
	for i, expr := range expressions {
		all[i] = lazyregexp.NewFiltered(expr)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for i, f := range all {
			if f.Regexp().MatchString(s) && !f.Admits(s) {
				t.Errorf("%s matches %q, and the filter does not admit it", expressions[i], s)
			}
		}
	})
}
