package upstream

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock's access rights by purpose.
const (
	rightsToRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_READ_DIR
	rightsToWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	// A server that can create device files could bypass the restrictions.
	rightsToNobody = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	rightsOfFiles  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// ruleset is a Landlock ruleset under construction.
type ruleset struct {
	fd           int
	read, write  uint64 // rights of a read grant and of a write grant
	hidden, kept []string
}

// restrict restricts the files, connections and signals of this thread, which becomes the server,
// as far as the kernel supports it.
func (o *order) restrict() error {
	i, abi := &o.Isolation, landlockVersion()
	if abi < landlockFiles {
		return nil
	}
	r := &ruleset{read: rightsToRead, write: rightsToRead | rightsToWrite}
	for _, later := range []struct {
		since  int
		rights uint64
	}{
		{landlockRefer, unix.LANDLOCK_ACCESS_FS_REFER},
		{landlockTruncate, unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		{landlockDevices, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
	} {
		if abi >= later.since {
			r.write |= later.rights
		}
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: r.write | rightsToNobody}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if abi >= landlockTCP {
		size += unsafe.Sizeof(attr.Handled_access_net)
		if i.NoNetwork {
			attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		}
	}
	if abi >= landlockScope {
		size += unsafe.Sizeof(attr.Scoped)
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL
		if i.closes() {
			attr.Scoped |= unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		}
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("making a Landlock ruleset: %w", errno)
	}
	r.fd = int(fd)
	defer unix.Close(r.fd)
	if err := o.open(r); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), 0, 0); errno != 0 {
		return fmt.Errorf("applying the Landlock ruleset: %w", errno)
	}
	return nil
}

// open adds the order's grants to the ruleset.
func (o *order) open(r *ruleset) error {
	for _, g := range o.Grants {
		r.hidden, r.kept = g.Hidden, g.Kept
		rights := r.read
		if g.Write {
			rights = r.write
		}
		if err := r.grant(g.Path, rights); err != nil {
			return err
		}
	}
	if !o.Isolation.files() {
		return nil
	}
	r.hidden, r.kept = allForms(o.Isolation.Private), nil
	for _, path := range systemReadable {
		if err := r.grant(plain(path), r.read); err != nil {
			return err
		}
	}
	for _, path := range systemWritable {
		if err := r.grant(plain(path), r.write&^unix.LANDLOCK_ACCESS_FS_IOCTL_DEV); err != nil {
			return err
		}
	}
	return nil
}

// grant allows a path without links, except the hidden paths below it. Landlock can only add
// rights, so a folder that contains a hidden path is granted entry by entry. In such a folder the
// server can only list names, and has no access to entries that are created later.
func (r *ruleset) grant(path string, rights uint64) error {
	if coveredBy(r.hidden, path) {
		return nil
	}
	if coveredBy(r.kept, path) {
		rights &= r.read
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
	if err != nil {
		return nil // missing, or replaced by a link: not granted
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("looking at %s: %w", path, err)
	}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFBLK, unix.S_IFLNK:
		return nil // a disk device would bypass the rules; a link's target has its own rule
	case unix.S_IFDIR:
	default:
		return r.add(path, fd, rights&rightsOfFiles)
	}
	names := r.inside(path)
	if len(names) == 0 {
		return r.add(path, fd, rights)
	}
	if err := r.add(path, fd, rights&unix.LANDLOCK_ACCESS_FS_READ_DIR); err != nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("listing %s: %w", path, err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if err := r.grant(filepath.Join(path, name), rights); err != nil {
			return err
		}
	}
	return nil
}

// add grants rights on what fd refers to.
func (r *ruleset) add(path string, fd int, rights uint64) error {
	if rights == 0 {
		return nil
	}
	// Go pads this structure at its end, where the kernel's is packed; their members lie at the same places.
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	runtime.KeepAlive(&rule)
	if errno != 0 && errno != unix.EBADFD { // the file system does not support rules, for example that of pipes
		return fmt.Errorf("opening %s: %w", path, errno)
	}
	return nil
}

// inside returns the entries of a folder that contain a hidden or kept path.
func (r *ruleset) inside(dir string) (names []string) {
	for _, list := range [][]string{r.hidden, r.kept} {
		for _, p := range list {
			if p == dir || !within(dir, p) {
				continue
			}
			name, _, _ := strings.Cut(strings.TrimPrefix(p[len(dir):], "/"), "/")
			names = append(names, name)
		}
	}
	return names
}
