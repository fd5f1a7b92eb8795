package evaluate_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcpproxy/internal/gate/gatetest"
	"mcpproxy/internal/hook/evaluate"
)

// session returns the events of an agent at work: a prompt, and calls with their results. No two sessions are equal.
func session(name string, n int) []string {
	code := fmt.Sprintf(
		"package store%d\n\n// Save writes the orders of customer %d to the table.\nfunc Save(ctx context.Context, db *sql.DB, orders []Order) error {\n\ttx, err := db.BeginTx(ctx, nil)\n\tif err != nil {\n\t\treturn fmt.Errorf(\"beginning: %%w\", err)\n\t}\n\tdefer tx.Rollback()\n",
		n,
		n,
	)
	file := fmt.Sprintf(`{"file_path":"/home/ann/work/shop/store_%d.go"}`, n)
	edit := fmt.Sprintf(
		`{"file_path":"/home/ann/work/shop/store_%d.go","old_string":%s,"new_string":%s}`,
		n,
		quoted(code[:80]),
		quoted(code[:60]+"// changed"),
	)
	run := fmt.Sprintf(`{"command":"go test ./store%d && git diff --stat","description":"Test the store"}`, n)
	id := func(k int) string { return fmt.Sprintf("toolu_%s_%d_%d", name, n, k) }
	return []string{
		pre(
			name,
			id(1),
			"Read",
			file,
		),
		post(
			name,
			id(1),
			"Read",
			file,
			`{"type":"text","file":{"content":`+quoted(strings.Repeat(code, 6))+`,"numLines":60}}`,
		),
		pre(
			name,
			id(2),
			"Grep",
			`{"pattern":"BeginTx","path":"/home/ann/work/shop"}`,
		),
		post(
			name,
			id(2),
			"Grep",
			`{"pattern":"BeginTx","path":"/home/ann/work/shop"}`,
			quoted(fmt.Sprintf("store_%d.go:12: tx, err := db.BeginTx(ctx, nil)", n)),
		),
		pre(name, id(3), "Edit", edit),
		post(name, id(3), "Edit", edit, `{"filePath":"store.go","userModified":false}`),
		pre(
			name,
			id(4),
			"Bash",
			run,
		),
		post(
			name,
			id(4),
			"Bash",
			run,
			quoted(fmt.Sprintf("ok shop/store%d 0.%03ds\n 1 file changed, 2 insertions(+)", n, n%1000)),
		),
		pre(
			name,
			id(5),
			"WebSearch",
			fmt.Sprintf(`{"query":"go database sql transaction rollback after commit %d"}`, n),
		),
	}
}

// Evaluations per second on all processors, with a session for each agent.
func BenchmarkEvaluate(b *testing.B) {
	r := newRig(b)
	if err := gatetest.Detector().Warm(); err != nil {
		b.Fatal(err)
	}
	var workers atomic.Int64
	b.ReportAllocs()
	b.SetParallelism(8) // agents for each processor: each one waits for the answer to its event
	b.RunParallel(func(pb *testing.PB) {
		name := fmt.Sprint("agent-", workers.Add(1))
		queue := []string(nil)
		n := 0
		for pb.Next() {
			if len(queue) == 0 {
				queue = session(name, n)
				n++
				r.forget()
			}
			r.eval.Evaluate(context.Background(), evaluate.Question{
				Agent:     "claude-code",
				Body:      []byte(queue[0]),
				Async:     true,
				Principal: "local",
			})
			queue = queue[1:]
		}
	})
	r.eval.Close()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "evaluations/s")
}

// One large payload: the write of a file, and the read of a file.
func BenchmarkEvaluateLarge(b *testing.B) {
	for _, kb := range []int{1, 20, 200} {
		for _, after := range []bool{false, true} {
			b.Run(fmt.Sprintf("%dKB/after=%t", kb, after), func(b *testing.B) {
				var answered time.Duration
				r := newRig(b)
				for i := range b.N {
					text := quoted(
						strings.Repeat(
							fmt.Sprintf("the order of customer %d was paid and sent to the shop in the town\n", i),
							kb*1024/66,
						),
					)
					body := pre("s", fmt.Sprint(i), "Write", `{"file_path":"x","content":`+text+`}`)
					if after {
						body = post("s", fmt.Sprint(i), "Read", `{"file_path":"x"}`, text)
					}
					start := time.Now()
					r.eval.Evaluate(context.Background(), evaluate.Question{
						Agent:     "claude-code",
						Body:      []byte(body),
						Async:     true,
						Principal: "local",
					})
					answered += time.Since(start)
					r.eval.Close() // an agent thinks for longer
				}
				b.ReportMetric(float64(answered.Microseconds())/float64(b.N), "answer-µs")
				r.forget()
			})
		}
	}
}

// forget empties the log, which is only in memory.
func (r *rig) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log.Clear()
	r.events = r.events[:0]
}
