//go:build linux && (amd64 || arm64)

package worker

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// confine drops the privileges that a worker does not need. It reports layers that the kernel or
// the build does not support as missing.
func confine(o Options) []Layer {
	limits := limit(o)
	if isCgo {
		err := errors.New("this build uses cgo, whose threads cannot be confined")
		return []Layer{layer("limits", limits), layer("landlock", err), layer("seccomp", err)}
	}
	if _, _, e := syscall.AllThreadsSyscall(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0); e != 0 {
		return []Layer{layer("limits", limits), layer("landlock", e), layer("seccomp", e)}
	}
	return []Layer{layer("limits", limits), layer("landlock", denyAll()), layer("seccomp", seccomp())}
}

// limit limits memory and processor time, and forbids creating files, core dumps and tracing.
func limit(o Options) error {
	data := uint64(o.HeapMB)<<20 + uint64(max(o.MaxFrame, 0))*2 + spare
	for _, l := range []struct {
		what int
		n    uint64
	}{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_FSIZE, 0},
		{unix.RLIMIT_CPU, uint64(max(1, o.CPUSecs))},
		{unix.RLIMIT_DATA, data},
	} {
		if watched && l.what == unix.RLIMIT_DATA {
			continue
		}
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: l.n, Max: l.n}); err != nil {
			return err
		}
	}
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// denyAll denies access to files, the network, and signals and sockets outside the process, in
// every thread, as far as the kernel supports it.
func denyAll() error {
	const askVersion = unix.LANDLOCK_CREATE_RULESET_VERSION
	if _, _, e := syscall.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, askVersion); e != 0 {
		return fmt.Errorf("the kernel has no Landlock: %w", e)
	}
	return landlock.V11.BestEffort().Restrict()
}

// allowed lists the system calls that the Go runtime and the use of two pipes need.
var allowed = []uint32{
	unix.SYS_READ,
	unix.SYS_WRITE,
	unix.SYS_CLOSE,
	unix.SYS_FUTEX,
	unix.SYS_MMAP,
	unix.SYS_MUNMAP,
	unix.SYS_MADVISE,
	unix.SYS_MPROTECT,
	unix.SYS_MREMAP,
	unix.SYS_BRK,
	unix.SYS_MINCORE,
	unix.SYS_NANOSLEEP,
	unix.SYS_CLOCK_NANOSLEEP,
	unix.SYS_CLOCK_GETTIME,
	unix.SYS_GETTIMEOFDAY,
	unix.SYS_RT_SIGACTION,
	unix.SYS_RT_SIGPROCMASK,
	unix.SYS_RT_SIGRETURN,
	unix.SYS_SIGALTSTACK,
	unix.SYS_RESTART_SYSCALL,
	unix.SYS_GETPID,
	unix.SYS_GETPPID,
	unix.SYS_GETTID,
	unix.SYS_SCHED_YIELD,
	unix.SYS_SCHED_GETAFFINITY,
	unix.SYS_GETRANDOM,
	unix.SYS_EPOLL_CREATE1,
	unix.SYS_EPOLL_CTL,
	unix.SYS_EPOLL_PWAIT,
	unix.SYS_EVENTFD2,
	unix.SYS_RSEQ,
	unix.SYS_SET_ROBUST_LIST,
	unix.SYS_EXIT,
	unix.SYS_EXIT_GROUP,
}

// conditionalCall is a system call that is allowed if its first argument contains a bit or equals a
// value.
type conditionalCall struct {
	call, value uint32
	bit         bool
}

// conditional are system calls that are allowed under a condition.
var conditional = []conditionalCall{
	{unix.SYS_CLONE, unix.CLONE_THREAD, true}, // threads, but no processes
	{unix.SYS_PRCTL, unix.PR_SET_VMA, false},  // the runtime labels its memory
}

// program returns the filter. Any other system call ends the whole process.
func program() ([]bpf.RawInstruction, error) {
	const number, arch, argument = 0, 4, 16 // offsets in seccomp_data; the low half of the first argument
	kill, allow := bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS}, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	out := []bpf.Instruction{
		bpf.LoadAbsolute{Off: arch, Size: 4}, bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1}, kill,
		bpf.LoadAbsolute{Off: number, Size: 4},
	}
	own := conditionalCall{unix.SYS_TGKILL, uint32(os.Getpid()), false} // the runtime interrupts its own threads
	for _, c := range append(slices.Clone(conditional), own) {
		test := bpf.JumpIf{Cond: bpf.JumpEqual, Val: c.value, SkipFalse: 1}
		if c.bit {
			test.Cond = bpf.JumpBitsSet
		}
		out = append(out, bpf.JumpIf{Cond: bpf.JumpEqual, Val: c.call, SkipFalse: 4},
			bpf.LoadAbsolute{Off: argument, Size: 4}, test, allow, kill)
	}
	// A parser checks whether its output is a terminal; the answer is no.
	out = append(
		out,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_IOCTL, SkipFalse: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOTTY)},
	)
	for _, call := range allowed {
		out = append(out, bpf.JumpIf{Cond: bpf.JumpEqual, Val: call, SkipFalse: 1}, allow)
	}
	return bpf.Assemble(append(out, kill))
}

// seccomp installs the filter for every thread.
func seccomp() error {
	raw, err := program()
	if err != nil {
		return err
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{
			Code: r.Op,
			Jt:   r.Jt,
			Jf:   r.Jf,
			K:    r.K,
		}
	}
	fprog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, e := syscall.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&fprog))); e != 0 {
		return fmt.Errorf("entering the filter: %w", e)
	}
	return nil
}
