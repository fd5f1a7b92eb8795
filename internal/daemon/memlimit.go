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

// mostMemory is the memory beyond which the runtime collects harder. What lives is bounded far below it
// (docs/limits.md); the rest is garbage that a busy machine is late to collect.
const mostMemory = 400 << 20

// boundMemory tells the runtime how much memory the daemon may take, unless GOMEMLIMIT says so already: less where a
// container gives it less. A fifth of that is left for what the runtime does not count: the program itself and memory
// that the system holds for it.
func boundMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(min(mostMemory, containerLimit("/")/5*4))
	}
}

// unlimited is the smallest value that means no limit: version 1 of cgroups writes the
// largest number of pages.
const unlimited = 1 << 60

// containerLimit is how many bytes of memory the process may use by its cgroups of
// version 2 and 1 (man 7 cgroups), the file system being at root; math.MaxInt64 when
// there is no limit.
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
		// A group is bound by those above it. Of a path that is not visible in the
		// container, the root is.
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
