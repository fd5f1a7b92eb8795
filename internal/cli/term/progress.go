package term

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// progressAfter is how long a task may take before progress is shown.
const progressAfter = time.Second

// Progress shows on a terminal what the program is waiting for and for how long, once it takes more
// than a second. Done removes the line. Without a terminal, and while another progress is shown, it shows nothing.
func Progress(w io.Writer, what string) (done func()) {
	if width(w) == 0 || !shown.CompareAndSwap(false, true) {
		return func() {}
	}
	end := progress(w, what, time.NewTicker(progressAfter))
	var once sync.Once
	return func() {
		once.Do(func() {
			end()
			shown.Store(false)
		})
	}
}

// shown is set while a progress has the line of the terminal.
var shown atomic.Bool

func progress(w io.Writer, what string, tick *time.Ticker) (done func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	begun := time.Now()
	go func() {
		defer close(stopped)
		defer tick.Stop()
		said := false
		for {
			select {
			case <-tick.C:
				said = true
				fmt.Fprintf(w, "\r\x1b[K%s… %s", Plain(what), time.Since(begun).Round(time.Second))
			case <-stop:
				if said {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			}
		}
	}()
	var once sync.Once
	return func() {
		once.Do(func() { close(stop) })
		<-stopped
	}
}
