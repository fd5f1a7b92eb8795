package nodump_test

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

	"mcpproxy/internal/nodump"
)

// TestMain makes this binary a process with a secret in its memory, or a process of the same user that looks for the
// secret.
func TestMain(m *testing.M) {
	switch mode := os.Getenv("TEST_NODUMP"); {
	case mode == "open" || mode == "closed" || mode == "shown":
		if mode != "open" {
			if err := nodump.Set(); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
		}
		if mode == "shown" {
			if err := nodump.Show(); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
		}
		fmt.Println("ready")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case mode != "":
		for _, name := range []string{"environ", "mem", "stat"} {
			f, err := os.Open("/proc/" + mode + "/" + name)
			if err == nil {
				_, err = f.Read(make([]byte, 0))
				f.Close()
			}
			fmt.Println(name, err == nil)
		}
	default:
		os.Exit(m.Run())
	}
}

// another returns a command that runs this binary as an ordinary user, because root could read everything.
func another(mode string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{"TEST_NODUMP=" + mode}
	if os.Getuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return cmd
}

// seen returns what another program of the same user can read about a process.
func seen(t *testing.T, mode string) string {
	t.Helper()
	cmd := another(mode)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = cmd.Wait() }()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	raw, err := another(strconv.Itoa(cmd.Process.Pid)).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestNoOtherProgramReadsTheMemory(t *testing.T) {
	t.Parallel()
	if got := seen(t, "open"); !strings.Contains(got, "environ true") {
		t.Skipf("SKIPPED: this system lets nobody read a process without that: %s", got)
	}
	if got := seen(t, "shown"); !strings.Contains(got, "environ true") {
		t.Errorf("of a process that shows itself, another program sees\n%s", got)
	}
	if got := seen(t, "closed"); got != "environ false\nmem false\nstat true\n" {
		t.Errorf("another program sees\n%s", got)
	}
}
