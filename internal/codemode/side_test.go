package codemode_test

import (
	"fmt"
	"io"
	"os"
	"testing"

	"mcpproxy/internal/codemode"
	"mcpproxy/internal/codemode/frame"
)

// thousand is a script that makes a thousand calls.
const thousand = `for (let i = 0; i < 1000; i++) await forge.callTool("notes", "echo", { text: "order " + i })`

// BenchmarkThousandCallsOfTheWorker measures the worker's share of the time for a thousand calls: every request is
// answered at once.
func BenchmarkThousandCallsOfTheWorker(b *testing.B) {
	path, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	engine := codemode.NewProcesses(path)
	defer engine.Close()
	engine.Configure(codemode.DefaultLimits())
	for b.Loop() {
		w, err := engine.Start()
		if err != nil {
			b.Fatal(err)
		}
		r, out := frame.NewReader(w, 1<<20), frame.NewWriter(w)
		for done := false; !done; {
			f, err := r.Read()
			if err != nil {
				b.Fatal(err)
			}
			switch f.Kind {
			case frame.Ready:
				err = out.Write(frame.Frame{Kind: frame.Run, Body: []byte("async () => {" + thousand + "}")})
			case frame.Call:
				err = out.Write(frame.Frame{Kind: frame.Value, ID: f.ID, Body: []byte(`{"text":"x"}`)})
			case frame.Done:
				done = true
			default:
				err = fmt.Errorf("a frame of kind %q: %s", byte(f.Kind), f.Body)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		w.Kill()
	}
}

// BenchmarkThousandCallsOfTheHost measures the host's share of the time for a thousand calls, which arrive as fast as
// it can read them.
func BenchmarkThousandCallsOfTheHost(b *testing.B) {
	r := everything(b, busyEngine{})
	for i := 0; b.Loop(); i++ {
		r.runIn(fmt.Sprint("s", i), thousand)
	}
}

// busyEngine is an engine whose workers run no script but make a thousand calls.
type busyEngine struct{}

func (busyEngine) Prepare()                  {}
func (busyEngine) Configure(codemode.Limits) {}
func (busyEngine) Close()                    {}
func (busyEngine) Start() (codemode.Worker, error) {
	w := &hastyWorker{answered: make(chan bool, 1), gone: make(chan bool)}
	w.next = frame.Append(nil, frame.Frame{Kind: frame.Ready, Body: []byte("[]")})
	return w, nil
}

// hastyWorker makes the next call as soon as the last one is answered.
type hastyWorker struct {
	answered chan bool
	gone     chan bool
	next     []byte
	id       uint64
}

func (w *hastyWorker) Write(b []byte) (int, error) {
	w.answered <- true
	return len(b), nil
}

func (w *hastyWorker) Read(b []byte) (int, error) {
	if len(w.next) == 0 {
		select {
		case <-w.answered:
		case <-w.gone:
			return 0, io.EOF
		}
		f := frame.Frame{Kind: frame.Done}
		if w.id++; w.id <= 1000 {
			f = frame.Frame{
				Kind: frame.Call,
				ID:   w.id,
				Body: fmt.Appendf(nil, `{"op":"tool","server":"notes","tool":"echo","args":{"text":"order %d"}}`, w.id),
			}
		}
		w.next = frame.Append(nil, f)
	}
	n := copy(b, w.next)
	w.next = w.next[n:]
	return n, nil
}

func (w *hastyWorker) Kill()   {}
func (w *hastyWorker) Halt()   {}
func (w *hastyWorker) Resume() {}
