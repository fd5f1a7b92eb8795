package daemon

import (
	"slices"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/token"
)

func TestATokenOpensWhatItIsForUntilItIsRevoked(t *testing.T) {
	r := newPartRig(t)
	var expelled []string
	k := r.callers(func(name string) { expelled = append(expelled, name) })
	spec := token.Spec{Name: "ci", Role: token.Agent, Scope: token.Scope{Servers: []string{"files"}}}
	if _, _, err := k.tokens.Create(spec); err != nil {
		t.Fatal(err)
	}
	call := func(principal, server string) *mcpproxy.Call {
		return &mcpproxy.Call{Principal: principal, Server: server, Tool: "x"}
	}
	for name, c := range map[string]struct {
		principal, server string
		passes            bool
	}{
		"the owner":            {auth.Owner, "chat", true},
		"a server of the list": {"ci", "files", true},
		"another server":       {"ci", "chat", false},
		"an unknown token":     {"eve", "files", false},
	} {
		if why := k.scope(call(c.principal, c.server), mcpproxy.Read); (why == "") != c.passes {
			t.Errorf("%s: %q", name, why)
		}
	}
	if !k.permits("ci", nil, mcpproxy.Read) || k.permits("eve", nil, mcpproxy.Read) {
		t.Error("operations are permitted by other tokens than those that there are")
	}
	if err := k.tokens.Revoke("ci"); err != nil {
		t.Fatal(err)
	}
	if why := k.scope(call("ci", "files"), mcpproxy.Read); why == "" || !slices.Equal(expelled, []string{"ci"}) {
		t.Errorf("once it is revoked: %q, and %q were expelled", why, expelled)
	}
}

func TestTheCreatorOfATokenIsRecorded(t *testing.T) {
	r := newPartRig(t)
	r.callers(nil).tokenChanged("created", "ci", "owner")
	detail := r.records(mcpproxy.RecordConfigChange, 1)[0].Metadata.Detail
	if detail["token"] != "ci" || detail["change"] != "created" || detail["by"] != "owner" {
		t.Errorf("the record says %v", detail)
	}
}
