package program

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// DefaultLimits are sufficient for the largest known servers, which contain a browser or an interpreter.
var DefaultLimits = Limits{Bytes: 512 << 20, Files: 20_000, Time: 10 * time.Second}

const (
	maxDepth    = 40      // nesting depth of folders
	maxTogether = 4       // concurrent readings
	maxKept     = 50_000  // hashes in the cache
	maxManifest = 1 << 20 // bytes of a file that describes a package
)

// settled is the minimum age of a file's last change for its hash to be cached, because two changes
// in quick succession may have the same time.
const settled = 2 * time.Second

// Reader hashes programs. It caches the hashes of files, under a stamp that changes with the
// content and that no program can forge. It is safe for concurrent use.
type Reader struct {
	Limits Limits

	once  sync.Once
	turns chan struct{}

	mu    sync.Mutex
	known map[stamp]string
}

func (r *Reader) prepare() {
	if r.Limits == (Limits{}) {
		r.Limits = DefaultLimits
	}
	r.turns = make(chan struct{}, maxTogether)
	r.known = map[stamp]string{}
}

// stamp contains the metadata of a file that changes with its content.
type stamp struct {
	device, inode  uint64
	size           int64
	modified, kept int64 // time of the last change (ctime), which no program can set
}

// look is the state of one reading.
type look struct {
	ctx    context.Context
	reader *Reader
	bytes  int64 // bytes and files read so far
	files  int
}

func (r *Reader) newLook(ctx context.Context) *look { return &look{ctx: ctx, reader: r} }

// file hashes an open file. Info is its metadata from before the start. It fails if the file changes meanwhile,
// because it is then unknown which content was started.
func (l *look) file(f *os.File, info fs.FileInfo) (string, error) {
	if l.bytes += info.Size(); l.bytes > l.reader.Limits.Bytes {
		return "", errTooMuch("bytes", l.reader.Limits.Bytes)
	}
	before, stamped := stampOf(info)
	if sum, ok := l.reader.remembered(before); stamped && ok {
		return sum, l.unchanged(f, info)
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(&patient{l.ctx, f}, info.Size()+1))
	if err != nil {
		return "", err
	}
	if n != info.Size() {
		return "", errChanged
	}
	if err := l.unchanged(f, info); err != nil {
		return "", err
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if stamped && time.Since(time.Unix(0, before.kept)) > settled {
		l.reader.remember(before, sum)
	}
	return sum, nil
}

var errChanged = fmt.Errorf("it was changed while the server was started")

// unchanged returns an error if a file has changed.
func (l *look) unchanged(f *os.File, info fs.FileInfo) error {
	now, err := f.Stat()
	if err != nil {
		return err
	}
	a, _ := stampOf(info)
	b, _ := stampOf(now)
	if a != b || now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime()) {
		return errChanged
	}
	return nil
}

func (r *Reader) remembered(s stamp) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum, ok := r.known[s]
	return sum, ok
}

func (r *Reader) remember(s stamp, sum string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) >= maxKept {
		clear(r.known)
	}
	r.known[s] = sum
}

// patient is a reader that fails when its context ends.
type patient struct {
	ctx context.Context
	r   io.Reader
}

func (p *patient) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.r.Read(b)
}

// folder hashes a folder: the sorted paths in it, the content of each file and the target of each
// symbolic link. It does not follow links, and skips folders with the given names.
func (l *look) folder(dir string, without ...string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	h := sha256.New()
	if err := l.walk(root, ".", 0, without, h); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (l *look) walk(root *os.Root, dir string, depth int, without []string, h hash.Hash) error {
	if depth > maxDepth {
		return fmt.Errorf("its folders are nested more than %d levels deep", maxDepth)
	}
	entries, err := l.entries(root, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		at := path.Join(dir, e.Name())
		switch mode := e.Type(); {
		case mode.IsDir() && slices.Contains(without, e.Name()):
		case mode.IsDir():
			if err := l.walk(root, at, depth+1, without, h); err != nil {
				return err
			}
		case mode&fs.ModeSymlink != 0:
			to, err := root.Readlink(at)
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "link %q %q\n", at, to)
		default:
			sum, err := l.within(root, at)
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "file %q %s\n", at, sum)
		}
	}
	return nil
}

// entries returns the entries of a folder, sorted by name.
func (l *look) entries(root *os.Root, dir string) (all []fs.DirEntry, err error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for {
		some, err := f.ReadDir(500)
		all = append(all, some...)
		switch {
		case l.ctx.Err() != nil:
			return nil, l.ctx.Err()
		case l.files+len(all) > l.reader.Limits.Files:
			return nil, errTooMuch("files", l.reader.Limits.Files)
		case err == io.EOF:
			l.files += len(all) // folders and links count as well
			slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
			return all, nil
		case err != nil:
			return nil, err
		}
	}
}

// within hashes a regular file below root.
func (l *look) within(root *os.Root, name string) (string, error) {
	f, info, err := regularIn(root, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return l.file(f, info)
}

// regularIn opens a file below root if it is a regular one.
func regularIn(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s in it is a link, a pipe, a device or a socket, and not a file", name)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// manifest reads a file below root that describes a package.
func (l *look) manifest(root *os.Root, name string) ([]byte, error) {
	f, info, err := regularIn(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > maxManifest {
		return nil, fmt.Errorf("%s in it is larger than %d bytes", name, maxManifest)
	}
	return io.ReadAll(io.LimitReader(&patient{l.ctx, f}, maxManifest))
}
