package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// platform is an operating system and an architecture, in Go's names.
type platform struct{ system, machine string }

// platforms are the platforms for which programs are built.
var platforms = []platform{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

func (p platform) String() string { return p.system + "_" + p.machine }

// suffix returns the extension of programs: .exe on Windows.
func (p platform) suffix() string {
	if p.system == "windows" {
		return ".exe"
	}
	return ""
}

// programs are the programs that are installed. mcp-adversary is only for tests.
var programs = []string{"mcpproxy", "mcpproxy-hook"}

// file is a file in an archive or a package.
type file struct {
	name string // relative, with slashes
	mode fs.FileMode
	data []byte
}

// environment returns the environment for building for a platform. It does not contain settings of the user that would
// change the result, such as flags and the processor level.
func (p platform) environment() []string {
	return []string{
		"CGO_ENABLED=0",
		"GOOS=" + p.system,
		"GOARCH=" + p.machine,
		"GOAMD64=v1",
		"GOARM64=v8.0",
		"GOFLAGS=-mod=readonly",
		"GOEXPERIMENT=",
		"GOFIPS140=off",
		"GOWORK=off",
		"GO111MODULE=on",
	}
}

// flags returns the build flags. With them, Go builds the same bytes in every folder, with or without a repository.
func (r *release) flags(module string) []string {
	return []string{
		"-trimpath",
		"-buildvcs=false",
		"-ldflags=-s -w -buildid= -X " + module + "/internal/version.linked=" + r.version,
	}
}

// build builds programs for a platform into a folder, and returns them.
func (r *release) build(ctx context.Context, p platform, into string, names []string) ([]file, error) {
	module, err := moduleOf(r.root)
	if err != nil {
		return nil, err
	}
	args := slices.Concat([]string{"build"}, r.flags(module), []string{"-o", into + string(filepath.Separator)})
	for _, name := range names {
		args = append(args, "./cmd/"+name)
	}
	if _, err := command(ctx, r.root, p.environment(), "go", args...); err != nil {
		return nil, err
	}
	var out []file
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join(into, name+p.suffix()))
		if err != nil {
			return nil, err
		}
		out = append(out, file{name + p.suffix(), 0o755, raw})
	}
	return out, nil
}

// share builds the program for this machine, and returns the manual pages and completions that it writes.
func (r *release) share(ctx context.Context, work string) ([]file, error) {
	here := platform{runtime.GOOS, runtime.GOARCH}
	into := filepath.Join(work, here.String())
	if _, err := r.build(ctx, here, into, programs); err != nil {
		return nil, err
	}
	return manual(ctx, filepath.Join(into, "mcpproxy"+here.suffix()), filepath.Join(work, "share"))
}

// manual returns the output of `mcpproxy man`, with names below share/.
func manual(ctx context.Context, program, folder string) ([]file, error) {
	home := []string{"HOME=/nonexistent", "MCPPROXY_OUTPUT="} // the pages must not contain anything from this machine
	if _, err := command(ctx, filepath.Dir(program), home, program, "man", folder); err != nil {
		return nil, err
	}
	var out []file
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(path)
		out = append(out, file{"share/" + filepath.ToSlash(rel), 0o644, raw})
		return err
	})
	return out, err
}

// moduleOf reads the module's path from its go.mod.
func moduleOf(root string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(raw)) {
		if path, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(path), nil
		}
	}
	return "", fmt.Errorf("%s/go.mod names no module", root)
}
