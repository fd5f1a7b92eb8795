package client

import (
	"os"
	"strconv"
	"strings"
)

// PIDSuffix follows the socket's path in the path of the file in which the daemon
// writes the number of its process.
const PIDSuffix = ".pid"

// processes is where the system shows processes: on Linux. Elsewhere nothing is
// found there.
const processes = "/proc/"

// daemon is the daemon's process, as the system shows it.
type daemon struct {
	pidFile string
	sought  bool
	threads string // the folder of its threads; "" when it is not known
}

// known reports whether the process has been found.
func (d *daemon) known() bool { return d.threads != "" }

// find looks for the process, once: most hooks are answered before it matters.
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

// working reports whether one of the process's threads runs, waits for a processor
// or for the disk.
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

// works reads a thread's state from its line in the system's table: the letter
// after its name, which stands in parentheses and may hold some itself.
func works(stat string) bool {
	_, after, _ := strings.Cut(stat[strings.LastIndexByte(stat, ')')+1:], " ")
	return strings.HasPrefix(after, "R") || strings.HasPrefix(after, "D")
}
