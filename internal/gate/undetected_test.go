package gate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcpproxy"
)

// Where the detectors are off, what looks like a credential is masked in a record all the same: in where the call
// goes, in what an answer about it would hold for, and in the reason.
func TestARecordHoldsNoCredentialWhereNothingIsDetected(t *testing.T) {
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
