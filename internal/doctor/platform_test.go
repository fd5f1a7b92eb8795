package doctor

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// named returns the names of the guarantees that the checkup reports as limited on a system.
func named(system string) []string {
	f := &Checkup{OK: true}
	f.examinePlatform(system, "arm64")
	var out []string
	for _, c := range f.Checks {
		if c.Grade == GradeBetter && c.Detail != "" && c.Advice != "" {
			out = append(out, c.Name)
		}
	}
	return out
}

func TestTheReportNamesWhatASystemLacks(t *testing.T) {
	for system, want := range map[string][]string{
		"linux": nil,
		"darwin": {
			"who speaks", "the socket's owner", "memory", "confined servers", "confined scripts", "helpers of servers",
			"agents' settings", "service",
		},
		"windows": {
			"who speaks", "the socket's owner", "rights of files", "memory", "confined servers", "confined scripts",
			"helpers of servers", "agents' settings", "service", "signals",
		},
	} {
		if diff := cmp.Diff(want, named(system)); diff != "" {
			t.Errorf("%s: %s", system, diff)
		}
	}
	f := &Checkup{OK: true}
	f.examinePlatform("linux", "amd64")
	if len(f.Checks) != 1 || !f.OK || f.Checks[0].Detail != "linux/amd64 has everything that mcpproxy can use" {
		t.Errorf("on Linux: %+v", f.Checks)
	}
}

// rooms says, for each package with files for single systems, which lines of the table cover it.
var rooms = map[string]string{
	"atomicfile":      "rights of files, agents' settings",
	"child":           "helpers of servers",
	"cli":             "signals",
	"codemode":        "confined scripts",
	"codemode/worker": "confined scripts",
	"bundle":          "rights of files",
	"daemon":          "the socket's owner, signals",
	"hook/client":     "rights of files",
	"nodump":          "memory",
	"peer":            "who speaks, the socket's owner",
	"service":         "service",
	"upstream":        "confined servers",
	// These packages do the same on every system, in different ways.
	"cli/term": "",
	"cputime":  "",
	"program":  "",
	"remote":   "",
}

func TestEveryPackageWithFilesForOneSystemIsInTheTable(t *testing.T) {
	var found []string
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		name := strings.TrimSuffix(filepath.Base(path), ".go")
		if strings.HasSuffix(name, "_other") || strings.HasSuffix(name, "_windows") || strings.HasSuffix(name, "_darwin") {
			room, _ := filepath.Rel("..", filepath.Dir(path))
			found = append(found, filepath.ToSlash(room))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	for _, room := range slices.Compact(found) {
		lines, known := rooms[room]
		if !known {
			t.Errorf("internal/%s has a file for a system: say in the table of guarantees what that system lacks", room)
		}
		for line := range strings.SplitSeq(lines, ", ") {
			if line != "" && !slices.ContainsFunc(guarantees, func(g guarantee) bool { return g.name == line }) {
				t.Errorf("internal/%s is covered by %q, which is not in the table", room, line)
			}
		}
	}
}
