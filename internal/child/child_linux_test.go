package child

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcpproxy/internal/eventually"
)

// TestMain makes this binary a program that leaves an orphan in a session of its own.
func TestMain(m *testing.M) {
	switch os.Getenv("TEST_CHILD") {
	case "forks twice":
		middle := exec.Command("/proc/self/exe")
		middle.Env, middle.Stdout = append(os.Environ(), "TEST_CHILD=forks once"), os.Stdout
		if err := middle.Run(); err != nil {
			fmt.Println(err)
		}
		time.Sleep(time.Hour)
	case "forks once":
		orphan := exec.Command("sleep", "600")
		orphan.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := orphan.Start(); err != nil {
			fmt.Println(err)
		}
		fmt.Println(orphan.Process.Pid)
	case "opens its terminal":
		_, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		fmt.Println(err)
	case "confines": // so that its own child gets a new namespace
		cmd := exec.Command("/proc/self/exe")
		cmd.Env, cmd.Stdout = append(os.Environ(), "TEST_CHILD=holds its output twice"), os.Stdout
		if _, err := StartConfined(cmd); err != nil {
			fmt.Println(err)
		}
		time.Sleep(time.Hour)
	case "holds its output twice":
		orphan := exec.Command("sh", "-c", "(setsid sleep 600 &) ; echo started")
		orphan.Stdout = os.Stdout
		if err := orphan.Run(); err != nil {
			fmt.Println(err)
		}
		time.Sleep(time.Hour)
	case "daemon": // adopts the orphan of its child, and ends it
		adopting()
	default:
		os.Exit(m.Run())
	}
}

func adopting() {
	if err := Adopt(); err != nil {
		fmt.Println(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "TEST_CHILD=forks twice")
	out, err := cmd.StdoutPipe()
	if err == nil {
		_, err = Start(cmd)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	fmt.Print(line)
	_ = cmd.Process.Kill()
	_ = Wait(cmd)
	fmt.Println(EndOrphans())
}

// gone reports whether a process has ended.
func gone(pid int) bool {
	p, here := processes()[pid]
	return !here || p.state == 'Z'
}

func TestAnOrphanInASessionOfItsOwnIsEnded(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "TEST_CHILD=daemon")
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(raw))
	if len(lines) != 2 || lines[1] == "0" {
		t.Fatalf("the daemon says %q", raw)
	}
	pid, err := strconv.Atoi(lines[0])
	if err != nil {
		t.Fatal(err)
	}
	if !gone(pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		t.Error("it lives on")
	}
}

func TestAFamilyEndsWithThoseWhoLeftTheSession(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", `setsid sleep 600 & echo $!; wait`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	family, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	eventually.TrueWithin(t, 10*time.Second, "the grandchild leaves its session", func() bool {
		return processes()[pid].session == pid
	})
	family.Kill()
	_ = Wait(cmd)
	if !gone(pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		t.Error("it lives on")
	}
}

// The test has a terminal of its own. A child that is started without care could open it.
func TestAChildHasNoTerminal(t *testing.T) {
	t.Parallel()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("SKIPPED: this system gives no pseudo terminal: ", err)
	}
	defer master.Close()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	parent := exec.Command("/proc/self/exe", "-test.run=^TestAChildHasNoControllingTerminal$", "-test.v")
	parent.Env = []string{"WITH_TERMINAL=1"}
	parent.Stdin = slave
	parent.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if out, err := parent.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestAChildHasNoControllingTerminal(t *testing.T) {
	if os.Getenv("WITH_TERMINAL") == "" {
		return // the test above runs this in a terminal
	}
	said := func(start func(*exec.Cmd) error) string {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = []string{"TEST_CHILD=opens its terminal"}
		var out strings.Builder
		cmd.Stdout = &out
		if err := start(cmd); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		return strings.TrimSpace(out.String())
	}
	if got := said((*exec.Cmd).Start); got != "<nil>" {
		t.Fatalf("a careless start gives no terminal either: %s", got)
	}
	alone := func(cmd *exec.Cmd) error { _, err := Start(cmd); return err }
	if got := said(alone); !strings.Contains(got, "no such device") {
		t.Errorf("a child opens the terminal: %s", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("42 (a) b) S 1 42 42 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 777 0 0")
	f.Add("1 ()")
	f.Fuzz(func(t *testing.T, line string) {
		if pid, p, ok := parse(line); ok && (pid <= 0 || p.begun == "") {
			t.Errorf("%q is process %d, %+v", line, pid, p)
		}
	})
}

func TestNothingThatAConfinedChildStartedOutlivesADaemonThatIsKilled(t *testing.T) {
	if !Namespaces() {
		t.Skip("THIS SYSTEM ALLOWS NO NAMESPACE OF PROCESS IDS: AN ORPHAN OF A CONFINED CHILD CAN OUTLIVE THE DAEMON")
	}
	daemon := exec.Command("/proc/self/exe")
	daemon.Env = append(os.Environ(), "TEST_CHILD=confines")
	out, err := daemon.StdoutPipe()
	if err == nil {
		err = daemon.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	held := bufio.NewReader(out) // the daemon, its child and the orphan have the other end of the pipe open
	if line, err := held.ReadString('\n'); err != nil || line != "started\n" {
		t.Fatalf("the daemon prints %q, %v", line, err)
	}
	if err := daemon.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { _, err := held.ReadByte(); ended <- err }()
	select {
	case err := <-ended:
		if err != io.EOF {
			t.Errorf("reading what they hold: %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("something still holds the daemon's output 30 seconds after it was killed")
	}
	_ = daemon.Wait()
}
