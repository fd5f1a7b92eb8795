package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mayBeRedistributed lists the licences that sources may have. Each allows anyone to redistribute the package.
var mayBeRedistributed = []string{
	"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "ISC", "MIT", "Unlicense",
	"(BSD-3-Clause AND Apache-2.0)",
}

func TestEverySourceIsPinnedAndMayBeRedistributed(t *testing.T) {
	sources, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`^v?\d+\.\d+\.\d+[\w.+-]*$`)
	hash := regexp.MustCompile(`^(?:h1:[\w+/]{43}=|sha512-[\w+/]{86}==)$`)
	owners := map[string]bool{}
	for _, s := range sources {
		if !version.MatchString(s.version) || !hash.MatchString(s.hash) {
			t.Errorf("%s is not pinned by a version and a hash %q", s.spec(), s.hash)
		}
		if !slices.Contains(mayBeRedistributed, s.licence) {
			t.Errorf("%s has the licence %q, which is not in mayBeRedistributed", s.spec(), s.licence)
		}
		if s.owner == "" {
			t.Errorf("%s has no owner", s.spec())
		}
		owners[s.owner] = true
	}
	if len(owners) < 300 {
		t.Errorf("the sources have %d owners, want at least 300", len(owners))
	}
	if !slices.IsSortedFunc(
		sources,
		func(a, b source) int { return strings.Compare(a.registry+"\t"+a.name, b.registry+"\t"+b.name) },
	) {
		t.Error("sources.tsv is not sorted by registry and name")
	}
}

func TestAnInvalidLineIsAnError(t *testing.T) {
	for _, line := range []string{"npm\tleft-pad\t1.0.0", "pip\ta\t1\tb\tMIT\th1:"} {
		if _, err := parse("# comment\n" + line); err == nil || !strings.Contains(err.Error(), "sources.tsv:2") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestAPackageWithAnotherHashIsRefused(t *testing.T) {
	s := source{name: "a", version: "1.0.0", hash: "h1:one"}
	if err := s.check("h1:two"); err == nil || !strings.Contains(err.Error(), "h1:two") {
		t.Errorf("got %v, want an error that contains the hash", err)
	}
}
