package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/probe"
)

// progress shows the progress of a run: on a terminal the current test, and with --verbose all
// messages and findings.
type progress struct {
	shown   bool
	verbose bool
	start   time.Time

	mu sync.Mutex // messages come from several goroutines
	w  io.Writer
}

func newProgress(cmd *cobra.Command, verbose bool) *progress {
	f, ok := cmd.ErrOrStderr().(*os.File)
	return &progress{
		shown:   ok && term.IsTerminal(f) && !verbose,
		verbose: verbose,
		start:   time.Now(),
		w:       cmd.ErrOrStderr(),
	}
}

// begin announces the preparation before the first test, which may take longer than any test.
func (p *progress) begin(t probe.Target) {
	what := "asking " + term.Plain(t.String()) + " what it declares"
	if p.shown {
		fmt.Fprintf(p.w, "\r\x1b[K%s …", what)
	}
	p.say("%s", what)
}

// say prints a line for --verbose, with the seconds since the start.
func (p *progress) say(format string, args ...any) {
	if !p.verbose {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, "%8.3f  %s\n", time.Since(p.start).Seconds(), fmt.Sprintf(format, args...))
}

// message prints a line of the transcript.
func (p *progress) message(sent bool, message string) {
	way := "<-"
	if sent {
		way = "->"
	}
	p.say("    %s %s", way, term.Plain(message))
}

func (p *progress) hear(e probe.Event) {
	switch {
	case e.Result == nil && p.shown:
		fmt.Fprintf(p.w, "\r\x1b[K%d/%d %s %s …", e.Index+1, e.Count, e.Test.ID, e.Test.Name)
	case e.Result == nil:
		p.say("%s %s: %s", e.Test.ID, e.Test.Name, e.Test.Summary)
	case p.verbose:
		p.ended(e.Result)
	}
}

// ended prints the result of a test with its measurements.
func (p *progress) ended(r *probe.Result) {
	line := fmt.Sprintf("%s %s after %d messages, slowest answer %.1f ms", r.ID, r.Outcome, r.Attempts, r.LatencyMS)
	if why := strings.Join(compact(r.Reason, r.SkipReason), " "); why != "" {
		line += ": " + why
	}
	p.say("%s", term.Plain(inFlags.Replace(line)))
	for _, n := range r.Notes {
		p.say("    %s", term.Plain(inFlags.Replace(n)))
	}
	if details, err := json.Marshal(r.Details); err == nil && string(details) != "null" {
		p.say("    measured: %s", term.Plain(string(details)))
	}
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
