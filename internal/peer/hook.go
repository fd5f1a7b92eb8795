package peer

import (
	"context"
	"fmt"
)

// A Speaker identifies the process that sends a hook event. The zero value is a sender that the
// operating system cannot identify.
type Speaker struct {
	registry *Registry
	hook     Process // the hook process
	agent    Process // the agent that started it
	nested   bool    // the agent was started by another agent's tool, or has left its parent
}

// Hook reports whether the peer of a request may send an event of a session, and identifies the
// peer. The first event of a session binds the session to the agent's process. Later events must
// come from hooks that this process has started or, after it has ended, from hooks of another agent
// that the user has started. The error is a [*Refusal].
func (r *Registry) Hook(ctx context.Context, session string) (Speaker, error) {
	at := r.stand(ctx)
	if r == nil || !at.process.Known() || at.process == r.self {
		return Speaker{}, nil
	}
	if at.standing == served || at.standing == ended {
		return Speaker{}, r.refuseHook(at, "it "+at.descent())
	}
	agent, ok := r.starter(at.process)
	proven := ok && isHook(at.process) && !agent.isShell() && !at.process.traced()
	speaker := Speaker{registry: r, hook: at.process}
	switch at.standing {
	case below:
		if proven && agent == at.agent {
			speaker.agent = agent
			break
		}
		if !proven || !r.nested.Load() {
			return Speaker{}, r.refuseHook(at, "it "+at.descent()+
				". To let agents start other agents, the user can set security.hooks.nested_agents to allow")
		}
		speaker.agent, speaker.nested = agent, true
	case itself:
		speaker.agent = at.process
	default:
		if !proven {
			break
		}
		speaker.agent, speaker.nested = agent, at.standing == detached
	}
	if speaker.agent.Known() {
		r.enter(speaker.agent, true, speaker.nested)
	}
	if bound, ok := r.bind(session, speaker); !ok {
		at.agent = bound
		return Speaker{}, r.refuseHook(
			at,
			fmt.Sprintf("the session belongs to the agent %s, which has not started it", bound),
		)
	}
	return speaker, nil
}

// isHook reports whether p is mcpproxy's hook.
func isHook(p Process) bool {
	switch p.name() {
	case "mcpproxy-hook":
		return true
	case "mcpproxy":
		args := p.args()
		return len(args) > 2 && args[1] == "hook" && args[2] == "evaluate"
	}
	return false
}

// bind binds a session to the speaker's agent. It fails if the session belongs to another agent
// that still runs, and the user did not start the speaker's agent.
func (r *Registry) bind(session string, s Speaker) (bound Process, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	bound, known := r.sessions[session]
	switch {
	case known && bound == s.agent:
		return bound, true
	case known && bound.alive() && (!s.agent.Known() || s.nested):
		return bound, false
	case s.agent.Known() && session != "":
		if len(r.sessions) >= maxSessions {
			r.forget()
		}
		r.sessions[session] = s.agent
	}
	return s.agent, true
}

func (r *Registry) refuseHook(at position, why string) error {
	return r.refuse(at, HookEvent, fmt.Sprintf("mcpproxy accepts no hook events from %s: %s", at.process, why))
}

// Began notes that a tool call that can start programs is about to run.
func (s Speaker) Began(call string) {
	s.with(func(a *agent) {
		if from, ok := a.calls.oldest(); ok {
			s.close(a, from)
		}
		a.calls.begin(call, now())
	})
}

// Ended notes that the call has run. The call ended no later than the start of the hook that
// reports it.
func (s Speaker) Ended(call string) {
	s.with(func(a *agent) { a.calls.end(call, s.hook.Start) })
}

// Trusted reports whether the text of an event may count as the user's own words. It may not if the
// agent started the hook while a tool that can start programs was running, because such a program
// can replace the hook. It also may not if another agent started this agent.
func (s Speaker) Trusted() bool {
	trusted := true
	s.with(func(a *agent) {
		trusted = !a.nested && !a.calls.hold(s.hook.Start)
		if from, ok := a.calls.oldest(); ok {
			s.close(a, from)
		}
	})
	return trusted
}

// with calls do with the registry's facts about the speaker's agent.
func (s Speaker) with(do func(*agent)) {
	if s.registry == nil || !s.agent.Known() {
		return
	}
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	if a := s.registry.agents[s.agent]; a != nil {
		do(a)
	}
}

// patience is the minimum age of an open call, in clock ticks, before the process tree is searched
// for its end: the agent may not have started its program yet.
const patience = 3 * 100

// close ends calls that no hook has reported as ended, for example because the user refused them in
// the agent's own dialog. Such a call has ended if no process that the agent started since then
// still runs.
func (s Speaker) close(a *agent, from uint64) {
	at := now()
	if at < from+patience {
		return
	}
	for _, pid := range s.agent.children() {
		child := find(pid)
		if child.Start >= from && !s.leads(child) {
			return
		}
	}
	a.calls.endAll(at-patience, s.hook.Start)
}

// leads reports whether a child of the agent is the hook, or the shell that runs it.
func (s Speaker) leads(child Process) bool {
	if child == s.hook {
		return true
	}
	h, ok := look(s.hook.PID)
	return ok && h.parent == child.PID
}
