package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// modulePath matches valid module paths (go.dev/ref/mod#module-path).
var modulePath = regexp.MustCompile(`^[a-z0-9.-]+\.[a-z]{2,}(/[A-Za-z0-9._~-]+)+$`)

// rename changes the path of the module in root, in all files that git tracks.
func rename(root, to string) error {
	if !modulePath.MatchString(to) {
		return fmt.Errorf("invalid module path %q: must be like example.org/mcpproxy", to)
	}
	from, err := moduleOf(root)
	if err != nil {
		return err
	}
	out, err := command(context.Background(), root, nil, "git", "ls-files", "-z")
	if err != nil {
		return err
	}
	changed := 0
	for name := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		path := filepath.Join(root, filepath.FromSlash(name))
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		before, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		after := renamed(filepath.ToSlash(name), before, from, to)
		if bytes.Equal(before, after) {
			continue
		}
		if err := os.WriteFile(path, after, 0o644); err != nil {
			return err
		}
		changed++
	}
	fmt.Printf("the module %s is %s now: %d files were changed\n", from, to, changed)
	return nil
}

// renamed returns the content of a file with another module path. The old path is the same word as the name of the
// program. So only an occurrence before the folder of a package, or alone in an import or a line of go.mod, is the
// path.
func renamed(name string, text []byte, from, to string) []byte {
	quoted := regexp.QuoteMeta(from)
	below := regexp.MustCompile(`(^|[^\w./~-])` + quoted + `/(internal|cmd|web)\b`)
	switch {
	case strings.HasPrefix(name, "web/") && !strings.HasSuffix(name, ".go"), bytes.ContainsRune(text, 0):
		return text
	case strings.HasSuffix(name, ".go"), slices.Contains([]string{"Makefile", ".ci/errcheck.txt"}, name):
		text = below.ReplaceAll(text, []byte("${1}"+to+"/${2}"))
	}
	if strings.HasSuffix(name, ".go") {
		alone := regexp.MustCompile(`(?m)^((?:import )?[\t ]*(?:\w+ )?")` + quoted + `"$`)
		return alone.ReplaceAll(text, []byte("${1}"+to+`"`))
	}
	if filepath.Base(name) == "go.mod" {
		alone := regexp.MustCompile(`(?m)^((?:module|replace|require)? ?\t?)` + quoted + `(/internal/[\w/]+)?( .*)?$`)
		return alone.ReplaceAll(text, []byte("${1}"+to+"${2}${3}"))
	}
	return text
}
