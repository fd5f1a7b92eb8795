package upstream_test

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// tryMore attempts what only Linux can refuse.
func tryMore(what, where string) error {
	call := func(number uintptr, args ...uintptr) error {
		args = append(args, 0, 0, 0)
		if _, _, e := syscall.Syscall(number, args[0], args[1], args[2]); e != 0 {
			return e
		}
		return nil
	}
	socket := func(family, kind, protocol int) error {
		fd, err := syscall.Socket(family, kind, protocol)
		if err == nil {
			err = syscall.Close(fd)
		}
		return err
	}
	switch what {
	case "lower the loopback device":
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		request, err := unix.NewIfreq("lo")
		if err != nil {
			return err
		}
		return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
	case "open a raw socket":
		return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_TCP)
	case "remove":
		return os.Remove(where)
	case "make a file in":
		f, err := os.CreateTemp(where, "new")
		if err == nil {
			err = f.Close()
		}
		return err
	case "list":
		_, err := os.ReadDir(where)
		return err
	case "chmod":
		return os.Chmod(where, 0o644)
	case "chown":
		return os.Lchown(where, os.Getuid(), os.Getgid())
	case "set an attribute":
		return unix.Setxattr(where, "user.test", []byte("x"), 0)
	case "change the mode of an open file":
		f, err := os.Open(where)
		if err == nil {
			err = errors.Join(f.Chmod(0o600), f.Close())
		}
		return err
	case "list keys":
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true)
		return err
	case "share memory":
		_, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
		return err
	case "watch page faults":
		return call(unix.SYS_USERFAULTFD, 1)
	case "send to netlink":
		return socket(unix.AF_NETLINK, unix.SOCK_DGRAM, unix.NETLINK_USERSOCK)
	case "read routes":
		return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
	case "listen to others":
		return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_TCP)
	case "start a namespace":
		cmd := exec.Command("true")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
		return cmd.Run()
	case "unshare":
		return call(unix.SYS_UNSHARE, unix.CLONE_NEWNS)
	case "mount":
		return unix.Mount("none", where, "tmpfs", 0, "")
	case "signal":
		pid, err := strconv.Atoi(where)
		if err == nil {
			err = syscall.Kill(pid, 0)
		}
		return err
	case "type for the user":
		master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
		if err != nil {
			return err
		}
		defer master.Close()
		b := [1]byte{'y'}
		return unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSTI, int(b[0]))
	case "leave an orphan":
		return orphan(where)
	}
	return errors.New("nobody knows how to " + what)
}

// orphan starts a process that leaves its parent and its session and keeps a named pipe open.
func orphan(pipe string) error {
	return exec.Command("sh", "-c", `(setsid sh -c 'echo started; exec sleep 600' >"$0" 2>&1 &)`, pipe).Run()
}
