package peer

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	procfs = "/proc"
	// ticksPerSecond is the unit of start times, which Linux fixes for programs
	// (USER_HZ) whatever the kernel's own clock is.
	ticksPerSecond = 100
)

// Self is this process.
func Self() Process { return find(os.Getpid()) }

// find returns the process with an identifier; the zero value if there is none.
func find(pid int) Process {
	s, ok := look(pid)
	if !ok {
		return Process{}
	}
	return s.Process
}

// look reads what the system tells about a process (proc_pid_stat(5)).
func look(pid int) (status, bool) {
	raw, err := os.ReadFile(filepath.Join(procfs, strconv.Itoa(pid), "stat"))
	if err != nil {
		return status{}, false
	}
	// The program's name stands in parentheses, and may hold spaces and parentheses.
	open, closed := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	fields := strings.Fields(string(raw[closed+1:]))
	if len(fields) < 20 || open < 0 || closed < open {
		return status{}, false
	}
	parent, err1 := strconv.Atoi(fields[1])
	session, err2 := strconv.Atoi(fields[3])
	start, err3 := strconv.ParseUint(fields[19], 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return status{}, false
	}
	return status{
		Process: Process{PID: pid, Start: start},
		name:    string(raw[open+1 : closed]),
		parent:  parent,
		session: session,
	}, true
}

// alive reports whether p still runs.
func (p Process) alive() bool { return p.Known() && find(p.PID) == p }

// ended reports whether p has ended, and not only is hidden from this user.
func (p Process) ended() bool {
	if s, ok := look(p.PID); ok {
		return s.Process != p
	}
	return errors.Is(unix.Kill(p.PID, 0), unix.ESRCH)
}

// bootID tells one run of the system from the others: start times count from its begin.
func bootID() string {
	raw, err := os.ReadFile(filepath.Join(procfs, "sys/kernel/random/boot_id"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// name is the name of the program that p runs; "" if it has ended. A process can give
// itself another one: nothing is granted for a name alone. The path of its executable is
// no better, and cannot be read of processes that keep their memory to themselves.
func (p Process) name() string {
	s, _ := look(p.PID)
	return s.name
}

// args are the arguments that p was started with, its name first.
func (p Process) args() []string {
	raw, err := os.ReadFile(filepath.Join(procfs, strconv.Itoa(p.PID), "cmdline"))
	if err != nil || len(raw) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
}

// cgroup is the control group of p, in all hierarchies.
func (p Process) cgroup() string {
	raw, err := os.ReadFile(filepath.Join(procfs, strconv.Itoa(p.PID), "cgroup"))
	if err != nil {
		return ""
	}
	return string(raw)
}

// lineage is what p hands down to its children.
func (p Process) lineage() lineage {
	s, _ := look(p.PID)
	return lineage{cgroup: p.cgroup(), session: s.session}
}

// traced reports whether a debugger holds p.
func (p Process) traced() bool {
	raw, err := os.ReadFile(filepath.Join(procfs, strconv.Itoa(p.PID), "status"))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(raw), "\nTracerPid:")
	tracer, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(tracer) != "0" && after != ""
}

// ofUser reports whether p runs as a user (proc_pid_status(5), Uid: the real one first).
func (p Process) ofUser(uid uint32) bool {
	raw, err := os.ReadFile(filepath.Join(procfs, strconv.Itoa(p.PID), "status"))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(raw), "\nUid:")
	line, _, _ := strings.Cut(after, "\n")
	return slices.Contains(strings.Fields(line), strconv.FormatUint(uint64(uid), 10))
}

// children are the identifiers of the processes that p has started and that still run.
func (p Process) children() []int {
	var out []int
	tasks, _ := filepath.Glob(filepath.Join(procfs, strconv.Itoa(p.PID), "task", "*", "children"))
	for _, task := range tasks {
		raw, err := os.ReadFile(task)
		if err != nil {
			continue // the thread has ended
		}
		for word := range strings.FieldsSeq(string(raw)) {
			if pid, err := strconv.Atoi(word); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

// reaps reports whether a process adopts others whose parents have ended: init, and
// the service manager of a user.
func reaps(pid int) bool {
	return pid == 1 || Process{PID: pid}.name() == "systemd"
}

// Ancestor returns the nearest process above this one for which is reports true, given the
// name of its program and its arguments.
func Ancestor(is func(name string, args []string) bool) (Process, bool) {
	for pid, depth := os.Getppid(), 0; pid > 0 && depth < maxDepth; depth++ {
		s, ok := look(pid)
		if !ok {
			break
		}
		if is(s.name, s.args()) {
			return s.Process, true
		}
		pid = s.parent
	}
	return Process{}, false
}

// now is the present time in the unit of [Process.Start].
func now() uint64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0
	}
	return uint64(ts.Sec)*ticksPerSecond + uint64(ts.Nsec)/(1e9/ticksPerSecond)
}

// String names p as a user would look for it.
func (p Process) String() string {
	name := p.name()
	if name == "" {
		name = "process"
	}
	return fmt.Sprintf("%s (pid %d)", name, p.PID)
}
