package e2e

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/eventually"
	"mcpproxy/internal/porttest"
)

// suite is one run of the conformance suite: the scenarios that the revision requires, and whether they passed.
type suite map[string]bool

func (s suite) failed() []string {
	var names []string
	for name, ok := range s {
		if !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

var (
	scenarioLine = regexp.MustCompile(`(?m)^([✓✗]) (\S+): \d+ passed, \d+ failed$`)
	unscoredLine = regexp.MustCompile(`(?m)^  [✓✗] (\S+) \(`)
)

// judge runs the conformance suite of a revision against a server.
func judge(t *testing.T, url, revision string) suite {
	t.Helper()
	harness := filepath.Join(packages(t), "@modelcontextprotocol", "conformance", "dist", "index.js")
	out, err := exec.CommandContext(within(t), node(t), harness, "server", "--url", url, "--requirements", revision, "-o", t.TempDir()).
		CombinedOutput()
	_, summary, found := bytes.Cut(out, []byte("=== SUMMARY ==="))
	scored, unscored, _ := bytes.Cut(summary, []byte("Not scored for "))
	if !found || len(scored) == 0 {
		t.Fatalf("the judge gave no summary: %v\n%s", err, out)
	}
	s := suite{}
	for _, m := range scenarioLine.FindAllSubmatch(scored, -1) {
		s[string(m[2])] = string(m[1]) == "✓"
	}
	for _, m := range unscoredLine.FindAllSubmatch(unscored, -1) {
		delete(s, string(m[1]))
	}
	return s
}

// fixture starts the conformance server of the Go SDK in one of its modes and returns its address.
func fixture(t *testing.T, revision string) string {
	t.Helper()
	addr := porttest.Free(t)
	cmd := exec.Command(bin.fixture, "-http="+addr, fmt.Sprintf("-stateless=%t", revision == stateless))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	eventually.Succeeds(t, "the fixture listens", func() error {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
		}
		return err
	})
	return addr
}

func httpServer(name, url string) object {
	return object{"name": name, "protocol": "http", "url": url}
}

func TestThroughMcpproxyAServerScoresWhatItScoresAlone(t *testing.T) {
	for _, c := range []struct {
		revision string
		required int
	}{{stateful, 30}, {stateless, 37}} {
		t.Run(c.revision, func(t *testing.T) {
			t.Parallel()
			url := "http://" + fixture(t, c.revision) + "/mcp"
			d := startOpen(t, httpServer("fixture", url))
			alone := judge(t, url, c.revision)
			through := judge(t, d.url("/mcp/s/fixture"), c.revision)
			if diff := cmp.Diff(alone, through); diff != "" {
				t.Errorf("alone (-) and through mcpproxy (+) differ:\n%s", diff)
			}
			excepted := exceptions(t, "conformance-exceptions.txt", c.revision)
			if failed := through.failed(); !slices.Equal(failed, excepted) {
				t.Errorf("failed: %v, excepted: %v", failed, excepted)
			}
			if len(through) != c.required {
				t.Errorf("%d scenarios were scored, want %d", len(through), c.required)
			}
		})
	}
}

// exceptions returns the scenarios that a list in testdata names for a case. The list has lines of the form "case
// scenario", and # comments.
func exceptions(t *testing.T, file, name string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(raw)) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == name {
			names = append(names, fields[1])
		} else if len(fields) != 0 && len(fields) != 2 {
			t.Fatalf("%s: %q is not of the form: case scenario", file, line)
		}
	}
	slices.Sort(names)
	return names
}
