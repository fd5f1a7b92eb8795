package upstream

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Landlock confines what is done with a socket, kernel by kernel more of it: Unix
// sockets and UDP only on the newest, and other transports not at all. A filter of
// system calls confines the making of sockets, on every kernel. It sees no
// addresses, so that a family of sockets is open or closed as a whole.

// architectures are the processors whose system calls are known here, by GOARCH.
var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// canFilter reports whether system calls can be filtered here.
func canFilter() bool {
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return e == 0 && architectures[runtime.GOARCH] != 0
}

// Offsets in what a filter sees of a system call: its number, the processor, and
// the low halves of its first two arguments.
const (
	callNumber     = 0
	callProcessor  = 4
	firstArgument  = 16
	secondArgument = 24
)

// otherNumbers is where the numbers of another set of system calls begin, which
// x86-64 has beside its own.
const otherNumbers = 0x40000000

// socketTypes is the part of a socket's type that is no flag.
const socketTypes = 0xf

// program is the filter. Sockets that a process makes for itself and a child
// (socketpair) stay, but for those that can still be sent elsewhere.
func (i *Isolation) program() ([]bpf.RawInstruction, error) {
	refuse := bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)}
	unknown := bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
	allow := bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	out := []bpf.Instruction{
		bpf.LoadAbsolute{Off: callProcessor, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: architectures[runtime.GOARCH], SkipTrue: 1}, unknown,
		bpf.LoadAbsolute{Off: callNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: otherNumbers, SkipFalse: 1}, unknown,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_IO_URING_SETUP, SkipFalse: 1}, unknown, // it makes sockets too
	}
	families := i.families(allow, refuse)
	out = append(out, bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKET, SkipFalse: uint8(len(families))})
	out = append(out, families...)
	if !i.UnixSockets {
		out = append(out, bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKETPAIR, SkipFalse: 4},
			bpf.LoadAbsolute{Off: secondArgument, Size: 4}, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: socketTypes},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_DGRAM, SkipFalse: 1}, refuse)
	}
	return bpf.Assemble(append(out, allow))
}

// families is the part of the filter that judges the making of a socket by its
// family. Routing tables are read by most programs that have a network.
func (i *Isolation) families(allow, refuse bpf.Instruction) []bpf.Instruction {
	out := []bpf.Instruction{bpf.LoadAbsolute{Off: firstArgument, Size: 4}}
	add := func(family uint32, verdict bpf.Instruction) {
		out = append(out, bpf.JumpIf{Cond: bpf.JumpEqual, Val: family, SkipFalse: 1}, verdict)
	}
	if !i.UnixSockets {
		add(unix.AF_UNIX, refuse)
	}
	if !i.NoNetwork {
		return append(out, allow)
	}
	if i.UnixSockets {
		add(unix.AF_UNIX, allow)
	}
	add(unix.AF_NETLINK, allow)
	return append(out, refuse)
}

// filter enters the filter with this thread, which is to become the server.
func (i *Isolation) filter() error {
	if !i.closes() || !canFilter() {
		return nil
	}
	raw, err := i.program()
	if err != nil {
		return err
	}
	steps := make([]unix.SockFilter, len(raw))
	for n, r := range raw {
		steps[n] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(steps)), Filter: &steps[0]}
	if _, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program))); e != 0 {
		return fmt.Errorf("entering the filter of system calls: %w", e)
	}
	return nil
}
