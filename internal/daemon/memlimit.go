package daemon

import (
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// mostMemory is the size from which the runtime collects more often. Live data is limited far below
// it (docs/limits.md); the rest is garbage that a busy machine has not collected yet.
const mostMemory = 400 << 20

// boundMemory sets the runtime's memory limit, unless GOMEMLIMIT is set. A container's limit lowers
// it. A fifth of the limit is reserved for memory that the runtime does not count: the program
// itself and memory that the system holds for it.
func boundMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(min(mostMemory, containerLimit("/")/5*4))
	}
}

// unlimited is the smallest value that means no limit: version 1 of cgroups writes the
// largest number of pages.
const unlimited = 1 << 60

// containerLimit returns the memory limit of the process in bytes, from its cgroups of version 1
// and 2 (man 7 cgroups), or math.MaxInt64. Root is the root of the file system.
func containerLimit(root string) int64 {
	limit := int64(math.MaxInt64)
	groups, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup")) // only Linux has the file
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // hierarchy, controllers, path
		if len(fields) < 3 {
			continue
		}
		dir, file := "sys/fs/cgroup", "memory.max"
		if fields[0] != "0" {
			dir, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		if fields[0] != "0" && !strings.Contains(","+fields[1]+",", ",memory,") {
			continue
		}
		// The limits of parent groups apply too. If the path is not visible in the container, the
		// root's limit applies.
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			said, err := os.ReadFile(filepath.Join(root, dir, group, file))
			n, bad := strconv.ParseInt(strings.TrimSpace(string(said)), 10, 64)
			if err == nil && bad == nil && 0 < n && n < unlimited {
				limit = min(limit, n)
			}
			if group == "/" {
				break
			}
		}
	}
	return limit
}
