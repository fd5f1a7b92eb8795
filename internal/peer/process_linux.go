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
	// ticksPerSecond is the unit of start times. Linux fixes it for user programs (USER_HZ),
	// whatever the kernel's own clock is.
	ticksPerSecond = 100
)

// Self returns this process.
func Self() Process { return find(os.Getpid()) }

// find returns the process with a process id, or the zero value.
func find(pid int) Process {
	s, ok := look(pid)
	if !ok {
		return Process{}
	}
	return s.Process
}

// look reads the status of a process (proc_pid_stat(5)).
func look(pid int) (status, bool) {
	raw, err := os.ReadFile(filepath.Join(procfs, strconv.Itoa(pid), "stat"))
	if err != nil {
		return status{}, false
	}
	// The program's name is in parentheses and may itself contain spaces and parentheses.
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

// ended reports whether p has ended. A process that is only hidden from this user has not ended.
func (p Process) ended() bool {
	if s, ok := look(p.PID); ok {
		return s.Process != p
	}
	return errors.Is(unix.Kill(p.PID, 0), unix.ESRCH)
}

// bootID identifies the current boot. Start times count from the boot.
func bootID() string {
	raw, err := os.ReadFile(filepath.Join(procfs, "sys/kernel/random/boot_id"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// name returns the name of the program that p runs, or "" if p has ended. A process can change its
// name, so a name alone never grants anything. The path of the executable is no better, and it is
// unreadable for processes that hide their memory.
func (p Process) name() string {
	s, _ := look(p.PID)
	return s.name
}

// args returns the arguments that p was started with, beginning with the program's name.
func (p Process) args() []string {
	raw, err := os.ReadFile(filepath.Join(procfs, strconv.Itoa(p.PID), "cmdline"))
	if err != nil || len(raw) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
}

// cgroup returns the control group of p in all hierarchies.
func (p Process) cgroup() string {
	raw, err := os.ReadFile(filepath.Join(procfs, strconv.Itoa(p.PID), "cgroup"))
	if err != nil {
		return ""
	}
	return string(raw)
}

// lineage returns the attributes that the children of p inherit.
func (p Process) lineage() lineage {
	s, _ := look(p.PID)
	return lineage{cgroup: p.cgroup(), session: s.session}
}

// traced reports whether a debugger is attached to p.
func (p Process) traced() bool {
	raw, err := os.ReadFile(filepath.Join(procfs, strconv.Itoa(p.PID), "status"))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(raw), "\nTracerPid:")
	tracer, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(tracer) != "0" && after != ""
}

// ofUser reports whether p runs as a user (proc_pid_status(5), Uid: the real user comes first).
func (p Process) ofUser(uid uint32) bool {
	raw, err := os.ReadFile(filepath.Join(procfs, strconv.Itoa(p.PID), "status"))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(raw), "\nUid:")
	line, _, _ := strings.Cut(after, "\n")
	return slices.Contains(strings.Fields(line), strconv.FormatUint(uint64(uid), 10))
}

// children returns the process ids of the running children of p.
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

// reaps reports whether a process adopts orphans: init and a user's service manager do.
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

// now returns the current time in the unit of [Process.Start].
func now() uint64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0
	}
	return uint64(ts.Sec)*ticksPerSecond + uint64(ts.Nsec)/(1e9/ticksPerSecond)
}

// String returns the name and the process id of p, for people.
func (p Process) String() string {
	name := p.name()
	if name == "" {
		name = "process"
	}
	return fmt.Sprintf("%s (pid %d)", name, p.PID)
}
