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

// AccessError is returned for a file that other users can read or change although they must not.
type AccessError struct {
	Path    string
	Problem string // the problem: what others can do
	Remedy  string // the command that corrects it
}

// Error names the path, the problem and the command.
func (e *AccessError) Error() string {
	return fmt.Sprintf("%s %s; run: %s", e.Path, e.Problem, e.Remedy)
}

// CheckWriters returns an [AccessError] if a user other than this one and root can change or
// replace the file or folder at path. It checks the path and the folders above it, up to the user's
// home or the root, and then the same for the path without symbolic links, as ssh's StrictModes
// does.
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
	home, _ := os.UserHomeDir() // without a home, every folder up to the root is checked
	if err := checkChain(path, home); err != nil || real == path {
		return err
	}
	if realHome, err := filepath.EvalSymlinks(home); err == nil {
		home = realHome
	}
	return checkChain(real, home)
}

// spellings returns the absolute path of a file, and the same path without symbolic links.
func spellings(path string) (whole, real string, err error) {
	if whole, err = filepath.Abs(path); err != nil {
		return "", "", err
	}
	if real, err = filepath.EvalSymlinks(whole); err != nil {
		return "", "", asOpen(err)
	}
	return whole, real, nil
}

// checkChain checks a path and the folders above it, up to home or the root.
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

// checkWriters checks one file or folder. Above is true for a folder above the path in question.
func checkWriters(path string, info fs.FileInfo, above bool) error {
	uid, gid, known := Owner(info)
	if !known {
		return nil // the system has no numeric owners
	}
	if uid != 0 && uid != os.Geteuid() {
		return &AccessError{path, fmt.Sprintf("belongs to another user (uid %d, mode %04o)", uid, info.Mode().Perm()),
			fmt.Sprintf("sudo chown %d %s", os.Geteuid(), quoted(path))}
	}
	mode := info.Mode()
	switch {
	case mode&fs.ModeSymlink != 0: // its mode is meaningless: only the owner can change it
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

// CheckReaders returns an [AccessError] if other users can read the file at path. As in
// [CheckWriters], the user's own group does not count.
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

// quoted returns a path quoted for a shell.
func quoted(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,@") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// ownGroup reports whether a group is this user's own and has no other members.
func ownGroup(gid int) bool {
	users, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return false
	}
	groups, err := os.ReadFile("/etc/group")
	return err == nil && isOwnGroup(users, groups, os.Geteuid(), gid)
}

// isOwnGroup reports whether a group is the primary group of a user and of nobody else, and has no
// other members. Users and groups are in the form of /etc/passwd and /etc/group; see passwd(5) and
// group(5). Users and groups that are defined elsewhere, such as in LDAP, are unknown and have no
// group of their own.
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

// CheckRoot returns an error if a user other than root can change or replace the file at path. It
// checks the path and every folder above it, and then the same for the path without symbolic links.
// On Windows, where files have no numeric owners, it accepts every file.
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
