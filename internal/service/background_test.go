//go:build unix

package service

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// several is the number of programs that start the daemon at the same time.
const several = 50

// atOnce makes several callers start a daemon at the same time. The daemon's program is a shell script. It returns
// their errors and how often the script ran.
func atOnce(t *testing.T, script string) (errs []error, starts int) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("DIR", dir)
	gate := make(chan struct{})
	errs = make([]error, several)
	var group sync.WaitGroup
	for i := range several {
		b := &Background{
			Program: "/bin/sh",
			Args:    []string{"-c", "echo started >> $DIR/starts; " + script},
			Env:     os.Environ(),
			Folder:  dir,
			Answers: func(context.Context) bool {
				_, err := os.Stat(filepath.Join(dir, "up"))
				return err == nil
			},
		}
		group.Go(func() {
			<-gate
			errs[i] = b.Ensure(t.Context())
		})
	}
	close(gate)
	group.Wait()
	raw, err := os.ReadFile(filepath.Join(dir, "starts"))
	if err != nil {
		t.Fatal(err)
	}
	return errs, strings.Count(string(raw), "\n")
}

func TestManyAtOnceStartOneDaemon(t *testing.T) {
	errs, starts := atOnce(t, "touch $DIR/up")
	for _, err := range errs {
		if err != nil {
			t.Errorf("one did not get it: %v", err)
		}
	}
	if starts != 1 {
		t.Errorf("it was started %d times", starts)
	}
}

func TestManyAtOnceFailTogether(t *testing.T) {
	errs, starts := atOnce(t, "echo the port is taken; exit 2")
	for _, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "the port is taken") {
			t.Fatalf("one gets: %v", err)
		}
	}
	if starts != 1 {
		t.Errorf("it was started %d times", starts)
	}
}

func TestTheLogOfTheBackgroundStaysShort(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, LogFile)
	if err := os.WriteFile(log, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(log, maxLog+1); err != nil {
		t.Fatal(err)
	}
	cmd, f, err := (&Background{Program: "/bin/true", Folder: dir}).command()
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if size := func(path string) int64 { info, _ := os.Stat(path); return info.Size() }; size(log) != 0 || size(log+".old") != maxLog+1 {
		t.Error("the log does not begin anew")
	}
	if cmd.SysProcAttr == nil || !cmd.SysProcAttr.Setsid {
		t.Error("the daemon would end with the terminal")
	}
}
