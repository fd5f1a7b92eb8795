package config_test

import (
	"testing"
	"time"

	"mcpproxy/internal/config"
)

func TestLine(t *testing.T) {
	file := []byte(
		"// a comment\n{\n  \"security\": {\n    \"policies\": [\n      {\"name\": \"a\", \"when\": \"x\"},\n      // between\n      {\"name\": \"b\",\n       \"when\": \"y\"},\n    ],\n  },\n}\n",
	)
	for pointer, want := range map[string]int{
		"/security/policies/0/when":  5,
		"/security/policies/1":       7,
		"/security/policies/1/when":  8,
		"/security/policies/1/other": 7,
		"/security/policies/7/when":  4,
		"/other":                     1,
	} {
		if got := config.Line(file, pointer); got != want {
			t.Errorf("%s stands at line %d, want %d", pointer, got, want)
		}
	}
	if got := config.Line([]byte("{"), "/a"); got != 0 {
		t.Errorf("line %d of a file that is none", got)
	}
}

func TestTheEndOfASuppression(t *testing.T) {
	for until, want := range map[string]time.Time{
		"":                          {},
		"2026-12-31":                time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
		"2026-12-31T12:00:00Z":      time.Date(2026, 12, 31, 12, 0, 0, 0, time.UTC),
		"2026-12-31T12:00:00+02:00": time.Date(2026, 12, 31, 10, 0, 0, 0, time.UTC),
	} {
		if got, err := (config.Suppression{Until: until}).End(); err != nil || !got.Equal(want) {
			t.Errorf("%q ends %v, %v", until, got, err)
		}
	}
}
