package client

import "testing"

func TestAThreadsStateIsReadAfterItsName(t *testing.T) {
	for stat, want := range map[string]bool{
		"12 (mcpproxy) R 1 12 12 0":   true,
		"12 (mcpproxy) D 1 12 12 0":   true,
		"12 (mcpproxy) S 1 12 12 0":   false,
		"12 (mcpproxy) T 1 12 12 0":   false,
		"12 (a) R (b) S 1 12 12 0":    false,
		"12 (a) S (b c) R 1 12 12 0":  true,
		"":                            false,
		")":                           false,
		"R":                           false,
		"12 (mcpproxy":                false,
		"12 (mcpproxy)":               false,
		"12 (R R) t 1 12 12 0 R D\n ": false,
	} {
		if got := works(stat); got != want {
			t.Errorf("%q: %t", stat, got)
		}
	}
}
