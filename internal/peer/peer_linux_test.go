package peer

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcpproxy/internal/eventually"
)

// The test's own binary plays every program. Its name decides which: an agent runs the command lines that it reads,
// and every other program asks the registry.
func TestMain(m *testing.M) {
	switch name := filepath.Base(os.Args[0]); {
	case strings.HasSuffix(name, ".test"):
		os.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise each program that the tests start takes a second to end
		os.Exit(m.Run())
	case name == "agent":
		playAgent()
	default:
		playClient()
	}
}

// playAgent runs each line of its input as an agent does: through a shell ("sh …"), or directly. It prints the
// program's output on one line.
func playAgent() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		kind, line, _ := strings.Cut(lines.Text(), " ")
		cmd := exec.Command("/bin/sh", "-c", line)
		if kind == "direct" {
			words := strings.Fields(line)
			cmd = exec.Command(words[0], words[1:]...)
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			out = fmt.Append(out, " ", err)
		}
		fmt.Println(strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", " "))
	}
}

// playClient asks the registry. The arguments are NETWORK ADDRESS QUESTION….
func playClient() {
	args := os.Args[1:]
	if args[0] == "stdio" {
		args = args[1:]
	}
	if args[0] == "hide" {
		args = args[1:]
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
			fmt.Println(err)
		}
	}
	conn, err := net.Dial(args[0], args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if args[2] == "leave" { // pass the connection to a child that asks later
		leave(conn, args[3:])
		return
	}
	fmt.Fprintln(conn, strings.Join(args[2:], " "))
	_, _ = io.Copy(os.Stdout, conn)
}

// leave passes a connection to another process, which asks after this one has ended.
func leave(conn net.Conn, question []string) {
	file, err := conn.(*net.UnixConn).File()
	if err != nil {
		fmt.Println(err)
		return
	}
	cmd := exec.Command(
		"/bin/sh",
		"-c",
		fmt.Sprintf("while kill -0 %d; do :; done 2>/dev/null; echo %s >&3; exec cat <&3",
			os.Getpid(), strings.Join(question, " ")),
	)
	cmd.ExtraFiles, cmd.Stdout = []*os.File{file}, os.Stdout
	if err := cmd.Start(); err != nil {
		fmt.Println(err)
	}
}

// rig is a registry that answers over sockets, and a folder with the programs.
type rig struct {
	t        *testing.T
	mu       sync.Mutex // for a registry that is replaced while connections are served
	registry *Registry
	dir      string
	unix     string // arguments with which a client finds the socket
	tcp      string
}

func newRig(t *testing.T, self Process) *rig {
	t.Helper()
	dir, err := os.MkdirTemp("", "peer")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	exe, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"agent", "mcpproxy-hook", "mcpproxy", "python3"} {
		if err := os.WriteFile(filepath.Join(dir, name), exe, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r := &rig{t: t, registry: NewRegistry(self), dir: dir}
	for network, address := range map[string]string{"unix": dir + "/s", "tcp": "127.0.0.1:0"} {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go r.serve(l)
		if network == "unix" {
			r.unix = "unix " + address
		} else {
			r.tcp = "tcp " + l.Addr().String()
		}
	}
	return r
}

func (r *rig) serve(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			line, err := bufio.NewReader(conn).ReadString('\n')
			if err != nil {
				return
			}
			ctx := Context(context.Background(), conn)
			fmt.Fprintln(conn, r.answer(ctx, strings.Fields(line)))
		}()
	}
}

// answer answers "decide", "call", or "hook SESSION began|ended|says CALL".
func (r *rig) answer(ctx context.Context, q []string) string {
	r.mu.Lock()
	registry := r.registry
	r.mu.Unlock()
	switch q[0] {
	case "decide":
		if err := registry.MayDecide(ctx); err != nil {
			return err.Error()
		}
	case "call":
		if err := registry.MayCall(ctx); err != nil {
			return err.Error()
		}
	case "hook":
		s, err := registry.Hook(ctx, q[1])
		switch {
		case err != nil:
			return err.Error()
		case q[2] == "began":
			s.Began(q[3])
		case q[2] == "ended":
			s.Ended(q[3])
		case !s.Trusted():
			return "not the user's words"
		}
	}
	return "fine"
}

// program is a running agent.
type program struct {
	r   *rig
	in  io.Writer
	out *bufio.Reader
	end func()
}

// agent starts an agent. This test counts as the user's terminal, from which the agent is started.
func (r *rig) agent() *program {
	r.t.Helper()
	cmd := exec.Command(filepath.Join(r.dir, "agent"))
	in, err := cmd.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	p := &program{
		r:   r,
		in:  in,
		out: bufio.NewReader(out),
		end: func() { in.Close(); _ = cmd.Wait() },
	}
	r.t.Cleanup(p.end)
	return p
}

// run makes the agent run a line. HOOK, BRIDGE, PYTHON, TCP and HIDDEN stand for programs that ask the registry.
func (p *program) run(kind, line string) string {
	p.r.t.Helper()
	fmt.Fprintln(p.in, kind, p.r.expand(line))
	answer, err := p.out.ReadString('\n')
	if err != nil {
		p.r.t.Fatalf("the agent ended: %v", err)
	}
	return strings.TrimSpace(answer)
}

func (r *rig) expand(line string) string {
	return strings.NewReplacer(
		"HOOK", r.dir+"/mcpproxy-hook "+r.unix,
		"BRIDGE", r.dir+"/mcpproxy stdio "+r.unix,
		"CLI", r.dir+"/mcpproxy "+r.unix,
		"PYTHON", r.dir+"/python3 "+r.unix,
		"TCP", r.dir+"/python3 "+r.tcp,
		"HIDDEN", r.dir+"/python3 hide "+r.tcp,
		"DIR", r.dir,
	).Replace(line)
}

// user runs a line in the user's own shell, which reads it from its input as from a terminal.
func (r *rig) user(line string) string {
	r.t.Helper()
	cmd := exec.Command("/bin/sh")
	cmd.Stdin = strings.NewReader(r.expand(line) + "\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s: %v", line, err)
	}
	return strings.TrimSpace(string(out))
}

func (r *rig) fine(got string) {
	r.t.Helper()
	if got != "fine" {
		r.t.Errorf("refused: %s", got)
	}
}

func (r *rig) refused(got, why string) {
	r.t.Helper()
	if !strings.Contains(got, why) {
		r.t.Errorf("got %q, want a refusal that says %q", got, why)
	}
}

func TestEventsComeFromHooksThatTheAgentStartsItself(t *testing.T) {
	r := newRig(t, Process{})
	a := r.agent()
	r.fine(a.run("sh", "HOOK hook s1 says -"))
	r.fine(a.run("direct", "HOOK hook s1 began 1"))
	for _, forged := range []string{
		"echo; HOOK hook s1 says -",
		"sh -c 'HOOK hook s1 says -'; true",
		"PYTHON hook s1 says -; true",
		"TCP hook s1 says -; true",
		"cp DIR/mcpproxy-hook DIR/h; ln -sf DIR/h DIR/mcpproxy-link; exec -a mcpproxy-hook DIR/h unix DIR/s hook s1 says - 2>/dev/null; HOOK hook s1 says -; true",
	} {
		if got := a.run("sh", forged); strings.Contains(got, "fine") {
			t.Errorf("%s: accepted", forged)
		}
	}
}

func TestAToolThatTakesTheHooksPlaceDoesNotSpeakForTheUser(t *testing.T) {
	r := newRig(t, Process{})
	a := r.agent()
	r.fine(a.run("sh", "HOOK hook s1 says -"))
	r.fine(a.run("sh", "HOOK hook s1 began 1"))
	time.Sleep(20 * time.Millisecond) // start times have a resolution of a hundredth of a second
	r.refused(a.run("sh", "exec HOOK hook s1 says -"), "not the user's words")
	r.refused(a.run("direct", "HOOK hook s1 says -"), "not the user's words")
	r.fine(a.run("sh", "HOOK hook s1 ended 1"))
	time.Sleep(20 * time.Millisecond)
	r.fine(a.run("sh", "HOOK hook s1 says -"))
}

func TestACallThatTheUserRefusedEndsAtTheNextEvent(t *testing.T) {
	r := newRig(t, Process{})
	a := r.agent()
	r.fine(a.run("sh", "HOOK hook s1 began 1"))
	for _, known := range r.registry.agents {
		known.calls[0].from -= 2 * patience // the call is old, and none of its processes is left
	}
	r.refused(a.run("sh", "HOOK hook s1 says -"), "not the user's words")
	time.Sleep(20 * time.Millisecond)
	r.fine(a.run("sh", "HOOK hook s1 says -"))
}

func TestNothingBelowAnAgentDecides(t *testing.T) {
	r := newRig(t, Process{})
	a := r.agent()
	r.fine(a.run("sh", "CLI decide")) // the agent is not known yet
	r.fine(a.run("sh", "HOOK hook s1 says -"))
	for _, line := range []string{
		"CLI decide", "true; CLI decide", "exec CLI decide", "PYTHON decide", "TCP decide",
		"sh -c \"sh -c 'sh -c \\\"CLI decide; true\\\"; true'; true\"",
		"setsid DIR/mcpproxy unix DIR/s decide; true",
		"env -i DIR/mcpproxy unix DIR/s decide",
		"cp DIR/mcpproxy DIR/m; DIR/m unix DIR/s decide", "ln -sf DIR/mcpproxy DIR/mm; DIR/mm unix DIR/s decide",
	} {
		if got := a.run("sh", line); strings.Contains(got, "fine") {
			t.Errorf("%s: decided", line)
		}
	}
	r.fine(r.user("CLI decide"))
	r.fine(r.user("TCP decide"))
	a.end()
	r.fine(r.user("CLI decide"))
}

func TestAProcessThatLeavesItsParentIsStillTheAgents(t *testing.T) {
	r := newRig(t, Process{})
	if !reaps(parentOfOrphan(t)) {
		t.Skip("SKIPPED: this system gives orphans to a process that is neither init nor systemd")
	}
	a := r.agent()
	r.fine(a.run("sh", "HOOK hook s1 says -"))
	for i, line := range []string{
		"(sleep 0.2; CLI decide > DIR/out%d) >/dev/null 2>&1 &",
		"setsid sh -c 'sleep 0.2; setsid DIR/mcpproxy unix DIR/s decide > DIR/out%d' >/dev/null 2>&1 &",
	} {
		a.run("sh", fmt.Sprintf(line, i))
		r.refused(r.file(fmt.Sprintf("out%d", i)), "has left its parent")
	}
}

// In a container, and under a supervisor, the agent may be in init's own session. With its own PID namespace, this
// test becomes init.
func TestAProcessThatLeavesItsParentInInitsSessionIsStillTheAgents(t *testing.T) {
	if os.Getpid() == 1 {
		t.Skip("this is the test that is run below")
	}
	namespace := []string{"unshare", "--fork", "--pid", "--mount-proc"}
	if os.Getuid() != 0 {
		namespace = append(namespace, "--user", "--map-root-user")
	}
	if out, err := exec.Command(namespace[0], append(namespace[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no PID namespace can be made here: %v: %s", err, out)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	again := append(namespace[1:], exe, "-test.v", "-test.run", "^TestAProcessThatLeavesItsParentIsStillTheAgents$")
	out, err := exec.Command(namespace[0], again...).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS")) {
		t.Errorf("%v: %s", err, out)
	}
}

// A terminal multiplexer that a tool has started detaches from its parent. So a process that starts in it later may
// have been started by the tool.
func TestWhatRunsInAToolsTerminalMultiplexerIsStillTheAgents(t *testing.T) {
	r := newRig(t, Process{})
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("SKIPPED: there is no tmux")
	}
	if !reaps(parentOfOrphan(t)) {
		t.Skip("SKIPPED: this system gives orphans to a process that is neither init nor systemd")
	}
	a := r.agent()
	r.fine(a.run("sh", "HOOK hook s1 says -"))
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", r.dir+"/tmux", "kill-server").Run() })
	a.run("sh", "tmux -S DIR/tmux -f /dev/null new-session -d 'CLI decide >DIR/session; sleep 60' >/dev/null 2>&1; true")
	r.refused(r.file("session"), "has left its parent")
	r.user("tmux -S DIR/tmux new-window 'CLI decide >DIR/window; sleep 1'")
	r.refused(r.file("window"), "has left its parent")
	r.fine(r.user("CLI decide"))
}

func TestAProcessThatEndsDoesNotLendItsConnection(t *testing.T) {
	r := newRig(t, Process{})
	a := r.agent()
	r.fine(a.run("sh", "HOOK hook s1 says -"))
	for i, ask := range []string{"decide", "call", "hook s1 says -"} {
		a.run("sh", fmt.Sprintf("DIR/python3 unix DIR/s leave %s >DIR/left%d; true", ask, i))
		r.refused(r.file(fmt.Sprint("left", i)), "has ended, and another process uses its connection")
	}
}

func TestWhatAnAgentLeftBehindIsStillTheAgents(t *testing.T) {
	r := newRig(t, Process{})
	if !reaps(parentOfOrphan(t)) {
		t.Skip("SKIPPED: this system gives orphans to a process that is neither init nor systemd")
	}
	if err := r.registry.Keep(r.dir + "/agents"); err != nil {
		t.Fatal(err)
	}
	wait := "setsid sh -c 'until test -e DIR/go%d; do sleep 0.02; done; CLI decide >DIR/out%d' >/dev/null 2>&1 &"
	a := r.agent()
	r.fine(a.run("sh", "HOOK hook s1 says -"))
	for i := range 3 {
		a.run("sh", fmt.Sprintf(wait, i, i))
	}
	decides := func(i int) string {
		t.Helper()
		if err := os.WriteFile(fmt.Sprintf("%s/go%d", r.dir, i), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return r.file(fmt.Sprint("out", i))
	}
	restart := func() {
		t.Helper()
		anew := NewRegistry(Process{})
		if err := anew.Keep(r.dir + "/agents"); err != nil {
			t.Fatal(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.registry = anew
	}
	restart()
	r.refused(a.run("sh", "CLI decide"), "was started by the agent")
	r.refused(decides(0), "has left its parent")
	a.end()
	r.refused(decides(1), "has left its parent")
	restart()
	r.refused(decides(2), "has left its parent")
	r.fine(r.user("CLI decide"))
}

func TestAgentsOfAnotherRunOfTheSystemAreForgotten(t *testing.T) {
	r := NewRegistry(Process{})
	self := Self()
	agents := fmt.Sprintf(
		`[{"pid":%d,"start":%d,"cgroup":"x"},{"pid":1,"start":5,"until":9,"cgroup":"x"}]`,
		self.PID,
		self.Start,
	)
	if err := r.restore(
		[]byte(`{"boot":"another","agents":` + agents + `}`),
	); err != nil ||
		len(r.agents)+len(r.past) != 0 {
		t.Errorf("%d agents and %d of the past, %v", len(r.agents), len(r.past), err)
	}
	if err := r.restore(
		[]byte(`{"boot":"` + bootID() + `","agents":` + agents + `}`),
	); err != nil || len(r.agents) != 1 ||
		len(r.past) != 1 {
		t.Errorf("%d agents and %d of the past, %v", len(r.agents), len(r.past), err)
	}
}

func FuzzAgentsFile(f *testing.F) {
	f.Add([]byte(`{"boot":"b","agents":[{"pid":1,"start":5,"until":9,"hooked":true,"nested":true,"cgroup":"x"}]}`))
	f.Add([]byte(`{"agents":[{"pid":-1,"start":18446744073709551615}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, raw := range [][]byte{raw, bytes.Replace(raw, []byte(`"b"`), []byte(`"`+bootID()+`"`), 1)} {
			r := NewRegistry(Process{})
			if r.restore(raw) != nil && len(r.agents)+len(r.past) > 0 {
				t.Error("a file that cannot be read names agents")
			}
			for p := range r.agents {
				if !p.alive() {
					t.Errorf("%v is an agent and does not run", p)
				}
			}
		}
	})
}

// file waits until a file has a line, and returns it.
func (r *rig) file(name string) string {
	r.t.Helper()
	var line string
	eventually.True(r.t, name+" is written", func() bool {
		raw, err := os.ReadFile(filepath.Join(r.dir, name))
		line = strings.TrimSpace(string(raw))
		return err == nil && strings.HasSuffix(string(raw), "\n")
	})
	return line
}

// parentOfOrphan returns the process that adopts others here.
func parentOfOrphan(t *testing.T) int {
	t.Helper()
	out, err := exec.Command("/bin/sh", "-c", "sleep 2 >/dev/null 2>&1 & echo $!").Output()
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(out), &pid); err != nil {
		t.Fatal(err)
	}
	s, ok := look(pid)
	if !ok {
		t.Fatal("the orphan has ended")
	}
	return s.parent
}

func TestToolsOfAgentsMayNotCall(t *testing.T) {
	r := newRig(t, Process{})
	a := r.agent()
	r.fine(a.run("direct", "HOOK hook s1 says -"))
	r.fine(a.run("direct", "BRIDGE call"))
	r.fine(a.run("direct", "TCP call")) // a server of the agent's own, such as mcp-remote
	r.fine(a.run("direct", "HOOK hook s1 began 1"))
	time.Sleep(20 * time.Millisecond)
	for _, line := range []string{"BRIDGE call", "exec BRIDGE call", "TCP call", "PYTHON call; true"} {
		r.refused(a.run("sh", line), "may not use mcpproxy")
	}
	r.fine(r.user("BRIDGE call"))
}

func TestAnAgentWithoutHooksIsKnownByItsBridge(t *testing.T) {
	r := newRig(t, Process{})
	a := r.agent()
	r.fine(a.run("direct", "BRIDGE call"))
	r.refused(a.run("sh", "CLI decide"), "was started by the agent")
	r.refused(a.run("sh", "TCP call; true"), "may not use mcpproxy")
	r.fine(a.run("direct", "BRIDGE call"))
	r.fine(a.run("sh", "BRIDGE call"))
	r.fine(r.user("BRIDGE call"))
	r.fine(r.user("CLI decide")) // the user's own shell does not become an agent by starting the bridge
}

func TestAnAgentThatAnAgentStartsIsRefusedUnlessTheUserAllowsIt(t *testing.T) {
	r := newRig(t, Process{})
	a := r.agent()
	r.fine(a.run("sh", "HOOK hook s1 says -"))
	nested := "printf 'sh HOOK hook s2 says -\\nsh HOOK hook s2 began 1\\n' | DIR/agent; true"
	r.refused(a.run("sh", nested), "security.hooks.nested_agents")
	r.registry.AllowNested(true)
	if got := a.run("sh", nested); got != "not the user's words fine" {
		t.Errorf("got %q", got)
	}
	r.refused(a.run("sh", "printf 'sh HOOK hook s1 says -\\n' | DIR/agent; true"), "belongs to the agent")
}

func TestASessionGoesOnInAnotherProcessOfTheUsers(t *testing.T) {
	r := newRig(t, Process{})
	first := r.agent()
	r.fine(first.run("sh", "HOOK hook s1 says -"))
	second := r.agent()
	r.fine(second.run("sh", "HOOK hook s1 says -"))
	second.end()
	r.fine(first.run("sh", "HOOK hook s1 says -"))
}

// A process that an agent has left in the background may start the bridge, but does not become an agent by doing so.
func TestABridgeThatAProcessInTheBackgroundStartsIsRefused(t *testing.T) {
	r := newRig(t, Process{})
	if !reaps(parentOfOrphan(t)) {
		t.Skip("SKIPPED: this system gives orphans to a process that is neither init nor systemd")
	}
	a := r.agent()
	r.fine(a.run("sh", "HOOK hook s1 says -"))
	left := func(i int) string {
		a.run("sh", fmt.Sprintf("(sleep 0.2; echo 'direct BRIDGE call' | DIR/agent >DIR/left%d) >/dev/null 2>&1 &", i))
		return r.file(fmt.Sprint("left", i))
	}
	r.refused(left(0), "security.hooks.nested_agents")
	r.registry.AllowNested(true)
	r.fine(left(1))
}

// A process that protects its memory hides which connections are its own, but not from root. So the test continues as
// another user.
func TestAProcessThatHidesItsFilesGetsTheStrictestPosition(t *testing.T) {
	if os.Getuid() == 0 {
		const nobody = 65534
		cmd := exec.Command("/proc/self/exe", "-test.v", "-test.run", "^"+t.Name()+"$")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		cmd.Args[0] = "peer.test"
		cmd.Dir = "/"
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS")) {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	r := newRig(t, Process{})
	r.fine(r.user("HIDDEN decide")) // no agent is known
	a := r.agent()
	r.fine(a.run("direct", "HOOK hook s1 says -"))
	r.fine(a.run("direct", "HIDDEN call")) // a server of the agent's own
	r.fine(a.run("direct", "HOOK hook s1 began 1"))
	time.Sleep(20 * time.Millisecond)
	r.refused(a.run("sh", "HIDDEN decide; true"), "hides which connections are its own")
	r.refused(a.run("sh", "HIDDEN call; true"), "hides which connections are its own")
	r.fine(r.user("HIDDEN decide")) // no other process hides
	r.fine(r.user("TCP decide"))
	server := newRig(t, Self())
	server.refused(server.agent().run("direct", "HIDDEN decide"), "a server behind mcpproxy")
}

func TestAServerOfTheDaemonMayNotUseTheDaemon(t *testing.T) {
	r := newRig(t, Self())
	server := r.agent() // a child of this process, which is the daemon here
	for _, ask := range []string{"CLI decide", "TCP call", "BRIDGE call", "HOOK hook s1 says -"} {
		r.refused(server.run("direct", ask), "was started by a server behind mcpproxy")
	}
}

func TestThePeerOfATCPConnectionIsFound(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("SKIPPED %s: %v", address, err)
			continue
		}
		defer l.Close()
		client, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if p, suspects := owner(conn.LocalAddr(), conn.RemoteAddr()); p != Self() || suspects != nil {
			t.Errorf("%s: the owner is %v or one of %v; want %v", address, p, suspects, Self())
		}
	}
}

func TestTheSpansOfCallsOnlyGetWider(t *testing.T) {
	var s spans
	for i := range uint64(3 * maxSpans) {
		s.begin("c", 10*i)
		s.end("c", 10*i+5)
	}
	if len(s) > maxSpans {
		t.Fatalf("%d spans are kept", len(s))
	}
	for i := range uint64(3 * maxSpans) {
		if !s.hold(10*i + 3) {
			t.Fatalf("the call at %d was forgotten", 10*i)
		}
	}
	if s.hold(30*maxSpans + 1) {
		t.Error("a time after the last call counts as during one")
	}
}

func TestAFloodOfRefusalsIsReportedOnce(t *testing.T) {
	r := NewRegistry(Process{})
	told := 0
	r.Refused = func(*Refusal) { told++ }
	at := position{process: Process{PID: 2}, agent: Process{PID: 1}}
	for range 1000 {
		_ = r.refuse(at, Call, "no")
	}
	_ = r.refuse(at, Decision, "no")
	if told != 2 {
		t.Errorf("told of %d refusals, want one of each kind", told)
	}
	refusal := &Refusal{Below: at.agent, What: Call}
	if !r.tells(refusal, time.Now().Add(2*quiet)) || refusal.Unsaid != 999 {
		t.Errorf("later %d are said to be unsaid", refusal.Unsaid)
	}
}
