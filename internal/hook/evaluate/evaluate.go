package evaluate

import (
	"context"
	"encoding/hex"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mcpproxy"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/gate/inspect"
	"mcpproxy/internal/gate/journal"
	"mcpproxy/internal/hook"
	"mcpproxy/internal/peer"
)

// Settings are the settings of security.hooks.
type Settings struct {
	Enabled       bool
	FailOpen      bool
	ExplicitAllow bool
	AskFallback   mcpproxy.Decision
}

// Sources are the parts of the daemon that an evaluator uses.
type Sources struct {
	Gate     *gate.Gate
	Tracker  *flow.Tracker
	Sessions flow.Sessions
	Links    *flow.Correlator
	// Tool returns the definition of a server's tool.
	Tool func(server, name string) (*mcpproxy.Tool, bool)
	// Peers knows the processes of agents; nil accepts events from any process.
	Peers *peer.Registry
	// Notice returns the message for the user at the start of a session, if the agent can show one;
	// it may be nil.
	Notice func() string
	// Began is called with the folder in which a session begins, before the agent's first tool
	// runs. It may be nil.
	Began func(ctx context.Context, dir string)
	// Servers returns the names of the servers behind this proxy.
	Servers func() []string
}

// Evaluator answers hooks.
type Evaluator struct {
	Sources
	settings atomic.Pointer[Settings]
	calls    calls
	pending  pending
	seen     seen
	judging  sync.WaitGroup // of calls
}

// New returns an evaluator without sessions.
func New(s Sources, c Settings) *Evaluator {
	e := &Evaluator{Sources: s}
	e.Configure(c)
	return e
}

// Configure sets the settings for later events.
func (e *Evaluator) Configure(s Settings) { e.settings.Store(&s) }

// Close waits until all announced calls and reported results are recorded.
func (e *Evaluator) Close() {
	e.judging.Wait()
	e.pending.all()
}

// Question is one event in the form in which the hook has sent it.
type Question struct {
	Agent string // the agent's name from the hook's command line, or ""
	Event string // the event's name from the hook's command line, or ""
	Body  []byte // the payload, or an object that contains it as "raw"
	Cut   bool   // Body is only the beginning of the payload
	// Async allows an answer before the event is inspected if the inspection cannot change the
	// answer: for events after a tool, and for calls with large arguments that nothing can stop.
	Async     bool
	Principal string
	// Until is the time after which a call that has not been judged is denied. With the zero value, the hook waits as
	// long as necessary.
	Until time.Time
	// Work is called when the evaluation starts work that lasts longer than its answer; the
	// returned function is called when that work ends. Work may be nil.
	Work func() (end func())

	flat bool // the body has the plain format, whichever agent sent it
}

// Answer is the decision about an event.
type Answer struct {
	Decision   mcpproxy.Decision  `json:"decision" enum:"allow,ask,deny"`
	Reason     string             `json:"reason"`
	RiskLevel  mcpproxy.RiskLevel `json:"risk_level"`
	ActivityID string             `json:"activity_id"`
	Output     Output             `json:"output" doc:"What the hook's process prints, and its exit code"`
}

// Output is the output of the hook's process and its exit code.
type Output struct {
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr,omitempty"`
	Exit   int    `json:"exit_code"`
}

// Evaluate answers one event. It always returns an answer: if the event cannot be read or an error
// occurs, security.hooks.fail_open decides.
func (e *Evaluator) Evaluate(ctx context.Context, q Question) Answer {
	s := e.settings.Load()
	if !s.Enabled {
		return Answer{
			Decision:  mcpproxy.Allow,
			RiskLevel: mcpproxy.RiskNone,
			Reason:    "Hooks are off (security.hooks.enabled).",
		}
	}
	v := &evaluation{
		Evaluator: e,
		settings:  s,
		id:        gate.NewID(),
		principal: q.Principal,
		work:      q.Work,
		at:        time.Now(),
	}
	return v.safely(ctx, q, func() Answer { return v.evaluate(ctx, q) })
}

// evaluate reads the event and answers it.
func (v *evaluation) evaluate(ctx context.Context, q Question) Answer {
	if q.Cut {
		if closed, ok := hook.Close(q.Body); ok {
			q.Body = closed
		}
	}
	err := v.read(q)
	if err != nil || v.event.Wrapping { // otherwise there is nothing to unwrap
		q = unwrap(q)
		err = v.read(q)
	}
	if err != nil {
		return v.failed(ctx, q, err)
	}
	if v.speaker, err = v.Peers.Hook(ctx, v.event.Session); err != nil {
		return v.refused(ctx, err)
	}
	if (q.Cut || len(q.Body) > maxCommand) && v.event.Kind == hook.PreTool && v.runsPrograms() {
		return v.unread(ctx)
	}
	if v.seen.note(v.event.Agent, v.event.Session, v.at, v.event.Kind == hook.SessionEnd) {
		v.began(ctx)
	}
	switch v.event.Kind {
	case hook.PreTool:
		return v.inTime(ctx, q.Until, func() Answer {
			return v.safely(ctx, q, func() Answer { return v.beforeTool(ctx, q.Async) })
		})
	case hook.PostTool, hook.PostToolFailure:
		return v.afterTool(ctx, q.Async)
	}
	return v.withoutTool(ctx)
}

// began reports the folder in which a session begins. The folder of an event after a tool is
// ignored: the tools have led the agent there, and an untrusted tool can lead it anywhere.
func (v *evaluation) began(ctx context.Context) {
	switch v.event.Kind {
	case hook.SessionStart, hook.Prompt, hook.PreTool:
		if v.Began != nil && v.event.Cwd != "" && v.speaker.Trusted() {
			v.Began(ctx, v.event.Cwd)
		}
	}
}

// evaluation is the processing of one event.
type evaluation struct {
	*Evaluator
	settings  *Settings
	id        string // activity id
	principal string
	work      func() (end func()) // see [Question.Work]
	at        time.Time
	outcome   outcome // of a call
	speaker   peer.Speaker
	agent     hook.Agent
	event     hook.Event
	target    target
}

// Maximum lengths of names that are copied from a payload, in bytes.
const (
	maxName = 128
	maxID   = 128
)

// read parses the event in its agent's dialect.
func (v *evaluation) read(q Question) (err error) {
	agent, known := hook.Named(q.Agent)
	if !known || q.flat {
		agent = hook.Guess(q.Event, q.Body)
	}
	v.agent = agent
	if v.event, err = agent.Read(q.Event, q.Body, v.Servers()); err != nil {
		return err
	}
	if known && q.flat {
		v.agent, _ = hook.Named(q.Agent)
		v.event.Agent = v.agent.Name()
	}
	ev := &v.event
	ev.Name = ev.Name[:min(len(ev.Name), maxName)]
	ev.Session = ev.Session[:min(len(ev.Session), maxID)]
	ev.CallID = ev.CallID[:min(len(ev.CallID), maxID)]
	v.target = v.resolve(ev)
	return nil
}

// call converts the event's call for the gate.
func (v *evaluation) call() *mcpproxy.Call {
	ev, t := v.event, v.target
	return &mcpproxy.Call{
		ID:          v.id,
		Channel:     mcpproxy.ChannelHook,
		Kind:        mcpproxy.KindTool,
		Session:     ev.Session,
		FlowSession: v.flow(),
		Principal:   v.principal,
		Client:      ev.Agent,
		Agent:       mcpproxy.SessionAgent{Name: ev.Agent, Folder: ev.Cwd},
		RequestID:   ev.CallID,
		Dir:         ev.Cwd,
		Server:      t.server,
		Tool:        t.tool,
		Arguments:   t.arguments,
		Definition:  t.definition,
		Intent:      t.intent,
		Received:    v.at,
	}
}

// flow returns the session in which the agent's data is tracked.
func (v *evaluation) flow() string { return v.Tracker.Session(flow.HookKey(v.event.Session)) }

// hook converts the event for the gate's records.
func (v *evaluation) hook() *gate.Hook {
	h := &gate.Hook{Agent: v.event.Agent, Event: v.event.Name}
	if v.event.Kind == hook.PreTool && !v.agent.CanAsk(v.event) {
		h.NoAsk = v.settings.AskFallback
	}
	return h
}

// hookCall converts the call for the correlator.
func (v *evaluation) hookCall() flow.HookCall {
	ev := v.event
	return flow.HookCall{
		Session:   ev.Session,
		ToolCall:  ev.CallID,
		Tool:      ev.Tool,
		Arguments: ev.Input,
		Activity:  v.id,
	}
}

// large is the length of arguments, in bytes, from which the evaluation first checks whether
// anything can stop the call.
const large = 16 << 10

// beforeTool decides a call that the agent is about to make. A large call that nothing can stop is
// answered before it is inspected.
func (v *evaluation) beforeTool(ctx context.Context, async bool) Answer {
	if v.event.Server != "" {
		v.Links.Announce(v.hookCall(), v.at)
	}
	v.pending.results(v.event.Session)
	if !async || len(v.event.Input) < large {
		return v.decided(v.decide(ctx, gate.Request{Call: v.call()}))
	}
	call := v.call()
	preview, free := v.Gate.Preview(call)
	if free && v.outcome.judged() && v.pending.later(v.event.Session, len(v.event.Input), false, func() {
		v.decide(context.WithoutCancel(ctx), gate.Request{Call: call, Preview: preview, Released: true})
	}) {
		return v.decided(v.unseen())
	}
	return v.decided(v.decide(ctx, gate.Request{Call: call, Preview: preview}))
}

// decide lets the gate decide about the event's call. It stores what is needed when the result arrives.
func (v *evaluation) decide(ctx context.Context, r gate.Request) mcpproxy.Verdict {
	r.Hook = v.hook()
	r.Awaited = v.outcome.judged
	d := v.Gate.Decide(ctx, r)
	v.calls.add(v.event, d.WithoutText())
	return d.Verdict
}

// decided answers a call that is about to be made, unless the verdict denies it.
func (v *evaluation) decided(verdict mcpproxy.Verdict) Answer {
	if verdict.Decision != mcpproxy.Deny && v.runsPrograms() {
		v.speaker.Began(v.callID())
	}
	return v.answer(verdict)
}

// maxCommand is the maximum length of an event about a command, in bytes. Inspecting a longer one
// could take until the hook gives up, and the command would run unjudged. Ordinary commands are
// shorter: Linux limits one argument of a program to 128 KB.
const maxCommand = 2 << 20

// runsPrograms reports whether the event's call can start programs of the agent's choice.
func (v *evaluation) runsPrograms() bool {
	return v.event.Server == "" && inspect.RunsCommands(v.event.Tool)
}

// callID returns the agent's id of the event's call.
func (v *evaluation) callID() string {
	if v.event.CallID != "" {
		return v.event.CallID
	}
	key := keyOf(v.event)
	return hex.EncodeToString(key[:])
}

// unseen returns the verdict on an event that is inspected later.
func (v *evaluation) unseen() mcpproxy.Verdict {
	return mcpproxy.Verdict{Decision: mcpproxy.Allow, RiskLevel: mcpproxy.RiskNone, ID: v.id}
}

// afterTool records the result of a call.
func (v *evaluation) afterTool(ctx context.Context, async bool) Answer {
	ctx = context.WithoutCancel(ctx)
	if v.runsPrograms() {
		v.speaker.Ended(v.callID())
	}
	known := v.event.Tool == "" || v.event.Server != "" && v.Links.Proxied(v.hookCall())
	look := func() mcpproxy.Verdict {
		before := v.calls.take(v.event)
		if known {
			return v.note(ctx, before, nil)
		}
		result := &mcpproxy.Result{Raw: v.event.Response, IsError: v.event.Kind == hook.PostToolFailure}
		if len(result.Raw) == 0 {
			result.Raw = []byte("null")
		}
		return v.Gate.Observe(ctx, v.observation(before, result))
	}
	if async && v.pending.later(v.event.Session, len(v.event.Response)+len(v.event.Input), true, func() { look() }) {
		return v.answer(v.unseen())
	}
	v.pending.wait(v.event.Session) // the decision about this call may be among the pending events
	return v.answer(look())
}

// withoutTool handles an event that is not about a tool.
func (v *evaluation) withoutTool(ctx context.Context) Answer {
	detail := map[string]any{}
	trusted := v.speaker.Trusted()
	if !trusted {
		detail["believed"] = false
	}
	switch v.event.Kind {
	case hook.Prompt:
		if trusted {
			v.Tracker.Prompt(v.flow(), v.event.Prompt)
			v.Gate.UserSpoke(v.principal, v.flow())
		}
		detail["bytes"] = len(v.event.Prompt) // the text of a prompt is not recorded
	case hook.SessionEnd:
		v.pending.wait(v.event.Session)
	}
	verdict := v.note(ctx, nil, detail)
	if v.event.Kind == hook.SessionEnd && v.event.Session != "" && trusted {
		v.Sessions.End(v.flow())
	}
	a := v.answer(verdict)
	if v.event.Kind == hook.Other {
		a.Reason = fmt.Sprintf("The event %q is not about a tool that is about to run, so there was nothing to decide.", v.event.Name)
	}
	return a
}

// note records an event that needs no decision.
func (v *evaluation) note(ctx context.Context, before *gate.Decided, detail map[string]any) mcpproxy.Verdict {
	verdict := mcpproxy.Verdict{Decision: mcpproxy.Allow, RiskLevel: mcpproxy.RiskNone, ID: v.id}
	v.write(ctx, before, verdict, detail)
	return verdict
}

// write records an event without a gate decision and returns the verdict. If a stop could not be
// recorded, the verdict has no id.
func (v *evaluation) write(
	ctx context.Context,
	before *gate.Decided,
	verdict mcpproxy.Verdict,
	detail map[string]any,
) mcpproxy.Verdict {
	o := v.observation(before, nil)
	o.Verdict, o.Detail = verdict, detail
	return v.Gate.Observe(ctx, o)
}

// observation converts the event for the gate. Result may be nil.
func (v *evaluation) observation(before *gate.Decided, result *mcpproxy.Result) gate.Observation {
	return gate.Observation{
		Caller: gate.Caller{Work: v.work},
		Call:   v.call(),
		Hook:   *v.hook(),
		Before: before,
		Result: result,
	}
}

// answer formulates a verdict for the agent.
func (v *evaluation) answer(verdict mcpproxy.Verdict) Answer {
	a := Answer{
		Decision:   verdict.Decision,
		Reason:     verdict.Reason,
		RiskLevel:  verdict.RiskLevel,
		ActivityID: verdict.ID,
	}
	if !a.Decision.Stops() || v.event.Kind != hook.PreTool {
		a.Decision = mcpproxy.Allow
	}
	reason := verdict.Reason
	if verdict.Decision == mcpproxy.Deny {
		reason = journal.Explain(verdict)
	} else if verdict.Rule != "" && verdict.ID == "" {
		reason += fmt.Sprintf(" (%s) %s", verdict.Rule, journal.Unrecorded)
	} else if verdict.Rule != "" {
		reason += fmt.Sprintf(" (%s, activity %s)", verdict.Rule, verdict.ID)
	}
	r := v.agent.Reply(
		v.event,
		verdict.Decision,
		reason,
		hook.ReplyOptions{ExplicitAllow: v.settings.ExplicitAllow, AskFallback: v.settings.AskFallback},
	)
	if v.event.Kind == hook.SessionStart && v.Notice != nil {
		if notice := v.Notice(); notice != "" {
			r = v.agent.Notify(notice)
		}
	}
	a.Output = Output{Stdout: string(r.Stdout), Stderr: r.Stderr, Exit: r.Exit}
	return a
}
