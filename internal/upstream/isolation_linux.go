package upstream

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Versions of Landlock that introduced a feature.
const (
	landlockFiles    = 1
	landlockRefer    = 2
	landlockTruncate = 3
	landlockTCP      = 4
	landlockDevices  = 5
	landlockScope    = 6
)

// landlockVersion returns the kernel's version of Landlock, or 0.
func landlockVersion() int {
	const versionFlag = 1
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, versionFlag)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// listEnforced returns why a server could bypass the proxy of its list of hosts, or nil.
func listEnforced() error { return offline() }

// openHere lists what isolation never restricts on this system, whatever the configuration says.
var openHere []string

// missing lists the parts of i that the kernel or this user's rights do not allow.
func (i *Isolation) missing(abi int) (out []string) {
	if abi < landlockFiles {
		out = append(out, "files: the kernel has no Landlock, so mcpproxy's own files are open too")
	}
	if abi < landlockScope {
		out = append(out, "signals: the kernel's Landlock does not keep the server from ending other programs of yours")
	}
	if !canFilter() {
		out = append(out, "system calls: they cannot be filtered")
	}
	if i.closes() && !canFilter() {
		out = append(out, i.unfiltered(abi)...)
	}
	if i.Processes > 0 && os.Geteuid() == 0 {
		out = append(out, "processes: the kernel does not count those of root")
	}
	return out
}

// unfiltered lists the parts that only a system call filter could enforce.
func (i *Isolation) unfiltered(abi int) (out []string) {
	switch {
	case i.NoNetwork && abi < landlockTCP:
		out = append(out, "network: the kernel's Landlock confines no connections, and system calls cannot be filtered")
	case i.NoNetwork:
		out = append(out, "network: other transports than TCP, since system calls cannot be filtered")
	}
	if i.closes() {
		out = append(out, "unix sockets: system calls cannot be filtered")
	}
	return out
}

// carryOut confines this process and turns it into the server.
func (o *order) carryOut() error {
	i := &o.Isolation
	runtime.LockOSThread() // the filter applies to this thread, which becomes the server
	if o.Proxied {
		if err := makeProxyListener(); err != nil {
			return fmt.Errorf("confining the network: %w", err)
		}
	}
	if o.Probe {
		os.Exit(0)
	}
	if err := o.restrict(); err != nil {
		return fmt.Errorf("confining files and network: %w", err)
	}
	for _, limit := range []struct {
		resource int
		most     uint64
	}{
		// Not the address space: runtimes reserve far more of it than they use.
		{unix.RLIMIT_DATA, uint64(i.MemoryMB) << 20},
		{unix.RLIMIT_CPU, uint64(i.CPUSecs)},
		{unix.RLIMIT_NPROC, i.allProcesses()},
	} {
		if limit.most == 0 {
			continue
		}
		if err := lower(limit.resource, limit.most); err != nil {
			return fmt.Errorf("limiting resources: %w", err)
		}
	}
	if err := i.filter(); err != nil {
		return fmt.Errorf("filtering the system calls for sockets: %w", err)
	}
	// An orphaned process of this server becomes a child of the server and ends with it.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("making orphaned processes children of the server: %w", err)
	}
	// The kernel stores this per thread, and this may be a different thread than the one at the
	// start.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("making the server end when mcpproxy ends: %w", err)
	}
	return syscall.Exec(o.Program, o.Args, os.Environ())
}

// lower sets a limit unless the current one is lower.
func lower(resource int, most uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	most = min(most, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most})
}

// allProcesses returns the limit of the user's processes including the existing ones, because the
// kernel counts all of them.
func (i *Isolation) allProcesses() uint64 {
	if i.Processes == 0 {
		return 0
	}
	count := uint64(i.Processes)
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return count
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		info, err := os.Stat("/proc/" + e.Name())
		if err == nil && info.Sys().(*syscall.Stat_t).Uid == uint32(os.Getuid()) {
			tasks, _ := os.ReadDir("/proc/" + e.Name() + "/task")
			count += uint64(len(tasks))
		}
	}
	return count
}
