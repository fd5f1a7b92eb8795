package program

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Command is how a server is started.
type Command struct {
	Name string   // as the configuration has it
	Path string   // the absolute path that the name leads to
	Args []string // behind the name
	Env  []string // all of the server's environment, as NAME=value
	Dir  string   // its working directory; "" for that of this process
}

// The sources of code.
const (
	File   = "file"   // a program, a script or a module of Python
	NPM    = "npm"    // a package of npm
	Python = "python" // an installed distribution of Python
)

// Print is the fingerprint of what a server is started with.
type Print struct {
	Subject string // what the command line names, such as "npx weather@1.2.3"
	Source  string // "" where nothing was found
	Name    string // the package, or the absolute path of the file
	Version string // of the package, as it says itself
	Pinned  bool   // whether the command line names one version of the package
	SHA256  string // "" where Unknown says why
	Unknown string
}

// Started is a program at the moment at which it is started. A file is open from then on, so that
// the file that is hashed is the one that was started, even if it has been replaced since.
type Started struct {
	subject  string
	packages []fetched // to look for where the runner keeps them
	runner   string
	command  Command
	tree     string // a folder or a file to read by its path
	file     *os.File
	info     fs.FileInfo
	stub     string // the console script of Python that the file is
	why      string // why there is nothing to hash
}

// errNotRegular is the reason why something is not read.
var errNotRegular = errors.New("it is a pipe, a device or a socket, and not a file")

// Open finds out what a command line starts. It reads no content. The caller passes the result to
// [Reader.Read] or closes it.
func Open(c Command) *Started {
	s := parse(c)
	s.command = c
	s.subject = short(s.subject)
	if s.why != "" || s.runner != "" || s.tree == "" {
		return s
	}
	path, err := filepath.EvalSymlinks(s.tree)
	if err != nil {
		s.why = reason(err)
		return s
	}
	s.tree = path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return s
	}
	if s.file, s.info, err = openRegular(path); err != nil {
		s.why = reason(err)
	}
	return s
}

// maxSubject is how long [Print.Subject] may be as the command line has it, in bytes.
const maxSubject = 300

// short returns s, or its beginning and its hash.
func short(s string) string {
	if s = strings.ToValidUTF8(s, "?"); len(s) <= maxSubject {
		return s
	}
	return fmt.Sprintf("%s… (SHA-256 %.8x)", strings.ToValidUTF8(s[:maxSubject/2], ""), sha256.Sum256([]byte(s)))
}

// Close lets go of the file. It may be called more than once, and on nil.
func (s *Started) Close() {
	if s != nil && s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

// openRegular opens a file for reading if it is a regular one. It does not wait for the writer of a
// named pipe.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() { // it may be another one by now
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Read hashes a program that was started, and closes it. It returns when ctx ends, or the time that
// the limits allow is over. Packages are looked for now: their runner may have fetched them only
// when the server was started.
func (r *Reader) Read(ctx context.Context, s *Started) Print {
	r.once.Do(r.prepare)
	ctx, cancel := context.WithTimeout(ctx, r.Limits.Time)
	defer cancel()
	out := Print{Subject: s.subject}
	select {
	case r.turns <- struct{}{}:
	case <-ctx.Done():
		s.Close()
		out.Unknown = reason(ctx.Err())
		return out
	}
	done := make(chan Print, 1)
	go func() { // a file system that does not answer holds up this goroutine alone
		defer func() { <-r.turns }()
		defer s.Close()
		done <- r.read(ctx, s)
	}()
	select {
	case out = <-done:
	case <-ctx.Done():
		out.Unknown = reason(ctx.Err())
	}
	return out
}

func (r *Reader) read(ctx context.Context, s *Started) Print {
	out := Print{Subject: s.subject, Unknown: s.why}
	if s.why != "" {
		return out
	}
	l := r.newLook(ctx)
	var err error
	switch {
	case s.runner != "":
		err = l.fetched(s, &out)
	default:
		err = l.local(s, &out)
	}
	if err != nil {
		out.SHA256, out.Unknown = "", reason(err)
	}
	return out
}

// local hashes what lies on this machine already: the package that the file belongs to, or the
// file or folder alone.
func (l *look) local(s *Started, out *Print) error {
	if dir := npmPackageOf(s.tree); dir != "" {
		return l.npmPackage(dir, out)
	}
	if s.stub != "" {
		if site, dist := distributionOf(s.stub); dist != "" {
			return l.distribution(site, dist, out)
		}
	}
	out.Source, out.Name = File, s.tree
	var err error
	if s.file == nil {
		out.SHA256, err = l.folder(s.tree, "__pycache__")
		return err
	}
	out.SHA256, err = l.file(s.file, s.info)
	return err
}

// reason returns an error as a person reads it.
func reason(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "reading it took too long"
	case errors.Is(err, context.Canceled):
		return "reading it was given up"
	case errors.Is(err, fs.ErrNotExist):
		return "it was not found" + at(err)
	case errors.Is(err, fs.ErrPermission):
		return "it must not be read" + at(err)
	}
	return err.Error()
}

// at returns the place that an error names.
func at(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return ": " + e.Path
	}
	return ""
}

// variable returns a variable of the server's environment.
func (c Command) variable(name string) string {
	for _, pair := range c.Env {
		if n, v, ok := strings.Cut(pair, "="); ok && n == name {
			return v
		}
	}
	return ""
}

// place returns a path as the server sees it: relative to its working directory.
func (c Command) place(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	if whole, err := filepath.Abs(filepath.Join(c.Dir, path)); err == nil {
		return whole
	}
	return path
}

// Limits bound what one reading may cost.
type Limits struct {
	Bytes int64
	Files int
	Time  time.Duration
}

// errTooMuch returns the reason why something is not read to its end.
func errTooMuch(what string, limit any) error {
	return fmt.Errorf("it is too large: mcpproxy reads at most %v %s of a program", limit, what)
}
