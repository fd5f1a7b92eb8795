// Command site makes a static website from the documentation: README.md and the other pages in the root, in docs and
// in examples. It runs as `make site` and writes the pages to dist/site. The site works in any browser, from a web
// server or from the disk, and has a search that needs no server.
//
//	site [-root DIR] [-out DIR] [-program PROGRAM]
//	site -cast PROGRAM FILE
//
// If PROGRAM is a built mcpproxy, the site also contains a reference: of its commands and its configuration, made from
// the program's own descriptions, and of its API, made from web/openapi.json.
//
// The second form runs the demo of a built mcpproxy and writes a picture of its output, ten times slower, into a file:
// `make cast` makes docs/demo.svg.
//
// Guarantee: every link, image and anchor of the site leads to something in the site or to an https address. Otherwise
// the command fails and makes no site. The pages load nothing from other hosts.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	root := flag.String("root", ".", "folder of the source")
	out := flag.String("out", filepath.Join("dist", "site"), "folder for the site; its earlier content is removed")
	described := flag.String("program", "", "built mcpproxy from which the reference is made; without it the site has no reference")
	program := flag.String("cast", "", "draw the demo of this program into the given file, instead of making the site")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *program != "" {
		if err := cast(ctx, *program, flag.Arg(0)); err != nil {
			fmt.Fprintln(os.Stderr, "site:", err)
			stop()
			os.Exit(1)
		}
		return
	}
	n, err := build(ctx, *root, *out, *described)
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		stop()
		os.Exit(1)
	}
	fmt.Printf("%d pages: %s\n", n, filepath.Join(*out, "index.html"))
}

// build makes the site from the pages below root and writes it into the folder out. If program is not empty, the site
// contains the reference. It returns the number of pages.
func build(ctx context.Context, root, out, program string) (int, error) {
	files, err := read(root)
	if err != nil {
		return 0, err
	}
	if program != "" {
		made, err := reference(ctx, root, program)
		if err != nil {
			return 0, err
		}
		files = append(files, made...)
	}
	site, err := render(root, files)
	if err != nil {
		return 0, err
	}
	if err := errors.Join(check(site)...); err != nil {
		return 0, fmt.Errorf("the site was not made, since links lead nowhere:\n%w", err)
	}
	if err := replace(out, site); err != nil {
		return 0, err
	}
	return len(files), nil
}

// replace writes a site into a folder and removes an earlier site from it. It refuses a folder that contains other
// files.
func replace(out string, site map[string][]byte) error {
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(out, searchIndex)); err != nil {
			return fmt.Errorf("%s is not an earlier site: name an empty folder with -out", out)
		}
		if err := os.RemoveAll(out); err != nil {
			return fmt.Errorf("removing the earlier site: %w", err)
		}
	}
	for name, content := range site {
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("writing the site: %w", err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return fmt.Errorf("writing the site: %w", err)
		}
	}
	return nil
}
