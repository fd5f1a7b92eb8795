package child

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// started holds the process IDs of the children that Start has started. [Wait] waits for them, so [EndOrphans] must
// not.
var started = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// Start starts cmd in a session of its own. The kernel kills the child when this process ends.
func Start(cmd *exec.Cmd) (*Family, error) {
	cmd.SysProcAttr = attributes()
	return start(cmd)
}

// StartConfined starts cmd as [Start] does and, if the system allows it, makes the child the first process of a new
// PID namespace (pid_namespaces(7)). When the child ends, for whatever reason, the kernel kills all processes that
// descend from it.
func StartConfined(cmd *exec.Cmd) (*Family, error) {
	cmd.SysProcAttr = attributes()
	if Namespaces() {
		ownNamespace(cmd.SysProcAttr)
	}
	return start(cmd)
}

// StartOffline starts cmd as [StartConfined] does, in a new network namespace (network_namespaces(7)). The namespace
// contains only a loopback device, which is down; the child may activate it. StartOffline fails if the system forbids
// such namespaces.
func StartOffline(cmd *exec.Cmd) (*Family, error) {
	cmd.SysProcAttr = attributes()
	if Namespaces() {
		ownNamespace(cmd.SysProcAttr)
	}
	cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWNET
	if os.Geteuid() != 0 {
		ownUsers(cmd.SysProcAttr)
		// The child has this capability in its namespace only, until it drops it.
		cmd.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN}
	}
	return start(cmd)
}

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// ownNamespace gives the child a new PID namespace. Without root, this requires a user namespace too. As root, the
// child stays in the user namespace of this process, because in a new one it could not read the files of other users.
func ownNamespace(attr *syscall.SysProcAttr) {
	attr.Cloneflags |= syscall.CLONE_NEWPID
	if os.Geteuid() != 0 {
		ownUsers(attr)
	}
}

// ownUsers gives the child a new user namespace that contains only its own user and group.
func ownUsers(attr *syscall.SysProcAttr) {
	user, group := os.Geteuid(), os.Getegid()
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: user, HostID: user, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: group, HostID: group, Size: 1}}
}

// Namespaces reports whether [StartConfined] can give a child a PID namespace. Containers and some distributions
// forbid it.
var Namespaces = sync.OnceValue(func() bool {
	attr := attributes()
	ownNamespace(attr)
	// The program does not exist. If that is the error, the system has created the namespace before it looked for the
	// program.
	_, err := os.StartProcess("/proc/self/no-such-program", []string{"none"}, &os.ProcAttr{Sys: attr})
	return errors.Is(err, fs.ErrNotExist)
})

func start(cmd *exec.Cmd) (*Family, error) {
	started.Lock() // so that EndOrphans does not mistake the child for an orphan
	defer started.Unlock()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	pid := cmd.Process.Pid
	started.pids[pid] = true
	f := &Family{pid: pid, members: map[int]process{}}
	if raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		if _, p, ok := parse(string(raw)); ok {
			f.members[pid] = p
		}
	}
	return f, nil
}

// Wait waits for a child that [Start] started.
func Wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	started.Lock()
	defer started.Unlock()
	delete(started.pids, cmd.Process.Pid)
	return err
}

// Signal sends sig to the process group of a child.
func Signal(pid int, sig syscall.Signal) { _ = syscall.Kill(-pid, sig) }

// Family is a child with its descendants.
type Family struct {
	pid int

	mu      sync.Mutex
	members map[int]process
}

// Look adds the current descendants to the family. If a process leaves the session and its parent then ends, only an
// earlier call of Look can have found it.
func (f *Family) Look() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.grow(processes())
}

func (f *Family) grow(all map[int]process) {
	leader, here := all[f.pid]
	reused := here && leader.begun != f.members[f.pid].begun // the child has ended, and another process has its ID
	for found := true; found; {
		found = false
		for pid, p := range all {
			if q, known := f.members[pid]; known && q.begun == p.begun {
				continue
			}
			parent, kin := f.members[p.parent]
			kin = kin && all[p.parent].begun == parent.begun
			if kin || p.session == f.pid && !reused {
				f.members[pid] = p
				found = true
			}
		}
	}
}

// rounds limits how often Kill repeats the search for processes that were started while it killed others.
const rounds = 20

// Kill kills the whole family, including members that have left the child's process group or session.
func (f *Family) Kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for range rounds {
		alive := false
		now := processes()
		f.grow(now)
		for pid, p := range f.members {
			if q, here := now[pid]; here && q.begun == p.begun && q.state != 'Z' && pid != os.Getpid() {
				alive = true
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if !alive {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// Adopt makes the kernel reparent orphaned descendants to this process, so that [EndOrphans] finds them.
func Adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// EndOrphans kills every process that was reparented to this one because of [Adopt]. It returns the number of
// processes. It must not be called while a started program is still in use.
func EndOrphans() (ended int) {
	self := os.Getpid()
	session, err := unix.Getsid(0)
	if err != nil {
		return 0
	}
	seen := map[int]bool{}
	for range rounds {
		started.Lock()
		left := 0
		for pid, p := range processes() {
			if p.parent != self || p.session == session || started.pids[pid] {
				continue
			}
			left++
			seen[pid] = true
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, nil, 0, nil)
		}
		started.Unlock()
		if left == 0 { // when an orphan ends, its children become orphans
			break
		}
	}
	return len(seen)
}

// process is an entry in the system's process table.
type process struct {
	state           byte
	parent, session int
	begun           string // start time, which distinguishes processes with the same ID
}

// processes returns every process that this one can see, by process ID.
func processes() map[int]process {
	all := map[int]process{}
	lines, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return all
	}
	for _, path := range lines {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		if pid, p, ok := parse(string(raw)); ok {
			all[pid] = p
		}
	}
	return all
}

// parse parses /proc/PID/stat. The program's name is in parentheses and may itself contain parentheses.
func parse(line string) (pid int, p process, ok bool) {
	open, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return 0, p, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line[:open]))
	fields := strings.Fields(line[end+1:])
	const state, parent, session, begun = 0, 1, 3, 19
	if err != nil || pid <= 0 || len(fields) <= begun {
		return 0, p, false
	}
	p.state, p.begun = fields[state][0], fields[begun]
	if p.parent, err = strconv.Atoi(fields[parent]); err != nil {
		return 0, p, false
	}
	p.session, err = strconv.Atoi(fields[session])
	return pid, p, err == nil
}
