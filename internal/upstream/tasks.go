package upstream

import "sync"

// tasks are the goroutines of a server that report changes of its state. After stop, no task starts.
type tasks struct {
	mu      sync.Mutex
	stopped bool
	running sync.WaitGroup
}

// start runs do in a goroutine. It reports false, and does not run do, after stop.
func (t *tasks) start(do func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return false
	}
	t.running.Go(do)
	return true
}

// stop lets no further task start. The channel is closed when all tasks have ended.
func (t *tasks) stop() <-chan struct{} {
	t.mu.Lock()
	t.stopped = true
	t.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		t.running.Wait()
		close(ended)
	}()
	return ended
}
