package flow

import (
	"strings"
	"testing"
)

func TestTheRestOfAMaskedSecretIsNotShown(t *testing.T) {
	p := Transfer{Mask: func(s string) string { return strings.ReplaceAll(s, "s k 1 2 3 4", "[key]") }}
	for stretch, want := range map[string]string{
		"s k 1 2 3 4":     "[key]",
		"use s k 1 2 3 4": "use [key]",
		"x L 3 h x u o l h S t U o and s k 1 2 3 4":     "x L…ey]",
		"xL3hxuolhStUoNu2AEKgNLIt and s k 1 2 3 4 here": "xL3…ere",
	} {
		if got := p.shown(stretch); got != want {
			t.Errorf("%q is shown as %q, want %q", stretch, got, want)
		}
	}
}
