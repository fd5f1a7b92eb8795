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

// Command says how a server is started.
type Command struct {
	Name string   // the program, as the configuration names it
	Path string   // absolute path of the program
	Args []string // arguments of the program
	Env  []string // the complete environment of the server, as NAME=value
	Dir  string   // working directory; "" means that of this process
}

// The kinds of sources of code.
const (
	File   = "file"   // a program, a script or a Python module
	NPM    = "npm"    // an npm package
	Python = "python" // an installed Python distribution
)

// Print is the fingerprint of the code with which a server is started.
type Print struct {
	Subject string // what the command line names, such as "npx weather@1.2.3"
	Source  string // "" if nothing was found
	Name    string // the package, or the absolute path of the file
	Version string // version in the package's own description
	Pinned  bool   // the command line fixes one version of the package
	SHA256  string // "" if Unknown says why
	Unknown string
}

// Started describes a program at the moment when it is started. Its file stays open, so that exactly the started file
// is hashed, even if it is replaced meanwhile.
type Started struct {
	subject  string
	packages []fetched // for finding the folders of the runner
	runner   string
	command  Command
	tree     string // a folder or a file that is read by its path
	file     *os.File
	info     fs.FileInfo
	stub     string // path of the file, if it may be a console script of Python
	why      string // why nothing can be hashed
}

// errNotRegular is the reason why something is not read.
var errNotRegular = errors.New("it is a pipe, a device or a socket, and not a file")

// Open determines what a command line starts. It reads no content. The caller must pass the result to [Reader.Read] or
// close it.
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

// maxSubject is the maximum length of [Print.Subject], in bytes; a longer one is replaced by a hash.
const maxSubject = 300

// short returns s or, if it is too long, its beginning and its hash.
func short(s string) string {
	if s = strings.ToValidUTF8(s, "?"); len(s) <= maxSubject {
		return s
	}
	return fmt.Sprintf("%s… (SHA-256 %.8x)", strings.ToValidUTF8(s[:maxSubject/2], ""), sha256.Sum256([]byte(s)))
}

// Close closes the file. It may be called more than once, and on nil.
func (s *Started) Close() {
	if s != nil && s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

// openRegular opens a file for reading if it is a regular file. It does not block if the file is a named pipe.
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
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() { // the file may have been replaced
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Read hashes a started program and closes it. It returns at the latest when ctx ends or the time limit is over. It
// searches for packages only now, because a runner may have fetched them after the server was started.
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
	go func() { // so that a file system that does not respond blocks only this goroutine
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

// local hashes code on this machine: the package that contains the file, or else the file or folder itself.
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

// reason returns an error in words for people.
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

// at returns the path in an error.
func at(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return ": " + e.Path
	}
	return ""
}

// variable returns an environment variable of the server.
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

// Limits limit the cost of one reading.
type Limits struct {
	Bytes int64
	Files int
	Time  time.Duration
}

// errTooMuch returns the error for exceeding a limit.
func errTooMuch(what string, limit any) error {
	return fmt.Errorf("it is too large: mcpproxy reads at most %v %s of a program", limit, what)
}
