package codemode_test

import (
	"io"
	"os"
	"testing"
	"time"

	"mcpproxy/internal/codemode"
	"mcpproxy/internal/codemode/frame"
	"mcpproxy/internal/eventually"
)

// A worker ends after its last frame. The frame can still be read later.
func TestTheLastFrameOfAWorkerCanBeReadLate(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	engine := codemode.NewProcesses(path)
	defer engine.Close()
	engine.Configure(codemode.DefaultLimits())
	w, err := engine.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Kill()
	r := frame.NewReader(w, 1<<20)
	if f, err := r.Read(); err != nil || f.Kind != frame.Ready {
		t.Fatalf("%+v %v", f, err)
	}
	if err := frame.NewWriter(w).Write(frame.Frame{Kind: frame.Run, Body: []byte("async () => 7")}); err != nil {
		t.Fatal(err)
	}
	eventually.True(t, "the worker has ended", func() bool { return codemode.Ended(w) })
	time.Sleep(20 * time.Millisecond) // the goroutine that releases the worker's resources has started
	if f, err := r.Read(); err != nil || f.Kind != frame.Done || string(f.Body) != "7" {
		t.Errorf("%q %s %v", byte(f.Kind), f.Body, err)
	}
	if _, err := r.Read(); err != io.EOF {
		t.Errorf("behind it comes %v", err)
	}
}
