package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"mcpproxy/internal/probe/raw"
	"mcpproxy/internal/wire"
)

// Probe is a run that has not started.
type Probe struct {
	target     Target
	options    Options
	thresholds Thresholds
}

// New prepares a run. Missing options and thresholds get their defaults.
func New(t Target, o Options, th Thresholds) *Probe { return &Probe{t, o, th} }

// Event reports a run's progress.
type Event struct {
	Test    Test
	Index   int     // index of the test in this run, from 0
	Count   int     // number of tests in this run
	Result  *Result // nil when the test begins
	Partial bool    // the run was stopped in this test
}

// ErrUnreachable says that no connection to the server was possible.
var ErrUnreachable = errors.New("the server cannot be reached")

// errStopped ends a test after the run was stopped.
var errStopped = errors.New("the run was stopped")

// Run runs the tests. The error is [ErrUnreachable], or says which option is wrong; there are no
// results then. If ctx ends during the run, the results are partial and say why.
func (p *Probe) Run(ctx context.Context) (*Results, error) {
	o, th := p.options, p.thresholds
	patience := startPatience(p.target, o)
	o.settle()
	th.settle()
	tests, err := Choose(o.Tests, o.Suites)
	if err != nil {
		return nil, err
	}
	if err := p.target.Check(); err != nil {
		return nil, err
	}
	start := time.Now()
	r := &runner{
		ctx:        ctx,
		target:     p.target,
		options:    o,
		thresholds: th,
		patience:   patience,
	}
	if o.Transcript != nil {
		r.target.Watch = func(sent bool, frame []byte) { o.Transcript(sent, excerpt(string(frame), maxTranscript)) }
	}
	defer r.close()
	if err := r.connectAndList(); err != nil {
		return nil, err
	}
	out := &Results{
		Target:          r.target.String(),
		Transport:       r.conn.Transport,
		ProtocolVersion: r.conn.Version,
		Server:          serverName(r.conn),
		Started:         start.UTC(),
		Options:         &o,
		Thresholds:      &th,
		Tests:           make([]Result, len(tests)),
	}
	r.runAll(tests, out)
	out.Tools = r.uses()
	out.Planned = r.planned
	out.DurationMS = milliseconds(time.Since(start))
	out.summarize(r.figures, th)
	return out, nil
}

// runAll runs the tests. At the end it completes the comparison of definitions and checks the
// errors and protocol violations of all other tests.
func (r *runner) runAll(tests []Test, out *Results) {
	last := map[string]bool{"T2": true, "T8": true, "T9": true}
	done := 0
	for _, late := range []bool{false, true} {
		for i, t := range tests {
			if last[t.ID] != late {
				continue
			}
			one := &out.Tests[i]
			*one = Result{
				ID:      t.ID,
				Name:    t.Name,
				Suite:   t.Suite,
				Outcome: Passed,
				Tools:   []string{},
			}
			r.options.Progress(Event{Test: t, Index: done, Count: len(tests)})
			if !out.Partial {
				out.Partial, out.PartialReason = r.runOne(t, one)
			} else {
				one.skip("the run was stopped before")
			}
			if one.Outcome != Skipped {
				passed := one.Outcome == Passed
				one.Pass = &passed
			}
			r.options.Progress(Event{
				Test:    t,
				Index:   done,
				Count:   len(tests),
				Result:  one,
				Partial: out.Partial,
			})
			done++
		}
	}
}

// runOne runs one test and reports whether the run was stopped during it.
func (r *runner) runOne(t Test, one *Result) (stopped bool, why string) {
	r.current = one
	defer func() {
		if p := recover(); p != nil {
			if err, ok := p.(error); !ok || !errors.Is(err, errStopped) {
				panic(p)
			}
			stopped, why = true, r.stoppedBy()
			if one.Outcome == Passed {
				one.skip(why)
			}
			return
		}
		if one.Outcome == Failed {
			one.Fix = cmp.Or(one.Fix, t.Help)
		}
		if r.options.DryRun && one.Outcome != Skipped {
			one.Outcome = Skipped
			one.Reason = ""
			one.Notes = nil
			one.Fix = ""
			one.SkipReason = "dry run: nothing was called"
		}
	}()
	t.run(r, one)
	return false, ""
}

func (r *runner) stoppedBy() string {
	switch cause := context.Cause(r.ctx); {
	case r.ctx.Err() == nil:
		return fmt.Sprintf("the limit of %d messages was reached", r.options.MaxCalls)
	case errors.Is(cause, context.DeadlineExceeded):
		return "the time limit of the run was reached"
	case errors.Is(cause, context.Canceled):
		return "the run was interrupted"
	default:
		return cause.Error()
	}
}

// connectAndList connects and reads the server's definitions.
func (r *runner) connectAndList() error {
	ctx, cancel := r.starting()
	defer cancel()
	conn, err := raw.Dial(ctx, r.target)
	if err != nil {
		return unreachable(err)
	}
	r.conn, r.target = conn, conn.Target()
	if r.surface, err = r.declared(); err != nil {
		return unreachable(err)
	}
	return r.options.check(r.surface.names())
}

// meetPatience is the default time for a program to start: npx may have to download it first.
const meetPatience = 2 * time.Minute

// startPatience returns the timeout of the first answer. It is the normal timeout, except for a
// program without a configured timeout.
func startPatience(t Target, o Options) time.Duration {
	switch {
	case o.CallTimeoutMS > 0:
		return time.Duration(o.CallTimeoutMS) * time.Millisecond
	case t.Command != "":
		return meetPatience
	}
	return defaultCallTimeout
}

// maxTranscript limits a message in a transcript, in characters.
const maxTranscript = 1000

func unreachable(err error) error {
	hint := ""
	if s, ok := errors.AsType[*raw.StatusError](err); ok && (s.Status == 401 || s.Status == 403) {
		hint = " (it wants credentials: give them as a header)"
	}
	return fmt.Errorf("%w: %w%s", ErrUnreachable, err, hint)
}

// serverName returns the server's own name, in both eras.
func serverName(c *raw.Conn) string {
	info := cmp.Or(
		string(wire.Member(c.Hello, "serverInfo")),
		string(wire.Member(c.Hello, "_meta", wire.MetaServerInfo)),
	)
	name, version := wire.String([]byte(info), "name"), wire.String([]byte(info), "version")
	if name == "" {
		return ""
	}
	if version != "" {
		name += " " + version
	}
	return shown(name)
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}
