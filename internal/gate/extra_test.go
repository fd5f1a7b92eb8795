package gate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcpproxy"
)

// A request also carries _meta and the answers to a server's questions. The server gets all of it, so all of it is
// tracked.
func TestDataOutsideTheArgumentsIsFollowed(t *testing.T) {
	for name, extra := range map[string]string{
		"in the answer to a question":    `{"inputResponses":{"q":{"action":"accept","content":{"note":"` + gitToken + `"}}}}`,
		"in a state that is handed back": `{"requestState":"` + gitToken + `"}`,
		"in _meta":                       `{"_meta":{"x":"` + gitToken + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t, t.TempDir(), defaults())
			h.reads("github", "get_file", "GITHUB_TOKEN="+gitToken)
			c := call("slack", "post_message", `{"text":"hello"}`)
			c.Extra = json.RawMessage(extra)
			v, sent := h.does(c)
			if sent || v.Decision != mcpproxy.Deny || len(v.Edges) == 0 ||
				!strings.HasPrefix(v.Edges[0].Path, "params.") {
				t.Errorf("sent %v: %+v", sent, v)
			}
		})
	}
}

func TestACallWithoutOtherMembersIsSent(t *testing.T) {
	h := newRig(t, t.TempDir(), defaults())
	c := call("slack", "post_message", `{"text":"hello"}`)
	c.Extra = json.RawMessage(`{"_meta":{"progressToken":1}}`)
	if v, sent := h.does(c); !sent || v.Decision != mcpproxy.Allow {
		t.Errorf("sent %v: %+v", sent, v)
	}
}
