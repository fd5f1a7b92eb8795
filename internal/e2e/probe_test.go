package e2e

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/e2e/rig"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/porttest"
)

// probed is a server that is probed: the arguments after `mcpproxy probe`, and paths of this machine that must be
// removed from its reports. A server that listens is shared by all runs. A program is started for each run, in a
// folder of its own.
type probed struct {
	name    string // its name in the table
	args    func(t *testing.T) (args []string, hide map[string]string)
	listens bool
}

// behind returns a server from npm after --, with paths that differ in each run.
func behind(module, file string, args func(folder string) []string) func(*testing.T) ([]string, map[string]string) {
	return func(t *testing.T) ([]string, map[string]string) {
		folder := t.TempDir()
		main := filepath.Join(packages(t), filepath.FromSlash(module), filepath.FromSlash(file))
		return append(
				[]string{
					"--dir",
					folder,
					"--env",
					"MEMORY_FILE_PATH=" + filepath.Join(folder, "memory.json"),
					"--",
					node(t),
					main,
				},
				args(folder)...),
			map[string]string{
				folder: "FOLDER",
			}
	}
}

func none(string) []string { return nil }

// probes returns the servers to probe: six published servers over stdio, one of them also over both
// HTTP transports, the go-sdk's server, and one server through mcpproxy.
func probes() []probed {
	const everything = "@modelcontextprotocol/server-everything"
	return []probed{
		{everything, behind(everything, "dist/index.js", none), false},
		{
			"@modelcontextprotocol/server-filesystem",
			behind(
				"@modelcontextprotocol/server-filesystem",
				"dist/index.js",
				func(folder string) []string { return []string{folder} },
			),
			false,
		},
		{
			"@modelcontextprotocol/server-memory",
			behind("@modelcontextprotocol/server-memory", "dist/index.js", none),
			false,
		},
		{
			"@modelcontextprotocol/server-sequential-thinking",
			behind("@modelcontextprotocol/server-sequential-thinking", "dist/index.js", none),
			false,
		},
		{
			"mcp-server-sqlite-npx",
			behind(
				"mcp-server-sqlite-npx",
				"dist/index.js",
				func(folder string) []string { return []string{filepath.Join(folder, "test.db")} },
			),
			false,
		},
		{
			"@playwright/mcp, without a browser",
			behind(
				"@playwright/mcp",
				"cli.js",
				func(string) []string { return []string{"--headless", "--executable-path", "/opt/no-browser"} },
			),
			false,
		},
		{everything + ", streamable HTTP", overHTTP("streamableHttp", "/mcp"), true},
		{everything + ", HTTP+SSE", overHTTP("sse", "/sse"), true},
		{"the go-sdk's conformance server, streamable HTTP", func(t *testing.T) ([]string, map[string]string) {
			addr := fixture(t, stateful)
			return []string{"http://" + addr}, map[string]string{addr: "ADDRESS"}
		}, true},
		{everything + ", through mcpproxy", func(t *testing.T) ([]string, map[string]string) {
			d := startProgram(t, bin.plain, npmServer(t, "everything", everything)) // built as in a release, because the time of answers is measured
			return []string{
					"http://" + d.addr + "/mcp/s/everything",
					"--header",
					"X-API-Key: " + apiKey,
				}, map[string]string{
					d.addr: "ADDRESS",
				}
		}, true},
	}
}

// overHTTP returns the server "everything" in one of its HTTP variants.
func overHTTP(form, path string) func(*testing.T) ([]string, map[string]string) {
	return func(t *testing.T) ([]string, map[string]string) {
		addr := porttest.Free(t)
		_, port, _ := net.SplitHostPort(addr)
		cmd := exec.Command(
			node(t),
			filepath.Join(packages(t), "@modelcontextprotocol/server-everything/dist/index.js"),
			form,
		)
		cmd.Env = rig.Environment("PORT=" + port)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		eventually.Succeeds(t, "the server listens", func() error {
			conn, err := net.Dial("tcp", addr)
			if err == nil {
				conn.Close()
			}
			return err
		})
		return []string{"http://" + addr + path}, map[string]string{addr: "ADDRESS"}
	}
}

// probeReport holds the members of a report that the tests check.
type probeReport struct {
	Partial bool
	Results []struct {
		ID, Outcome    string
		Failure_Reason string
		Skip_Reason    string
		Fix            string
	}
}

// endless is a tool of the server "everything" that works for a given time. A very large number makes it exceed every
// timeout, so it is excluded.
const endless = "trigger-long-running-operation"

// probeRuns is how often each server is probed. The reports must be equal except for times.
const probeRuns = 2

func TestRealServersAreProbed(t *testing.T) {
	t.Parallel()
	packages(t) // without them there is no table to compare with
	node(t)
	servers := probes()
	rows := make([]string, len(servers))
	var mu sync.Mutex
	outcomes := map[string]bool{} // "T1 passed"
	t.Run("", func(t *testing.T) {
		for i, p := range servers {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				var first any
				args, hide := p.args(t)
				for n := range probeRuns {
					if n > 0 && !p.listens {
						args, hide = p.args(t)
					}
					raw := probe(t, args, hide)
					var now any
					if err := json.Unmarshal(raw, &now); err != nil {
						t.Fatalf("%v\n%.500s", err, raw)
					}
					if now = withoutTimes(now); n == 0 {
						first = now
						var r probeReport
						_ = json.Unmarshal(raw, &r) // it was JSON
						mu.Lock()
						rows[i] = r.row(t, p.name, outcomes)
						mu.Unlock()
					} else if diff := cmp.Diff(first, now); diff != "" {
						t.Errorf("run %d differs:\n%s", n+1, diff)
					}
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	for _, id := range []string{"T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10"} {
		if !outcomes[id+" passed"] {
			t.Errorf("none of the real servers passes %s", id)
		}
	}
	keepProbeTable(t, rows)
}

// probe probes a server once.
func probe(t *testing.T, args []string, hide map[string]string) []byte {
	t.Helper()
	config := filepath.Join(t.TempDir(), "empty.json") // and not that of the user who runs the tests
	if err := os.WriteFile(config, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(
		bin.plain,
		append(
			[]string{
				"probe",
				"--block-tool",
				endless,
				"--config",
				config,
				"--suite",
				"all",
				"--latency-test-calls",
				"5",
				"--call-timeout",
				"60s",
				"--threshold",
				"max_p95_ms=60000",
				"-o",
				"json",
			},
			args...)...)
	cmd.Env = rig.Environment()
	out, err := cmd.Output()
	if e, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || e.ExitCode() != 7) {
		t.Fatalf("%v: %s", err, e.Stderr)
	}
	text := string(out)
	for path, name := range hide {
		text = strings.ReplaceAll(text, path, name)
	}
	return []byte(text)
}

// withoutTimes returns a report without the values that differ in each run.
func withoutTimes(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if k == "started" || strings.HasSuffix(k, "_ms") && k != "max_p95_ms" {
				delete(v, k)
				continue
			}
			v[k] = withoutTimes(e)
		}
	case []any:
		for i := range v {
			v[i] = withoutTimes(v[i])
		}
	}
	return v
}

// row returns the server's row of the table. Every failure must say how to fix it.
func (r probeReport) row(t *testing.T, name string, outcomes map[string]bool) string {
	t.Helper()
	if r.Partial || len(r.Results) != 10 {
		t.Errorf("the report is partial, or has %d tests", len(r.Results))
	}
	cells := []string{strings.ReplaceAll(name, "@modelcontextprotocol/", "")}
	var why []string
	for _, one := range r.Results {
		outcomes[one.ID+" "+one.Outcome] = true
		switch one.Outcome {
		case "failed":
			if one.Failure_Reason == "" || one.Fix == "" {
				t.Errorf("%s fails and does not say why", one.ID)
			}
			why = append(why, one.ID+": "+one.Failure_Reason)
			cells = append(cells, "**fails**")
		case "passed":
			cells = append(cells, "passes")
		default:
			cells = append(cells, "–")
		}
	}
	escape := strings.NewReplacer("|", `\|`, "<", "&lt;", "{", `\{`, "\n", " ")
	return "| " + strings.Join(append(cells, escape.Replace(strings.Join(why, "; "))), " | ") + " |"
}

const (
	probePage       = "../../docs/probe.md"
	probeTableBegin = "<!-- what follows is written by: go test ./internal/e2e -run Probed -update -->\n"
	probeTableEnd   = "<!-- until here -->\n"
)

// keepProbeTable compares the table on the page with the results.
func keepProbeTable(t *testing.T, rows []string) {
	t.Helper()
	table := "\n| server | T1 | T2 | T3 | T4 | T5 | T6 | T7 | T8 | T9 | T10 | why |\n|" + strings.Repeat(
		"---|",
		12,
	) + "\n" + strings.Join(
		rows,
		"\n",
	) + "\n\n"
	page, err := os.ReadFile(probePage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), probeTableBegin)
	old, after, closed := strings.Cut(rest, probeTableEnd)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", probePage)
	}
	if *update {
		if err := os.WriteFile(probePage, []byte(before+probeTableBegin+table+probeTableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(old, table); diff != "" {
		t.Errorf(
			"the table of %s is not what was observed; write it anew with: go test ./internal/e2e -run Probed -update\n%s",
			probePage,
			diff,
		)
	}
}

// An independent program reads the spreadsheet that the probe has written.
func TestAnotherProgramReadsTheSpreadsheet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	book := filepath.Join(dir, "probe.xlsx")
	args, _ := behind("@modelcontextprotocol/server-memory", "dist/index.js", none)(t)
	cmd := exec.Command(
		bin.plain,
		append([]string{"probe", "-o", "xlsx", "--file", book, "--threshold", "max_p95_ms=60000"}, args...)...)
	cmd.Env = rig.Environment()
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 7 {
		t.Fatalf("%v\n%s", err, out)
	}
	const script = `const x = require(process.argv[1]); const b = x.readFile(process.argv[2], {WTF: true});
console.log(JSON.stringify(b.SheetNames.map(n => ({name: n, rows: x.utils.sheet_to_json(b.Sheets[n], {header: 1})}))))`
	out, err := exec.Command(node(t), "-e", script, filepath.Join(packages(t), "xlsx"), book).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var sheets []struct {
		Name string
		Rows [][]any
	}
	if err := json.Unmarshal(out, &sheets); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(sheets) != 2 || sheets[0].Name != "summary" || sheets[1].Name != "details" || len(sheets[1].Rows) != 6 {
		t.Fatalf("the workbook is %s", out)
	}
	for column, want := range map[string]any{
		"mcp_security_tests":  5.0,
		"mcp_security_passed": 5.0,
		"mcp_slo_met":         true,
		"mcp_schema_stable":   true,
		"mcp_scope_denied":    true,
	} {
		at := slices.Index(sheets[0].Rows[0], any(column))
		if at < 0 || sheets[0].Rows[1][at] != want {
			t.Errorf("%s is not %v in %v", column, want, sheets[0].Rows)
		}
	}
	if i := slices.Index(sheets[0].Rows[0], any("mcp_p95_latency_ms")); i < 0 {
		t.Errorf("there is no latency in %v", sheets[0].Rows)
	} else if ms, ok := sheets[0].Rows[1][i].(float64); !ok || ms < 0 {
		t.Errorf("the latency is %v", sheets[0].Rows[1][i])
	}
}
