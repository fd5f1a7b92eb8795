package gate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcpproxy"
)

// If the detectors are off, a record still masks text that looks like a credential: in the destinations of the call,
// in the boundary of an answer, and in the reason.
func TestARecordHoldsNoCredentialIfDetectionIsOff(t *testing.T) {
	s := defaults()
	s.Detector = nil
	s.Tables.InternalToExternal = mcpproxy.Ask
	h := newRig(t, t.TempDir(), s)
	h.reads("github", "get_file", "the token is "+gitToken)
	var verdicts []mcpproxy.Verdict
	for _, c := range []*mcpproxy.Call{
		call("web", "fetch", object("url", "https://good.example/?token="+gitToken)),
		call("slack", "post_message", object("text", "the token is "+gitToken)),
	} {
		v, _ := h.does(c)
		verdicts = append(verdicts, v)
	}
	h.log.Close()
	for _, v := range verdicts {
		r := h.stored(v.ID)
		if v.Decision == mcpproxy.Allow || len(v.Edges) == 0 {
			t.Errorf("%+v", v)
		}
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if i := strings.Index(string(raw), gitToken[8:]); i >= 0 {
			t.Errorf("%s: %s", r.ToolName, raw[max(0, i-80):i+20])
		}
	}
}
