package codemode_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"mcpproxy/internal/codemode"
)

// Workers do not inherit files that the process which started the daemon has left open.
func TestADescriptorThatWasLeftOpenIsNotHandedOn(t *testing.T) {
	fd, err := syscall.Open(
		filepath.Join(t.TempDir(), "f"),
		syscall.O_CREAT|syscall.O_RDWR,
		0o600,
	) // without O_CLOEXEC, as a shell does
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	codemode.NewProcesses("/none")
	flags, _, e := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
	if e != 0 || flags&syscall.FD_CLOEXEC == 0 {
		t.Errorf("a program that is started gets it: flags %d, %v", flags, e)
	}
}

// A worker reports the layers of its sandbox. If the kernel and the build support all layers, all are active.
func TestAWorkerReportsTheLayersOfItsSandbox(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	engine := codemode.NewProcesses(path)
	engine.Configure(codemode.DefaultLimits())
	defer engine.Close()
	layers, err := codemode.Layers(engine)
	if err != nil || len(layers) != 3 {
		t.Fatalf("%v %v", layers, err)
	}
	for _, l := range layers {
		if !l.Held && l.Why == "" {
			t.Errorf("%s does not hold, and nobody says why", l.Name)
		}
	}
}
