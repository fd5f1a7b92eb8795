// Command release makes all files of a release from one commit: archives with programs for six platforms, packages for
// Debian and for systems with RPM, a Homebrew formula, checksums, a list of the software components (SBOM) and a
// statement about their origin (provenance). It runs as `make release VERSION=v1.2.3` and writes the files to dist/.
//
//	release -version v1.2.3 [-dist DIR] [-base URL] [-maintainer "NAME <ADDRESS>"] [-key FILE]
//	release rename MODULE
//
// The second form changes the path of the Go module everywhere in the tree.
//
// Guarantee: two runs on the same commit with the same Go version make the same bytes, wherever the tree is. The files
// contain neither the name of the machine or the user nor the time of the run. They have the time of the commit.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// noBase is the address in the formula if no address is given. It cannot be resolved (RFC 2606).
const noBase = "https://releases.invalid/mcpproxy"

// noMaintainer is the maintainer in the packages if none is given.
const noMaintainer = "The mcpproxy developers <mcpproxy@packages.invalid>"

// release is one run of the command.
type release struct {
	version    string    // including the v: v1.2.3
	root       string    // folder of the sources
	dist       string    // folder of the results
	time       time.Time // time of the commit
	commit     string
	base       string // address of the folder from which the archives are downloaded
	maintainer string
	key        string // file with the key that signs the provenance; "" for none
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "rename" {
		if len(args) != 2 {
			return errors.New("rename takes one module path: make rename MODULE=example.org/mcpproxy")
		}
		return rename(".", args[1])
	}
	r := &release{}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&r.version, "version", "", "version, such as v1.2.3 or v1.2.3-rc.1")
	flags.StringVar(&r.dist, "dist", "dist", "folder of the results; its earlier content is removed")
	flags.StringVar(&r.base, "base", noBase, "address of the folder from which the archives are downloaded")
	flags.StringVar(&r.maintainer, "maintainer", noMaintainer, "name and address in the packages")
	flags.StringVar(&r.key, "key", "", "file of an Ed25519 key in PEM (PKCS #8) that signs the provenance")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := r.check(ctx); err != nil {
		return err
	}
	return r.make(ctx)
}

// versions matches valid versions (semver.org, without build metadata).
var versions = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$`)

// check validates the settings and reads the commit from git.
func (r *release) check(ctx context.Context) error {
	if !versions.MatchString(r.version) {
		return fmt.Errorf("invalid version %q: must be like v1.2.3 or v1.2.3-rc.1; run: make release VERSION=v1.2.3", r.version)
	}
	var err error
	if r.root, err = os.Getwd(); err != nil {
		return err
	}
	if r.dist, err = filepath.Abs(r.dist); err != nil {
		return err
	}
	out, err := command(ctx, r.root, nil, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	hash, seconds, _ := strings.Cut(strings.TrimSpace(out), " ")
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" { // reproducible-builds.org/specs/source-date-epoch
		seconds = epoch
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("the time of the commit: %w", err)
	}
	r.commit, r.time = hash, time.Unix(n, 0).UTC()
	changed, err := command(ctx, r.root, nil, "git", "status", "--porcelain", "--untracked-files=no")
	if err == nil && strings.TrimSpace(changed) != "" {
		return fmt.Errorf("the tree has uncommitted changes: commit them first:\n%s", changed)
	}
	return err
}

// make makes all files.
func (r *release) make(ctx context.Context) error {
	if err := os.RemoveAll(r.dist); err != nil {
		return err
	}
	if err := os.MkdirAll(r.dist, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "mcpproxy-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := r.checkOut(ctx, filepath.Join(work, "source")); err != nil {
		return err
	}
	share, err := r.share(ctx, work)
	if err != nil {
		return err
	}
	for _, p := range platforms {
		fmt.Println("building for", p)
		programs, err := r.build(ctx, p, filepath.Join(work, p.String()), programs)
		if err != nil {
			return err
		}
		if err := r.publish(ctx, p, programs, share, work); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if err := r.formula(); err != nil {
		return err
	}
	if err := r.provenance(); err != nil {
		return err
	}
	if err := r.sums(); err != nil {
		return err
	}
	if r.base == noBase {
		fmt.Println("THE FORMULA NAMES NO PLACE TO DOWNLOAD FROM: give one with RELEASES=https://…")
	}
	fmt.Println("everything is in", r.dist)
	return nil
}

// checkOut unpacks the files of the commit into a folder. Everything is built there, so that uncommitted files and
// later changes in the tree have no effect.
func (r *release) checkOut(ctx context.Context, into string) error {
	packed, err := command(ctx, r.root, nil, "git", "archive", "--format=tar", r.commit)
	if err != nil {
		return err
	}
	if err := os.Mkdir(into, 0o755); err != nil {
		return err
	}
	r.root = into
	return unpack(strings.NewReader(packed), into)
}

// publish makes the files for one platform.
func (r *release) publish(ctx context.Context, p platform, programs, share []file, work string) error {
	if err := r.archive(p, programs, share); err != nil {
		return err
	}
	if err := r.bom(p, filepath.Join(work, p.String(), "mcpproxy"+p.suffix())); err != nil {
		return err
	}
	if p.system != "linux" {
		return nil
	}
	contents, err := installed(programs, share)
	if err != nil {
		return err
	}
	if err := r.deb(p, contents); err != nil {
		return err
	}
	return r.rpm(ctx, p, contents, work)
}

// command runs a program and returns its output. An error contains the program's standard error.
func command(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said.String())
	}
	return out.String(), nil
}

// number returns the version without the v.
func (r *release) number() string { return strings.TrimPrefix(r.version, "v") }

// packaged returns the version in the form that package managers sort correctly: 1.2.3~rc.1 comes before 1.2.3
// (deb-version(7)).
func (r *release) packaged() string { return strings.Replace(r.number(), "-", "~", 1) }

// write writes a file into the folder of the results.
func (r *release) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.dist, name), data, 0o644)
}
