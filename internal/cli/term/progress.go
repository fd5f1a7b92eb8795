package term

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progressAfter is how long something may take before it is said that it goes on.
const progressAfter = time.Second

// Progress says on a terminal what is waited for and for how long, once that takes more than
// a second, and takes it away when done is called. Elsewhere it says nothing.
func Progress(w io.Writer, what string) (done func()) {
	if width(w) == 0 {
		return func() {}
	}
	tick := time.NewTicker(progressAfter)
	return progress(w, what, tick)
}

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
