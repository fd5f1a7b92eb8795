package atomicfile

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// AccessError says that other users can do more with a file than they may.
type AccessError struct {
	Path    string
	Problem string // what others can do
	Remedy  string // the command that ends it
}

// Error names the path, the problem and the command.
func (e *AccessError) Error() string {
	return fmt.Sprintf("%s %s; run: %s", e.Path, e.Problem, e.Remedy)
}

// CheckWriters returns an [AccessError] if somebody else than this user and root can
// change the file or folder at path, or put another one in its place. It looks at the
// path and at the folders above it, up to the user's home or to the root, and does so
// again for the path without symbolic links. This is what ssh's StrictModes does.
//
// A group that may write is accepted if it is the user's own: the user's primary group,
// which has no other member in /etc/group and is no other user's primary group in
// /etc/passwd. A folder above the path that everybody may write to, such as /tmp, is
// accepted if it has the sticky bit, which leaves each file to its owner.
func CheckWriters(path string) error {
	path, real, err := spellings(path)
	if err != nil {
		return err
	}
	home, _ := os.UserHomeDir() // without one, every folder up to the root is looked at
	if err := checkChain(path, home); err != nil || real == path {
		return err
	}
	if realHome, err := filepath.EvalSymlinks(home); err == nil {
		home = realHome
	}
	return checkChain(real, home)
}

// spellings returns the absolute path of a file, and that without symbolic links.
func spellings(path string) (whole, real string, err error) {
	if whole, err = filepath.Abs(path); err != nil {
		return "", "", err
	}
	if real, err = filepath.EvalSymlinks(whole); err != nil {
		return "", "", asOpen(err)
	}
	return whole, real, nil
}

// checkChain looks at a path and at the folders above it, up to home or to the root.
func checkChain(path, home string) error {
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		if err := checkWriters(at, info, at != path); err != nil {
			return err
		}
		if at == home || at == filepath.Dir(at) {
			return nil
		}
	}
}

// checkWriters looks at one file or folder. Above says that it is a folder above the
// path in question.
func checkWriters(path string, info fs.FileInfo, above bool) error {
	uid, gid, known := Owner(info)
	if !known {
		return nil // the system has no owners by number
	}
	if uid != 0 && uid != os.Geteuid() {
		return &AccessError{path, fmt.Sprintf("belongs to another user (uid %d, mode %04o)", uid, info.Mode().Perm()),
			fmt.Sprintf("sudo chown %d %s", os.Geteuid(), quoted(path))}
	}
	mode := info.Mode()
	switch {
	case mode&fs.ModeSymlink != 0: // its mode says nothing: the owner alone can change it
		return nil
	case above && mode&fs.ModeSticky != 0:
		return nil
	case mode&0o002 == 0 && (mode&0o020 == 0 || ownGroup(gid)):
		return nil
	}
	return &AccessError{
		path,
		fmt.Sprintf("can be changed by other users (mode %04o)", mode.Perm()),
		"chmod go-w " + quoted(path),
	}
}

// CheckReaders returns an [AccessError] if other users can read the file at path. As
// for [CheckWriters], the user's own group is no other user.
func CheckReaders(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return asOpen(err)
	}
	_, gid, known := Owner(info)
	mode := info.Mode().Perm()
	if !known || mode&0o004 == 0 && (mode&0o040 == 0 || ownGroup(gid)) {
		return nil
	}
	return &AccessError{path, fmt.Sprintf("can be read by other users (mode %04o)", mode), "chmod go-r " + quoted(path)}
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,@") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// ownGroup reports whether a group is this user's own, and nobody else is in it.
func ownGroup(gid int) bool {
	users, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return false
	}
	groups, err := os.ReadFile("/etc/group")
	return err == nil && isOwnGroup(users, groups, os.Geteuid(), gid)
}

// isOwnGroup reports whether a group is the primary group of a user and of nobody else,
// and has no other members. Users and groups are in the form of /etc/passwd and
// /etc/group; see passwd(5) and group(5). Users and groups that stand elsewhere, such as
// in a directory, are unknown and have no group of their own.
func isOwnGroup(users, groups []byte, uid, gid int) bool {
	user := ""
	for line := range bytes.Lines(users) { // name:password:uid:gid:…
		fields := strings.Split(strings.TrimSpace(string(line)), ":")
		if len(fields) < 4 || fields[3] != strconv.Itoa(gid) {
			continue
		}
		if fields[2] != strconv.Itoa(uid) {
			return false
		}
		user = fields[0]
	}
	found := false
	for line := range bytes.Lines(groups) { // name:password:gid:member,…
		fields := strings.Split(strings.TrimSpace(string(line)), ":")
		if len(fields) < 4 || fields[2] != strconv.Itoa(gid) {
			continue
		}
		for member := range strings.SplitSeq(fields[3], ",") {
			if member != "" && member != user {
				return false
			}
		}
		found = true
	}
	return found && user != ""
}

// CheckRoot returns an error if somebody else than root can change the file at path, or put another
// one in its place. It looks at the path and at every folder above it, and does so again for the path
// without symbolic links. On Windows, where files have no owners by number, it accepts every file.
func CheckRoot(path string) error {
	path, real, err := spellings(path)
	if err != nil {
		return err
	}
	for _, start := range []string{path, real} {
		for at := start; ; at = filepath.Dir(at) {
			info, err := os.Lstat(at)
			if err != nil {
				return err
			}
			if err := checkRoot(at, info); err != nil {
				return err
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return nil
}

func checkRoot(path string, info fs.FileInfo) error {
	uid, _, known := Owner(info)
	switch {
	case !known:
		return nil
	case uid != 0:
		return &AccessError{path, fmt.Sprintf("belongs to the user %d and must belong to root", uid), "sudo chown root " + quoted(path)}
	case info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o022 != 0:
		return &AccessError{
			path,
			fmt.Sprintf("can be changed by others than root (mode %04o)", info.Mode().Perm()),
			"sudo chmod go-w " + quoted(path),
		}
	}
	return nil
}
