package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// comparable is the shortest run in which memory and latency are compared: caches and sessions grow during the first
// two minutes. In shorter runs, the memory must only stay below mostMemory.
const (
	comparable = 4 * time.Minute
	mostMemory = 400 // MB; see docs/limits.md
)

// Limits for the growth between the third and the last quarter of the run.
const (
	memoryFactor = 1.15
	memoryMB     = 16 // in addition to the factor, because the garbage collector returns memory at any time
	latencyGrows = 2.0
	latencyMore  = 20 * time.Millisecond
)

// quarter holds the measurements of a quarter of the run.
type quarter struct {
	calls, failed int
	p50, p99      time.Duration
	memory        float64 // average, in MB
	files         float64 // the part of it that consists of file pages, in MB
	heap          float64 // last heap size, in MB
	sessions      float64 // the last number of flow sessions
}

// quarters assigns the measurements to the quarters of the run.
func quarters(j *journal, resident []memory, length time.Duration) [4]quarter {
	var out [4]quarter
	in := func(at time.Duration) int { return min(3, int(4*at/length)) }
	var took [4][]time.Duration
	for _, s := range j.took {
		took[in(s.at)] = append(took[in(s.at)], s.took)
	}
	for _, at := range j.failed {
		out[in(at)].failed++
	}
	var samples [4]int
	for _, m := range resident {
		q := &out[in(m.at)]
		q.memory += m.mb
		q.files += m.files
		q.heap, q.sessions = m.heap/(1<<20), m.sessions
		samples[in(m.at)]++
	}
	for i := range out {
		q := &out[i]
		q.memory /= float64(max(1, samples[i]))
		q.files /= float64(max(1, samples[i]))
		if q.calls = len(took[i]); q.calls > 0 {
			slices.Sort(took[i])
			q.p50, q.p99 = took[i][q.calls/2], took[i][q.calls*99/100]
		}
	}
	return out
}

// report prints the table and returns an error for each failed check.
func report(d *daemon, j *journal, resident []memory, length time.Duration) error {
	lost, err := unrecorded(d, j.told)
	if err != nil {
		return err
	}
	_, broken := d.command("activity", "verify")
	q := quarters(j, resident, length)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "quarter\tcalls\tfailed\tp50\tp99\tmemory\tof files\theap at its end\tsessions")
	for i, q := range q {
		fmt.Fprintf(w, "%d\t%d\t%d\t%.1f ms\t%.1f ms\t%.0f MB\t%.0f MB\t%.0f MB\t%.0f\n",
			i+1, q.calls, q.failed, ms(q.p50), ms(q.p99), q.memory, q.files, q.heap, q.sessions)
	}
	_ = w.Flush()
	fmt.Printf("\n%d honest calls were made, %d were stopped; %d attacks were stopped, %d got through; %d faults of a server\n",
		j.honest, len(j.refused), j.stopped, len(j.missed), j.faults)
	fmt.Printf("%d answers were heard, %d of them are not in the log\n", len(j.told), lost)
	lossy, other := sorted(j.refused)
	if len(lossy) > 0 {
		fmt.Printf("%d of the honest calls were stopped from %.0f s to %.0f s, because their sessions had lost what they had read when the "+
			"daemon was killed\n", len(lossy), lossy[0].at.Seconds(), lossy[len(lossy)-1].at.Seconds())
	}
	if len(other) > 0 {
		fmt.Printf("%d were stopped for another reason; the first heard: %.600s\n", len(other), other[0].text)
	}
	if j.why != "" {
		fmt.Printf("the last of the calls that failed: %s\n", j.why)
	}
	return errors.Join(broken, wrong(j, q, lost, length, len(d.tokens)))
}

// sorted splits the refusals into those of incomplete sessions and the others.
func sorted(all []refusal) (lossy, other []refusal) {
	for _, r := range all {
		if r.incomplete() {
			lossy = append(lossy, r)
		} else {
			other = append(other, r)
		}
	}
	return lossy, other
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// wrong returns the joined errors of all failed checks of a run with the given number of agents.
func wrong(j *journal, q [4]quarter, lost int, length time.Duration, agents int) error {
	var all []error
	bad := func(is bool, format string, args ...any) {
		if is {
			all = append(all, fmt.Errorf(format, args...))
		}
	}
	early, late := q[2], q[3]
	bad(len(j.missed) > 0, "%d attacks got through; the first sent %q", len(j.missed), first(j.missed))
	bad(j.stopped == 0, "no attack was stopped: nothing was tested")
	bad(lost > 0, "the log has no record of %d answers", lost)
	lossy, other := sorted(j.refused)
	bad(len(lossy) > agents*perSession, "%d honest calls were stopped as calls of incomplete sessions, and %d agents had "+
		"no more than %d such calls to make", len(lossy), agents, agents*perSession)
	bad(j.honest < 100*len(other), "%d honest calls were made, and %d were stopped although their sessions were complete",
		j.honest, len(other))
	bad(early.calls == 0 || late.calls == 0, "no call was made in the second half")
	bad(late.calls < early.calls/2, "%d calls were made in the last quarter, after %d in the third", late.calls, early.calls)
	if length < comparable {
		bad(late.memory > mostMemory, "the daemon takes %.0f MB of memory, more than %d MB", late.memory, mostMemory)
		return errors.Join(all...)
	}
	bad(late.memory > early.memory*memoryFactor+memoryMB, "memory grew from %.0f MB to %.0f MB", early.memory, late.memory)
	bad(float64(late.p99) > float64(early.p99)*latencyGrows && late.p99 > early.p99+latencyMore,
		"the 99th percentile of the latency grew from %s to %s", early.p99, late.p99)
	return errors.Join(all...)
}

func first(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// serial matches the serials of calls in a record.
var serial = regexp.MustCompile(`(?:\(|"serial": ?"|\\"serial\\": ?\\")([a-z]{7} [a-z]{7})(?:\)|\\?")`)

// unrecorded returns how many answered calls are not in the log.
func unrecorded(d *daemon, told []string) (lost int, err error) {
	path := filepath.Join(d.dir, "export.jsonl")
	if _, err := d.command("activity", "export", "--format", "jsonl", "--file", path); err != nil {
		return 0, err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	known := map[string]bool{}
	for line := range bytes.Lines(raw) {
		for _, found := range serial.FindAllSubmatch(line, -1) {
			known[string(found[1])] = true
		}
	}
	for _, s := range told {
		if !known[strings.TrimSpace(s)] {
			lost++
		}
	}
	return lost, nil
}
