package mcpproxy_test

import (
	"encoding/json"
	"testing"

	"mcpproxy"
)

func TestTheAgentOfASessionIsTheOneThatHooksReport(t *testing.T) {
	hook := mcpproxy.SessionAgent{Name: "claude-code", Folder: "~/app"}
	deeper := mcpproxy.SessionAgent{Name: "claude-code", Folder: "~/app/web"}
	plain := mcpproxy.SessionAgent{Folder: "~/app"}
	claim := mcpproxy.SessionAgent{Name: "client", Claimed: true}
	rooted := mcpproxy.SessionAgent{Name: "client", Claimed: true, Folder: "~/other"}
	other := mcpproxy.SessionAgent{Name: "second", Claimed: true}
	nobody := mcpproxy.SessionAgent{}
	for name, c := range map[string]struct{ known, next, session, call mcpproxy.SessionAgent }{
		"the first one is taken":                    {nobody, claim, claim, claim},
		"an agent without a name changes nothing":   {hook, nobody, hook, hook},
		"a hook replaces a claim":                   {rooted, hook, hook, hook},
		"a claim does not replace a hook":           {hook, rooted, hook, hook},
		"the folder where an agent began stays":     {hook, deeper, hook, deeper},
		"a hook adds the name":                      {plain, deeper, mcpproxy.SessionAgent{Name: "claude-code", Folder: "~/app"}, deeper},
		"a client keeps the folder from its hook":   {rooted, claim, rooted, rooted},
		"another client does not get the folder":    {rooted, other, other, other},
		"a client names a folder later":             {claim, rooted, rooted, rooted},
		"two unknown agents stay unknown":           {nobody, nobody, nobody, nobody},
		"a hook that names nothing replaces nobody": {claim, nobody, claim, claim},
	} {
		if got := c.known.Seen(c.next); got != c.session {
			t.Errorf("%s: the session has %+v, want %+v", name, got, c.session)
		}
		if got := c.known.OfCall(c.next); got != c.call {
			t.Errorf("%s: the call has %+v, want %+v", name, got, c.call)
		}
	}
}

func TestARecordOfAnUnknownAgentHasNone(t *testing.T) {
	var m mcpproxy.Metadata
	m.Agent = mcpproxy.SessionAgent{Claimed: true}.Recorded()
	raw, err := json.Marshal(m)
	if err != nil || string(raw) != "{}" {
		t.Errorf("%s (%v)", raw, err)
	}
}
