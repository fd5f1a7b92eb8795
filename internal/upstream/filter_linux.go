package upstream

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Landlock restricts files, TCP connections and signals. A system call filter closes what Landlock
// does not check, or checks only on the newest kernels. The filter sees numbers and not memory, so
// it cannot check paths and addresses: it allows or refuses a system call, or a socket family, as a
// whole.

// architectures are the processors whose system calls are listed here, by GOARCH.
var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// canFilter reports whether system calls can be filtered here.
func canFilter() bool {
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return e == 0 && architectures[runtime.GOARCH] != 0
}

// Offsets in the filter's input: the number of the system call, the processor, and the low halves
// of the first three arguments.
const (
	callNumber     = 0
	callProcessor  = 4
	firstArgument  = 16
	secondArgument = 24
	thirdArgument  = 32
)

// otherNumbers is the start of the x32 system call numbers on x86-64.
const otherNumbers = 0x40000000

// socketTypes is the part of a socket's type that is not a flag.
const socketTypes = 0xf

// newNamespaces are the flags of clone that create namespaces.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// Results of a filter.
var (
	refuse  = bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)}
	unknown = bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
	allow   = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
)

// program returns the filter.
func (i *Isolation) program() ([]bpf.RawInstruction, error) {
	out := []bpf.Instruction{
		bpf.LoadAbsolute{Off: callProcessor, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: architectures[runtime.GOARCH], SkipTrue: 1}, unknown,
		bpf.LoadAbsolute{Off: callNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: otherNumbers, SkipFalse: 1}, unknown,
	}
	for _, call := range unknownCalls {
		out = append(out, when(call, unknown)...)
	}
	for _, call := range refusedCalls {
		out = append(out, when(call, refuse)...)
	}
	if i.files() {
		for _, call := range refusedModes {
			out = append(out, when(call, refuse)...)
		}
	}
	out = append(out, when(unix.SYS_CLONE,
		bpf.LoadAbsolute{Off: firstArgument, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: newNamespaces, SkipFalse: 1}, refuse, allow)...)
	out = append(out, when(unix.SYS_IOCTL, // these would let a program type for the user
		bpf.LoadAbsolute{Off: secondArgument, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCSTI, SkipFalse: 1}, refuse,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCLINUX, SkipFalse: 1}, refuse, allow)...)
	out = append(out, when(unix.SYS_SOCKET, i.sockets()...)...)
	if i.closes() { // a socket pair is harmless unless its ends can be sent to other processes
		out = append(out, when(unix.SYS_SOCKETPAIR,
			bpf.LoadAbsolute{Off: secondArgument, Size: 4}, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: socketTypes},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_DGRAM, SkipFalse: 1}, refuse, allow)...)
	}
	return bpf.Assemble(append(out, allow))
}

// when applies the steps to one system call; the last steps return.
func when(call uint32, steps ...bpf.Instruction) []bpf.Instruction {
	skip := bpf.JumpIf{Cond: bpf.JumpEqual, Val: call, SkipFalse: uint8(len(steps))}
	return append([]bpf.Instruction{skip}, steps...)
}

// sockets checks the creation of a socket by its family, type and protocol. Most programs with a
// network read routing tables, so that is allowed. A raw socket could read the traffic of others,
// including keys on the loopback device.
func (i *Isolation) sockets() []bpf.Instruction {
	load := func(offset uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: offset, Size: 4} }
	out := []bpf.Instruction{
		load(firstArgument),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_NETLINK, SkipFalse: 4},
		load(thirdArgument),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.NETLINK_ROUTE, SkipFalse: 1}, allow, refuse,
	}
	if !i.closes() {
		out = append(out, bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_UNIX, SkipFalse: 1}, allow)
	}
	if i.NoNetwork {
		return append(out, refuse)
	}
	return append(out,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_INET6, SkipTrue: 1}, refuse,
		load(secondArgument), bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: socketTypes},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_RAW, SkipFalse: 1}, refuse, allow)
}

// filter installs the filter in this thread, which will become the server.
func (i *Isolation) filter() error {
	if !canFilter() {
		return nil
	}
	raw, err := i.program()
	if err != nil {
		return err
	}
	steps := make([]unix.SockFilter, len(raw))
	for n, r := range raw {
		steps[n] = unix.SockFilter{
			Code: r.Op,
			Jt:   r.Jt,
			Jf:   r.Jf,
			K:    r.K,
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(steps)), Filter: &steps[0]}
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	if e != 0 {
		return fmt.Errorf("installing the filter of system calls: %w", e)
	}
	return nil
}
