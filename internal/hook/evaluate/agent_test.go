package evaluate_test

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/flow"
)

func TestTheRecordsOfAHookNameItsAgentAndFolder(t *testing.T) {
	r := newRig(t)
	want := mcpproxy.SessionAgent{Name: "claude-code", Folder: "/w"}
	r.ask("claude-code", "", pre("s", "c", "Read", `{"file_path":"a"}`))
	r.ask("claude-code", "", post("s", "c", "Read", `{"file_path":"a"}`, `"text"`))
	r.ask("claude-code", "", `{"session_id":"s","cwd":"/w","transcript_path":"/t","hook_event_name":"SessionEnd","reason":"x"}`)
	r.eval.Close()
	all := r.recorded()
	if len(all) != 3 {
		t.Fatalf("%d records", len(all))
	}
	for _, rec := range all {
		if rec.Metadata.Agent == nil || *rec.Metadata.Agent != want {
			t.Errorf("%s: %+v", rec.ToolName, rec.Metadata.Agent)
		}
	}
}

func TestASessionOfHooksHasItsAgent(t *testing.T) {
	r := newRig(t)
	r.ask("claude-code", "", pre("s", "c", "Read", `{"file_path":"a"}`))
	want := mcpproxy.SessionAgent{Name: "claude-code", Folder: "/w"}
	if got := r.tracker.Agent(flow.HookKey("s")); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
