package classify

import (
	"math/rand/v2"
	"strings"
	"testing"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/lazyregexp/lazyregexptest"
)

func TestFiltersAdmitEveryTextThatTheirPatternMatches(t *testing.T) {
	for name, f := range map[string]*lazyregexp.Filtered{"loosening": loosening, "publicPolicy": publicPolicy} {
		lazyregexptest.Admits(t, name, f)
	}
}

func TestATextThatTakesAProtectionAwaySetsASwitch(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	pieces := []string{
		"verify", "strict", "ssl_check", "skip_tls", "no-auth", "INSECURE_checks", ":", "=", ": bool", " ", "\n", "\"", "'", "false",
		"OFF", "no", "0", "1", "None", "disabled", "true", "Yes", "on", "x", "faſe", "K", "，", "\t\f\r",
	}
	matched := 0
	for range 8_000 {
		var b strings.Builder
		for range 1 + r.IntN(9) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		s := b.String()
		if !loosening.Regexp().MatchString(s) {
			continue
		}
		if matched++; !setsSwitch(s) || !loosening.Admits(s) {
			t.Fatalf("%q removes a protection, but sets no switch", s)
		}
	}
	if matched < 40 {
		t.Errorf("only %d texts remove a protection", matched)
	}
}
