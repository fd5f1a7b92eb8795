package e2e

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// process is one process of this machine; start tells it from a later one with
// the same pid.
type process struct {
	pid    int
	parent int
	start  string
	state  string
}

// readProcess reads /proc/PID/stat (proc(5)).
func readProcess(pid int) (process, bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	end := bytes.LastIndexByte(raw, ')') // the name before it may hold anything
	fields := strings.Fields(string(raw[end+1:]))
	if end < 0 || len(fields) < 20 {
		return process{}, false
	}
	parent, err := strconv.Atoi(fields[1])
	return process{pid: pid, parent: parent, start: fields[19], state: fields[0]}, err == nil
}

// descendants are the living children of a process, and theirs.
func descendants(pid int) []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]process{}
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			if p, ok := readProcess(n); ok && p.state != "Z" {
				children[p.parent] = append(children[p.parent], p)
			}
		}
	}
	var all []process
	for next := []int{pid}; len(next) > 0; next = next[1:] {
		for _, p := range children[next[0]] {
			all = append(all, p)
			next = append(next, p.pid)
		}
	}
	return all
}

// alive reports whether a process still runs; a zombie waits only to be counted.
func (p process) alive() bool {
	now, ok := readProcess(p.pid)
	return ok && now.start == p.start && now.state != "Z"
}

// expectGone fails the test when one of the processes outlives its daemon.
func (d *daemon) expectGone(children []process) {
	d.t.Helper()
	var left []process
	for range 100 {
		left = left[:0]
		for _, p := range children {
			if p.alive() {
				left = append(left, p)
			}
		}
		if len(left) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	for _, p := range left {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		d.t.Errorf("process %d outlived the daemon: %s", p.pid, bytes.ReplaceAll(name, []byte{0}, []byte(" ")))
	}
}

// peakLimit is the most memory, in MB, that bad input may cost the daemon.
const peakLimit = 300

func (d *daemon) expectModest(t *testing.T) {
	t.Helper()
	peak := d.peakMemory()
	t.Logf("the daemon took %d MB", peak)
	if peak > peakLimit {
		t.Errorf("that is more than %d MB", peakLimit)
	}
}

// peakMemory is the most memory the daemon has held, in MB (VmHWM).
func (d *daemon) peakMemory() int {
	d.t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.cmd.Process.Pid))
	if err != nil {
		d.t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			if err != nil {
				d.t.Fatal(err)
			}
			return kb / 1024
		}
	}
	d.t.Fatal("no VmHWM in /proc")
	return 0
}
