package peer

import (
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// Credentials returns the user and the process at the other end of a Unix socket, as
// they were when the connection was made (unix(7), SO_PEERCRED).
func Credentials(conn net.Conn) (uid int, p Process, known bool) {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, Process{}, false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, Process{}, false
	}
	var cred *unix.Ucred
	controlErr := raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if controlErr != nil || err != nil {
		return 0, Process{}, false
	}
	if p = find(int(cred.Pid)); !p.Known() && cred.Pid > 0 {
		p = Process{PID: int(cred.Pid)} // the process has ended, or the system hides it
	}
	return int(cred.Uid), p, true
}

// owner finds the process at the remote end of a loopback TCP connection. The kernel returns the
// socket's inode, and the process is the one that has the inode open. A process can hide its open
// files (PR_SET_DUMPABLE). If no visible process has the socket open, the owner is one of the
// hidden processes of the socket's user.
func owner(near, far net.Addr) (Process, []Process) {
	local, ok1 := addrPort(near)
	remote, ok2 := addrPort(far)
	if !ok1 || !ok2 || !remote.Addr().IsLoopback() && remote.Addr() != local.Addr() {
		return Process{}, nil
	}
	socket, err := findSocket(remote, local)
	if err != nil || socket.inode == 0 {
		return Process{}, nil
	}
	p, hidden := holders.find("socket:[" + strconv.FormatUint(uint64(socket.inode), 10) + "]")
	if p.Known() {
		return p, nil
	}
	self := os.Getpid()
	return Process{}, slices.DeleteFunc(hidden, func(p Process) bool {
		return p.PID == self || !p.ofUser(socket.uid)
	})
}

func addrPort(a net.Addr) (netip.AddrPort, bool) {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}, false
	}
	p := tcp.AddrPort()
	return netip.AddrPortFrom(p.Addr().Unmap().WithZone(""), p.Port()), p.IsValid()
}

// Layout of the messages of sock_diag(7), in bytes.
const (
	diagByFamily  = 20 // SOCK_DIAG_BY_FAMILY
	diagRequest   = 56 // struct inet_diag_req_v2
	diagSockID    = 8  // offset of its member id
	diagMessage   = 72 // struct inet_diag_msg
	diagUser      = 64 // offset of its member idiag_uid
	diagInode     = 68 // offset of its member idiag_inode
	diagBuffer    = 4096
	allTCPStates  = ^uint32(0)
	noSocketsKnow = ^uint32(0) // cookie of an unknown socket
)

// socket is the kernel's description of a TCP socket.
type socket struct {
	inode uint32 // 0 if no process has it open
	uid   uint32 // user who created it
}

// findSocket asks the kernel for the TCP socket with these two addresses.
func findSocket(source, target netip.AddrPort) (socket, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_INET_DIAG)
	if err != nil {
		return socket{}, os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 1}); err != nil {
		return socket{}, os.NewSyscallError("setsockopt", err)
	}
	if err := unix.Sendto(fd, inetDiag(source, target), 0,
		&unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return socket{}, os.NewSyscallError("sendto", err)
	}
	answer := make([]byte, diagBuffer)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return socket{}, os.NewSyscallError("recvfrom", err)
	}
	if n < unix.NLMSG_HDRLEN+diagMessage || binary.NativeEndian.Uint16(answer[4:]) != diagByFamily {
		return socket{}, os.ErrNotExist
	}
	message := answer[unix.NLMSG_HDRLEN:]
	return socket{
		inode: binary.NativeEndian.Uint32(message[diagInode:]),
		uid:   binary.NativeEndian.Uint32(message[diagUser:]),
	}, nil
}

// inetDiag returns the netlink request for one TCP socket.
func inetDiag(source, target netip.AddrPort) []byte {
	b := make([]byte, unix.NLMSG_HDRLEN+diagRequest)
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], diagByFamily)
	binary.NativeEndian.PutUint16(b[6:], unix.NLM_F_REQUEST)
	body := b[unix.NLMSG_HDRLEN:]
	body[0], body[1] = unix.AF_INET, unix.IPPROTO_TCP
	if source.Addr().Is6() {
		body[0] = unix.AF_INET6
	}
	binary.NativeEndian.PutUint32(body[4:], allTCPStates)
	id := body[diagSockID:]
	binary.BigEndian.PutUint16(id, source.Port())
	binary.BigEndian.PutUint16(id[2:], target.Port())
	copy(id[4:20], source.Addr().AsSlice())
	copy(id[20:36], target.Addr().AsSlice())
	binary.NativeEndian.PutUint32(id[40:], noSocketsKnow)
	binary.NativeEndian.PutUint32(id[44:], noSocketsKnow)
	return b
}

// holders finds processes by their open files. It remembers the last results, because most
// connections come from few processes.
var holders openFiles

// maxRecent is the maximum number of remembered processes.
const maxRecent = 32

type openFiles struct {
	mu     sync.Mutex // held during a search: each search reads much of /proc
	recent []int
}

// find returns a process that has a file of this name open, or the zero value. Hidden lists the
// processes that may have it open but hide their files.
func (o *openFiles) find(name string) (p Process, hidden []Process) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, pid := range o.recent {
		if has, _ := holds(pid, name); has {
			o.recent = slices.Insert(slices.Delete(o.recent, i, i+1), 0, pid)
			return find(pid), nil
		}
	}
	entries, err := os.ReadDir(procfs)
	if err != nil {
		return Process{}, nil
	}
	for _, e := range slices.Backward(entries) {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		has, shown := holds(pid, name)
		if has {
			o.recent = slices.Insert(o.recent[:min(len(o.recent), maxRecent-1)], 0, pid)
			return find(pid), nil
		}
		if p := find(pid); !shown && p.Known() {
			hidden = append(hidden, p)
		}
	}
	return Process{}, hidden
}

// holds reports whether a process has a file of this name open, and whether the system shows the
// process's open files.
func holds(pid int, name string) (has, shown bool) {
	dir := filepath.Join(procfs, strconv.Itoa(pid), "fd")
	f, err := os.Open(dir)
	if err != nil {
		return false, false
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	for _, fd := range names {
		if link, err := os.Readlink(dir + "/" + fd); err == nil && link == name {
			return true, true
		}
	}
	return false, err == nil
}
