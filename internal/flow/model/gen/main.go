// Command gen generates the tables of common text for package model.
//
// It reads phrases.txt and the packages that sources.tsv lists, which include the licences of the SPDX list. It
// fetches the packages with go and npm, and checks that they have the listed hashes. It keeps them for the next run:
// npm's packages in the user's cache folder, and Go's in the module cache. The tables depend on nothing else and are
// the same on every machine:
//
//	make model
//
// To add a package, add its line with "?" as the hash. The error message then contains the hash.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("o", ".", "the folder to write the tables to")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "gen: "+err.Error())
		os.Exit(1)
	}
}

func run(out string) error {
	sources, err := parse(list)
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("finding the folder for packages: %w", err)
	}
	packages, err := fetch(sources, filepath.Join(cache, "mcpproxy-model"))
	if err != nil {
		return err
	}
	made, err := build(packages)
	if err != nil {
		return err
	}
	for _, t := range made {
		fmt.Printf("%-9s %7d bytes, %7d entries\n", t.name, len(t.data), t.entries)
		if err := os.WriteFile(filepath.Join(out, t.name), t.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
