package rig

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/eventually"
)

// Descendant is a process that was started by another one. The start time distinguishes it from a later process with
// the same ID.
type Descendant struct {
	PID    int
	Parent int
	start  string
	state  string
}

// read reads /proc/PID/stat (proc(5)).
func read(pid int) (Descendant, bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Descendant{}, false
	}
	end := bytes.LastIndexByte(raw, ')') // the name before the last parenthesis may contain any characters
	fields := strings.Fields(string(raw[end+1:]))
	if end < 0 || len(fields) < 20 {
		return Descendant{}, false
	}
	parent, err := strconv.Atoi(fields[1])
	return Descendant{
		PID:    pid,
		Parent: parent,
		start:  fields[19],
		state:  fields[0],
	}, err == nil
}

// Descendants returns the running descendants of a process.
func Descendants(pid int) []Descendant {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]Descendant{}
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil {
			if p, ok := read(n); ok && p.state != "Z" {
				children[p.Parent] = append(children[p.Parent], p)
			}
		}
	}
	var all []Descendant
	for next := []int{pid}; len(next) > 0; next = next[1:] {
		for _, p := range children[next[0]] {
			all = append(all, p)
			next = append(next, p.PID)
		}
	}
	return all
}

// Alive reports whether a process still runs. A zombie does not.
func (p Descendant) Alive() bool {
	now, ok := read(p.PID)
	return ok && now.start == p.start && now.state != "Z"
}

// ExpectGone fails the test for each process that is alive after two seconds.
func ExpectGone(t testing.TB, processes []Descendant) {
	t.Helper()
	var left []Descendant
	eventually.Within(2*time.Second, func() bool {
		left = left[:0]
		for _, p := range processes {
			if p.Alive() {
				left = append(left, p)
			}
		}
		return len(left) == 0
	})
	for _, p := range left {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
		t.Errorf("process %d outlived the daemon: %s", p.PID, bytes.ReplaceAll(name, []byte{0}, []byte(" ")))
	}
}
