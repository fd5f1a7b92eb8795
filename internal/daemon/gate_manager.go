package daemon

import (
	"context"
	"log/slog"
	"sync/atomic"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/atrest"
	"mcpproxy/internal/flow"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/policy/rules"
	"mcpproxy/internal/redact"
	"mcpproxy/internal/version"
)

// gateManager keeps the gate's settings up to date: the configuration with the user's rules, the
// kill switch, and the state of other parts.
type gateManager struct {
	gate   *gate.Gate
	kill   *killSwitch
	rules  atomic.Pointer[rules.Set] // the user's compiled rules
	agents *agentWatch
	path   string // of the configuration file
	parts  gateParts
}

// gateParts are the parts of the daemon that the gate uses for decisions.
type gateParts struct {
	tracker   *flow.Tracker
	log       *monitor
	sealer    *atrest.Sealer
	events    *api.Events
	approvals *approvals
	servers   *upstreams
	home      *homeManager
	callers   *callers
}

// newGateManager returns the manager of a gate for a configuration that was read from the file at
// path.
func newGateManager(path string, first *loaded, parts gateParts) *gateManager {
	c := first.config
	k := &gateManager{
		agents: &agentWatch{hooks: HookBackups(c), connections: ConnectBackups(c)},
		path:   path,
		parts:  parts,
	}
	k.rules.Store(first.rules)
	k.kill = newKillSwitch(c, k.killTurned)
	s := k.settings(first)
	s.Kill = k.kill.State().On
	k.gate = gate.New(parts.tracker, parts.log, parts.log.publish, s)
	parts.log.sealOwn(k.gate.Sealed)
	return k
}

// settings returns the gate's settings from a configuration and the running daemon: the policy
// rules, held definitions, the approval desk, and mcpproxy's own files.
func (k *gateManager) settings(l *loaded) gate.Settings {
	c := l.config
	s := GateSettings(c, l.detector)
	addRules(&s, c, l.rules, l.company)
	if c.Activity.MaskPersonal {
		s.AtRest = k.parts.sealer
	}
	s.Held = k.parts.servers.intake.Held
	s.Quarantine = k.parts.servers.intake.Quarantine
	s.Desk = k.parts.approvals.desk
	s.Home = k.parts.home.store.Home()
	s.Delivered = k.parts.home.learnAccount
	s.Version = PolicyVersion(c)
	s.Scope, s.Operation = k.parts.callers.scope, k.parts.callers.permits
	if c.Activity.DeniesOnFailure() {
		s.LogFailure = k.parts.log.failure
	}
	s.Protected = protectedOf(k.path, c, k.agents.watched)
	return s
}

// configure applies a new configuration to later calls. Questions that were asked under another
// configuration end.
func (k *gateManager) configure(l *loaded) {
	k.rules.Store(l.rules)
	k.parts.approvals.forAll.configure(l.config)
	s := k.settings(l)
	k.kill.configure(l.config, func(on bool) {
		s.Kill = on
		k.gate.Configure(s)
	})
	k.parts.approvals.desk.Configure(askingRules(l.config))
}

// shown masks secrets in a text that quotes a server or the configuration.
func (k *gateManager) shown(s string) string { return redact.Secrets(k.gate.Mask(s)) }

// reportKillAtStart logs and records that the kill switch is on at the start.
func (k *gateManager) reportKillAtStart() {
	if s := k.kill.State(); s.On {
		slog.Warn(
			"THE KILL SWITCH IS ON: every call is denied. `mcpproxy kill off` ends it",
			"by",
			s.By,
			"configured",
			s.Config,
		)
		k.recordKill(s, "found at the start")
	}
}

// killTurned applies a change of the kill switch, and records it.
func (k *gateManager) killTurned(s api.KillState, how string) {
	k.gate.Kill(s.On)
	if s.On {
		k.parts.approvals.desk.Withdraw("the kill switch is on")
		slog.Warn("THE KILL SWITCH IS ON: every call is denied. `mcpproxy kill off` ends it", "by", s.By, "how", how)
	} else {
		slog.Warn("the kill switch is off: the rules decide about calls again", "how", how)
	}
	k.recordKill(s, how)
	k.parts.events.Publish("status", map[string]any{"version": version.String(), "kill_switch": s})
}

// recordKill records the state of the kill switch durably.
func (k *gateManager) recordKill(s api.KillState, how string) {
	r := SystemRecord(mcpproxy.RecordConfigChange, "", map[string]any{"kill_switch": s.On, "by": s.By, "how": how})
	if err := k.parts.log.Append(context.Background(), r); err != nil {
		slog.Error("the kill switch could not be recorded", "error", err)
	}
}
