package evaluate

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// unwrap extracts the payload from an object of the form {"agent": …, "event": …, "raw": {…}}, and
// the agent's name from the plain format. The command line takes precedence over the object.
func unwrap(q Question) Question {
	if !bytes.Contains(q.Body, []byte(`"raw"`)) && !bytes.Contains(q.Body, []byte(`"agent"`)) {
		return q
	}
	var outer map[string]jsontext.Value
	if json.Unmarshal(q.Body, &outer) != nil {
		return q // the dialect reports what is wrong with it
	}
	text := func(name string) string {
		var s string
		if json.Unmarshal(outer[name], &s) != nil {
			return ""
		}
		return s
	}
	raw, event := outer["raw"], text("event")
	_, native := outer["hook_event_name"]
	if raw.Kind() != '{' && (event == "" || native) {
		return q // an agent's own payload that has a member of that name
	}
	if q.Agent == "" {
		q.Agent = text("agent")
	}
	if q.Event == "" {
		q.Event = event
	}
	if raw.Kind() == '{' {
		q.Body = raw
	} else {
		q.flat = true
	}
	return q
}
