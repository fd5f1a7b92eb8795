package daemon

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/config"
	"mcpproxy/internal/policy/rules"
)

// closed reports whether the gate of a manager denies every call.
func (k *gateManager) closed() bool {
	_, closed := k.gate.Closed()
	return closed
}

func TestTheKillSwitchClosesTheGateWhateverTheConfigurationSaysLater(t *testing.T) {
	r := newPartRig(t)
	k := r.gateManager()
	if k.closed() {
		t.Fatal("the gate is closed before the switch is on")
	}
	if _, err := k.kill.Set(true, "a person"); err != nil {
		t.Fatal(err)
	}
	k.configure(&loaded{config: r.config, rules: &rules.Set{}, company: &rules.Set{}})
	if !k.closed() {
		t.Error("a changed configuration opens the gate")
	}
	if _, err := k.kill.Set(false, "a person"); err != nil {
		t.Fatal(err)
	}
	if k.closed() {
		t.Error("the gate stays closed when the switch is off")
	}
	turns := r.records(mcpproxy.RecordConfigChange, 2)
	for i, on := range []bool{true, false} {
		if got := turns[i].Metadata.Detail; got["kill_switch"] != on || got["how"] != "command" {
			t.Errorf("turn %d is recorded as %v", i, got)
		}
	}
}

func TestTheGateDecidesByTheRulesOfTheNewConfiguration(t *testing.T) {
	r := newPartRig(t)
	k := r.gateManager()
	if n := len(k.rules.Load().Names()); n != 0 {
		t.Fatalf("there are %d rules", n)
	}
	set, problems := rules.Compile([]rules.Rule{{Name: "none", When: `call.server == "x"`, Then: mcpproxy.Deny}}, rules.Known{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	next := *r.config
	next.Security.KillSwitch = true
	k.configure(&loaded{config: &next, rules: set, company: &rules.Set{}})
	in := policies{rules: k.rules.Load, config: config.Default}
	if names := in.Rules(); len(names) != 1 || names[0] != "none" || !k.closed() {
		t.Errorf("the rules are %q, and the gate is closed: %t", names, k.closed())
	}
}
