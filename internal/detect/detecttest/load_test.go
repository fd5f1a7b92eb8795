package detecttest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/detect/detecttest"
)

func TestParseReadsBlocks(t *testing.T) {
	got, err := detecttest.Parse("forge", strings.Join([]string{
		"# comment",
		"",
		"some_token",
		"hit   a=«b»;",
		"hit  whole  line ",
		"miss b {c}",
		"or other_token third",
		"",
		"    other_token",
		"    miss x\\ny",
	}, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	or := []string{"other_token", "third"}
	want := []detecttest.Case{
		{
			Family:   "forge",
			Rule:     "some_token",
			Or:       or,
			Text:     "a=b;",
			Value:    "b",
			Positive: true,
			Line:     4,
		},
		{
			Family:   "forge",
			Rule:     "some_token",
			Or:       or,
			Text:     "whole  line",
			Value:    "whole  line",
			Positive: true,
			Line:     5,
		},
		{
			Family: "forge",
			Rule:   "some_token",
			Or:     or,
			Text:   "b {c}",
			Line:   6,
		},
		{
			Family: "forge",
			Rule:   "other_token",
			Text:   "x\ny",
			Line:   10,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseRefusesWhatItCannotRead(t *testing.T) {
	for name, content := range map[string]string{
		"a case without a rule":     "hit x",
		"two values":                "r\nhit «a» «b»",
		"a value that is not ended": "r\nhit «a",
		"a value in a miss":         "r\nmiss «a»",
		"an unknown word":           "r\nhits a",
		"a macro without a number":  "r\nhit {hex:x}",
		"an unknown checksum":       "r\nhit {sum:crc1:x}",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := detecttest.Parse("f", content); err == nil {
				t.Errorf("read as %+v", got)
			}
		})
	}
}

func TestMacrosExpand(t *testing.T) {
	for macro, want := range map[string]string{
		"{alnum:8}":                `^[0-9A-Za-z]{8}$`,
		"{alpha:8}":                `^[A-Za-z]{8}$`,
		"{lower:8}":                `^[a-z]{8}$`,
		"{upper:8}":                `^[A-Z]{8}$`,
		"{digit:8}":                `^[0-9]{8}$`,
		"{hex:8}":                  `^[0-9a-f]{8}$`,
		"{HEX:8}":                  `^[0-9A-F]{8}$`,
		"{base32:8}":               `^[A-Z2-7]{8}$`,
		"{b64:9}":                  `^[A-Za-z0-9+/]{9}$`,
		"{b64url:9}":               `^[\w\-]{9}$`,
		"{loweralnum:9}":           `^[a-z0-9]{9}$`,
		"{upperalnum:9}":           `^[A-Z0-9]{9}$`,
		"{uuid}":                   `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`,
		`{as64:{"a":"{digit:3}"}}`: `^eyJhIjoi.{4}In0=$`,
		"{asurl64:ab}":             `^YWI$`,
		"{join:a}b":                `^ab$`,
		`{"a": {"b": 1}}`:          `^\{"a": \{"b": 1\}\}$`,
		"{":                        `^\{$`,
		"${hex:2}":                 `^\$[0-9a-f]{2}$`,
		"{sum:crc62:p_{alnum:30}}": `^p_[0-9A-Za-z]{36}$`,
		"{sum:crc62:p_}":           `^p_000000$`,
		"{sum:crc62:p_123456789}":  `^p_1234567893jZRME$`,
	} {
		cases, err := detecttest.Parse("f", "r\nhit "+macro)
		if err != nil {
			t.Errorf("%s: %v", macro, err)
			continue
		}
		if !regexp.MustCompile(want).MatchString(cases[0].Value) {
			t.Errorf("%s became %q", macro, cases[0].Value)
		}
		again, err := detecttest.Parse("g", "#\nr\nhit "+macro)
		if err != nil || again[0].Value != cases[0].Value {
			t.Errorf("%s became %q, and then %q, %v", macro, cases[0].Value, again[0].Value, err)
		}
	}
}

func TestLoadReadsADirectory(t *testing.T) {
	dir := t.TempDir()
	if _, err := detecttest.Load(dir); err == nil {
		t.Error("an empty directory is no error")
	}
	for name, content := range map[string]string{"b.txt": "two\nhit x", "a.txt": "one\nmiss y", "c.md": "no"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := detecttest.Load(dir)
	if err != nil || len(got) != 2 || got[0].Family != "a" || got[1].Family != "b" {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "d.txt"), []byte("hit x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := detecttest.Load(dir); err == nil || !strings.Contains(err.Error(), "d.txt") {
		t.Errorf("the error does not name the file: %v", err)
	}
}
