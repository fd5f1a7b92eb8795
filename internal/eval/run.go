package eval

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// answer is the result for one row.
type answer struct {
	found   bool          // a positive was found, or a negative is a false alarm
	noticed bool          // there was any finding, even if too weak for found; for definitions only
	by      []string      // the findings
	took    time.Duration // the time of the check; the whole call of ask if it is zero
}

// answers calls ask for every row, on all processors.
func answers[T any](rows []row[T], ask func(*T) answer, progress func(done, total int)) []answer {
	return answersOf(runtime.GOMAXPROCS(0), rows, ask, progress)
}

// answersOf calls ask for every row with the given number of workers. One worker calls it in order.
func answersOf[T any](workers int, rows []row[T], ask func(*T) answer, progress func(done, total int)) []answer {
	out := make([]answer, len(rows))
	var next, done atomic.Int64
	var report sync.Mutex
	var wg sync.WaitGroup
	for range min(workers, len(rows)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(rows); i = int(next.Add(1)) - 1 {
				start := time.Now()
				out[i] = ask(&rows[i].data)
				if out[i].took == 0 {
					out[i].took = time.Since(start)
				}
				if n := int(done.Add(1)); progress != nil && (n%100 == 0 || n == len(rows)) {
					report.Lock()
					progress(n, len(rows))
					report.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return out
}
