package cli

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"

	"mcpproxy/internal/api"
	"mcpproxy/internal/demo/servers"
	"mcpproxy/internal/eventually"
	"mcpproxy/internal/flow"
	hookclient "mcpproxy/internal/hook/client"
	"mcpproxy/internal/porttest"
	"mcpproxy/internal/state/memory"
	"mcpproxy/internal/state/sealed"
	"mcpproxy/internal/upstream/oauth/oauthtest"
)

func TestMain(m *testing.M) {
	oauthtest.Main()
	// The scripts mostly wait and use little processor time. (The programs below are this test binary, too.)
	if strings.HasSuffix(os.Args[0], ".test") {
		if flag.Parse(); flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
			_ = flag.Set("test.parallel", "6")
		}
	}
	testscript.Main(m, map[string]func(){
		"mcpproxy":      func() { os.Exit(Main()) },
		"turncoat":      turncoat,
		"xdg-open":      browser,
		"an-agent":      anAgent,
		"activator":     activator,
		"mcpproxy-hook": func() { os.Exit(hookclient.Main(os.Args[1:])) },
	})
}

// anAgent runs a program as an agent runs its hook and its bridge: an-agent PROGRAM ARGS… A process that starts them
// counts as an agent, so the test itself would count as one without this program; it must count as the user.
func anAgent() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin = os.Stdin
	cmd.Stdout = os.Stdout
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			os.Exit(exit.ExitCode())
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestScripts runs testdata/script/*.txtar against the real program. The functions below are additional commands for
// the scripts.
func TestScripts(t *testing.T) { testscript.Run(t, scripts(t, "script")) }

// scripts returns the parameters for running the scripts in a folder of testdata.
func scripts(t *testing.T, folder string) testscript.Params {
	programs := shipped(t)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		Dir:                 filepath.Join("testdata", folder),
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("MCPPROXY_CONFIG", filepath.Join(e.WorkDir, "mcp_config.json"))
			e.Setenv("SOCKET", filepath.Join(e.WorkDir, "data", "mcpproxy.sock"))
			e.Setenv("KEY", servers.DemoKey)
			e.Setenv("ROOT", root)
			e.Setenv("LISTEN", porttest.Free(t))
			e.Setenv("PATH", programs+e.Getenv("PATH"))
			e.Defer(func() { endBackground(filepath.Join(e.WorkDir, "data", "mcpproxy.sock")) })
			return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"ready":     ready,
			"call":      call,
			"record":    record,
			"tamper":    tamper,
			"json":      isJSON,
			"yaml":      isYAML,
			"until":     until,
			"mode":      mode,
			"occupy":    occupy,
			"newer":     newer,
			"steal":     steal,
			"reload":    reload,
			"followed":  followed,
			"agents":    agents,
			"judge":     judge,
			"judges":    judges,
			"agent":     runAgent,
			"ask":       ask,
			"answered":  answered,
			"pending":   pendingRequest,
			"goose":     goose,
			"rule":      lastRule,
			"decrypt":   decrypt,
			"remote":    overHTTP,
			"posted":    posted,
			"authority": authority,
			"hides":     hides,
			"fails":     fails,
			"keyring":   systemKeyring,
			"overhear":  overhear,
			"overheard": overheard,
			"typed":     typed,
			"leak":      leak,
			"unready":   unready,
			"post":      postMessage,
			"flood":     flood,
			"registry":  standInRegistry,
			"company":   company,
		},
		Condition: func(c string) (bool, error) {
			if c == "keyring" {
				return hasKeyring()
			}
			return false, fmt.Errorf("unknown condition %s", c)
		},
	}
}

// endBackground ends the daemon that a script has started in the background if the script failed before it stopped the
// daemon.
func endBackground(socket string) {
	raw, err := os.ReadFile(socket + hookclient.PIDSuffix)
	if err != nil {
		return
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	conn.Close()
	if pid, err := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil && pid > 1 && pid != os.Getpid() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// shipped builds release versions of the programs if the tests run under the race detector, and returns their folder
// as the beginning of a PATH. Under the race detector, hundreds of short runs would spend most of their time compiling
// patterns. The end-to-end tests run daemons under the race detector.
func shipped(t *testing.T) string {
	t.Helper()
	if !raceDetector {
		return ""
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-buildvcs=false", "-o", dir, "mcpproxy/cmd/mcpproxy", "mcpproxy/cmd/mcpproxy-hook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir + string(os.PathListSeparator)
}

func none(ts *testscript.TestScript, neg bool) {
	if neg {
		ts.Fatalf("this command takes no !")
	}
}

// exits CODE PROGRAM ARGS… runs a program, which must exit with that code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		e, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = e.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d\n%s", got, want, ts.ReadFile("stderr"))
	}
}

// socketClient returns a client that connects to the script's daemon.
func socketClient(ts *testscript.TestScript) *http.Client {
	socket := ts.Getenv("SOCKET")
	return &http.Client{
		Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "unix", socket)
			},
		},
	}
}

const patience = 30 * time.Second

// ready N waits until the daemon answers and lists N tools.
func ready(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	c := socketClient(ts)
	eventually.SucceedsWithin(ts, patience, "the daemon offers "+args[0]+" tools", func() error {
		resp, err := c.Get("http://localhost/api/v1/status")
		if err != nil {
			return err
		}
		var body struct{ Data api.Overview }
		err = json.NewDecoder(resp.Body).Decode(&body)
		resp.Body.Close()
		if err == nil && body.Data.Tools != want {
			err = fmt.Errorf("it offers %d tools", body.Data.Tools)
		}
		return err
	})
}

// call OPERATION SERVER:TOOL ARGUMENTS calls a tool through /mcp, as an agent does, and writes its text into the file
// "answer". With !, the call must be refused.
func call(ts *testscript.TestScript, neg bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	o := callTool(ctx, socketClient(ts), args)
	ts.Check(o.err)
	ts.Check(os.WriteFile(ts.MkAbs("answer"), []byte(o.text), 0o600))
	if o.refused != neg {
		ts.Fatalf("refused: %t\n%s", o.refused, o.text)
	}
}

// judge DECISION FILE posts a hook's payload, in which {{KEY}} stands for a key. It writes the answer into the file
// "answer".
func judge(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	payload := strings.ReplaceAll(ts.ReadFile(args[1]), "{{KEY}}", awsKey)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(payload), 0o600))
	resp, err := socketClient(
		ts,
	).Post("http://localhost/api/v1/hooks/evaluate?agent=claude-code", "application/json", strings.NewReader(payload))
	ts.Check(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("answer"), body, 0o600))
	if !strings.Contains(string(body), `"decision":"`+args[0]+`"`) {
		ts.Fatalf("%s", body)
	}
}

// judges N FILE posts a hook's payload N times. Every call must be allowed.
func judges(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	for range n {
		judge(ts, false, []string{"allow", args[1]})
	}
}

// runAgent is the command agent PATTERN FILE: it runs a hook as an agent does, until the hook prints the words. On a
// slow machine the hook may fail a few times.
func runAgent(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	ts.Check(
		os.WriteFile(
			ts.MkAbs("run.sh"),
			[]byte("exec an-agent mcpproxy hook evaluate --agent claude-code --event PreToolUse <"+args[1]),
			0o600,
		),
	)
	until(ts, false, []string{args[0], "sh", "run.sh"})
}

// awsKey is assembled here, so that scanners for secrets do not report this file.
const awsKey = "AKIA" + "Z7QX3MNB5TRD2WLK"

// steal reads the vault's key and tries to post it. ID is set to the record of the refusal.
func steal(ts *testscript.TestScript, neg bool, _ []string) {
	none(ts, neg)
	call(ts, false, []string{"read", "vault:read_secret", `{"name": "deploy-key"}`})
	leak(ts, false, nil)
	record(ts, false, []string{"success"})
	record(ts, false, []string{"blocked"})
}

// leak tries to post the vault's key. The call must be refused.
func leak(ts *testscript.TestScript, neg bool, _ []string) {
	none(ts, neg)
	call(ts, true, []string{"write", "chat:post_message", `{"channel": "#x", "text": "` + servers.DemoKey + `"}`})
}

// postMessage is the command "post PATH FILE": it posts a file to an endpoint, as a faulty agent does. The script
// fails unless the endpoint refuses the request.
func postMessage(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	resp, err := socketClient(
		ts,
	).Post("http://localhost"+args[0], "application/json", strings.NewReader(ts.ReadFile(args[1])))
	ts.Check(err)
	resp.Body.Close()
	if resp.StatusCode < http.StatusBadRequest {
		ts.Fatalf("%s answers %s", args[0], resp.Status)
	}
}

// flood N PATH FILE runs post N times.
func flood(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	for range n {
		postMessage(ts, false, args[1:])
	}
}

// unready [TEXT] requests GET /readyz. The answer must be 503 with the text or, without a text, 200.
func unready(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	resp, err := socketClient(ts).Get("http://localhost/readyz")
	ts.Check(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	ts.Check(err)
	want, text := http.StatusOK, "ok\n"
	if len(args) > 0 {
		want, text = http.StatusServiceUnavailable, args[0]
	}
	if resp.StatusCode != want || !strings.Contains(string(body), text) {
		ts.Fatalf("/readyz answers %s: %s", resp.Status, body)
	}
}

// record STATUS waits for a record with that status and sets ID to its id.
func record(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	c := socketClient(ts)
	eventually.TrueWithin(ts, patience, "a record is "+args[0], func() bool {
		resp, err := c.Get("http://localhost/api/v1/activity?type=tool_call,policy_decision&status=" + args[0])
		ts.Check(err)
		var body struct{ Data api.Page }
		err = json.NewDecoder(resp.Body).Decode(&body)
		resp.Body.Close()
		ts.Check(err)
		if len(body.Data.Records) == 0 {
			return false
		}
		ts.Setenv("ID", body.Data.Records[0].ID)
		return true
	})
}

// tamper FILE runs the SQL statements in a file on the log, without using the program.
func tamper(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	db, err := sql.Open("sqlite", ts.MkAbs("data/activity.db"))
	ts.Check(err)
	defer db.Close()
	res, err := db.Exec(ts.ReadFile(args[0]))
	ts.Check(err)
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		ts.Fatalf("%d rows were changed, %v", n, err)
	}
}

// decrypt PASSPHRASE FROM TO decrypts a file in the age format.
func decrypt(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	identity, err := age.NewScryptIdentity(args[0])
	ts.Check(err)
	plain, err := age.Decrypt(strings.NewReader(ts.ReadFile(args[1])), identity)
	ts.Check(err)
	raw, err := io.ReadAll(plain)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), raw, 0o600))
}

// isJSON and isYAML are the commands "json" and "yaml": they check what the last program wrote.
func isJSON(ts *testscript.TestScript, neg bool, _ []string) {
	none(ts, neg)
	if !json.Valid([]byte(ts.ReadFile("stdout"))) {
		ts.Fatalf("no JSON:\n%s", ts.ReadFile("stdout"))
	}
}

func isYAML(ts *testscript.TestScript, neg bool, _ []string) {
	none(ts, neg)
	var v any
	out := ts.ReadFile("stdout")
	if err := yaml.Unmarshal([]byte(out), &v); err != nil || v == nil || json.Valid([]byte(out)) && out != "[]\n" {
		ts.Fatalf("no YAML (%v):\n%s", err, out)
	}
}

// until PATTERN PROGRAM ARGS… runs a program repeatedly until it prints the words.
func until(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	eventually.SucceedsWithin(ts, patience, args[1]+" prints "+args[0], func() error {
		if err := ts.Exec(args[1], args[2:]...); err == nil && strings.Contains(ts.ReadFile("stdout"), args[0]) {
			return nil
		}
		return fmt.Errorf("its output:\n%s%s", ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	})
}

// mode MODE FILE checks the permissions of a file.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := strconv.FormatUint(uint64(info.Mode().Perm()), 8); got != args[0] {
		ts.Fatalf("%s has mode %s, want %s", args[1], got, args[0])
	}
}

// occupy takes a port until the script ends and sets ADDRESS to it.
func occupy(ts *testscript.TestScript, neg bool, _ []string) {
	none(ts, neg)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv("ADDRESS", l.Addr().String())
}

// newer FROM TO replaces a file as editors do.
func newer(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	ts.Check(os.Rename(ts.MkAbs(args[0]), ts.MkAbs(args[1])))
}

// reload FROM replaces the configuration, and waits until the daemon has read or refused it.
func reload(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	c := socketClient(ts)
	c.Timeout = patience
	resp, err := c.Get("http://localhost/events")
	ts.Check(err)
	defer resp.Body.Close()
	newer(ts, false, []string{args[0], "mcp_config.json"})
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if lines.Text() == "event: config.reloaded" {
			return
		}
	}
	ts.Fatalf("the daemon did not read the new configuration")
}

// followed N waits until N calls are in the log, flow.state contains N results of the session of /mcp, and the record
// that flow.state names is at least as new as the records of the calls. After that, a crash loses nothing.
func followed(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	key, err := sealed.Key(ts.MkAbs("data/state.key"))
	ts.Check(err)
	c := socketClient(ts)
	eventually.SucceedsWithin(ts, patience, args[0]+" results are in flow.state", func() error {
		resp, err := c.Get("http://localhost/api/v1/activity?type=tool_call")
		ts.Check(err)
		var body struct{ Data api.Page }
		err = json.NewDecoder(resp.Body).Decode(&body)
		resp.Body.Close()
		ts.Check(err)
		if body.Data.Total != want {
			return fmt.Errorf("%d calls are in the log", body.Data.Total)
		}
		var saved flow.Loaded
		sessions := memory.New(0, func(string) *flow.Session { return flow.NewSession() }, nil)
		ts.Check(sealed.Read(ts.MkAbs("data/flow.state"), key, func(r io.Reader) (err error) {
			saved, err = flow.New(sessions, flow.Limits{Enabled: true}).Load(r)
			return err
		}))
		if got := sessions.Get("mcp:local:/mcp").Summary().Origins; got != want {
			return fmt.Errorf("%d results are in the file", got)
		}
		if last := body.Data.Records[0].ID; saved.Record < last {
			return fmt.Errorf("the file names the record %s, which is older than %s", saved.Record, last)
		}
		return nil
	})
}
