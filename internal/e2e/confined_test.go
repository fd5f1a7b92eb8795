package e2e

import (
	"path/filepath"
	"runtime"
	"testing"
)

// Widely used servers work under the default profile, and under a profile that allows only what they need.
func TestRealServersWorkConfined(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only Linux confines servers")
	}
	for name, isolation := range map[string]func(folders []string) object{
		"by the standard profile": func([]string) object { return object{"profile": "standard"} },
		"in files and network": func(folders []string) object {
			return object{"read": []string{packages(t)}, "write": folders, "network": false}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servers, folder := realServers(t)
			folders := []string{folder}
			for _, s := range servers {
				if env, ok := s["env"].(object); ok {
					folders = append(folders, filepath.Dir(env["MEMORY_FILE_PATH"].(string)))
				}
				args := s["args"].([]string)
				if last := args[len(args)-1]; filepath.Base(last) == "test.db" {
					folders = append(folders, filepath.Dir(last))
				}
			}
			for _, s := range servers {
				s["isolation"] = isolation(folders)
			}
			d := start(t, servers...)
			s := d.agent(t, "/mcp/all", stateful)
			for _, step := range realSteps(folder) {
				expectStep(t, s, step, step.server+"__"+step.tool, step.args)
			}
		})
	}
}
