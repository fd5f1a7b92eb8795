package daemon

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestTheContainersLimitOfMemoryIsFound(t *testing.T) {
	const none = math.MaxInt64
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no cgroups":                         {nil, none},
		"version 2, in a container":          {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "2147483648\n"}, 2 << 30},
		"version 2, without a limit":         {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, none},
		"version 2, a limit of a parent":     {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1000\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, 1000},
		"version 2, the smaller of two":      {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1000\n", "sys/fs/cgroup/a/b/memory.max": "500\n"}, 500},
		"version 1":                          {map[string]string{"proc/self/cgroup": "3:cpu,cpuacct:/x\n4:memory:/x\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "4096\n"}, 4096},
		"version 1, without a limit":         {map[string]string{"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, none},
		"version 1, a path outside":          {map[string]string{"proc/self/cgroup": "4:memory:/docker/1\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "4096\n"}, 4096},
		"what is no number":                  {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "much\n"}, none},
		"a path that leads out of the mount": {map[string]string{"proc/self/cgroup": "0::/../..\n", "sys/fs/cgroup/memory.max": "4096\n"}, 4096},
		"lines that name no cgroup":          {map[string]string{"proc/self/cgroup": "\n:\n0::\n"}, none},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for file, text := range c.files {
				at := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := containerLimit(root); got != c.want {
				t.Errorf("the limit is %d, want %d", got, c.want)
			}
		})
	}
}

func TestASettingOfGOMEMLIMITIsKept(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(7 << 30))
	t.Setenv("GOMEMLIMIT", "7GiB")
	boundMemory()
	if got := debug.SetMemoryLimit(-1); got != 7<<30 {
		t.Errorf("the limit is %d", got)
	}
}
