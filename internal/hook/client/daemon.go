package client

import (
	"os"
	"strconv"
	"strings"
)

// PIDSuffix is appended to the socket's path to form the path of the file that contains the
// daemon's process id.
const PIDSuffix = ".pid"

// processes is where Linux lists processes. On other systems the folder does not exist.
const processes = "/proc/"

// daemon is the daemon's process.
type daemon struct {
	pidFile string
	sought  bool
	threads string // the folder of its threads; "" if unknown
}

// known reports whether the process has been found.
func (d *daemon) known() bool { return d.threads != "" }

// find looks up the process at its first call, and reports whether the process is known. It is called only when a hook
// has to wait, because most hooks are answered at once.
func (d *daemon) find() bool {
	if d.sought {
		return d.known()
	}
	d.sought = true
	raw, err := os.ReadFile(d.pidFile)
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil || pid <= 0 {
		return false
	}
	threads := processes + strconv.Itoa(pid) + "/task/"
	if _, err := os.Stat(threads); err == nil {
		d.threads = threads
	}
	return d.known()
}

// working reports whether one of the process's threads runs, or waits for a processor or the disk.
func (d *daemon) working() bool {
	dir, err := os.Open(d.threads)
	if err != nil {
		return false
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		stat, err := os.ReadFile(d.threads + name + "/stat")
		if err != nil {
			continue // the thread has ended
		}
		if works(string(stat)) {
			return true
		}
	}
	return false
}

// works reads a thread's state from its stat line: the letter after its name. The name stands in
// parentheses and may contain parentheses itself.
func works(stat string) bool {
	_, after, _ := strings.Cut(stat[strings.LastIndexByte(stat, ')')+1:], " ")
	return strings.HasPrefix(after, "R") || strings.HasPrefix(after, "D")
}
