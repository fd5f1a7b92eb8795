package evaluate_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/hook/evaluate"
)

// prompt returns Claude Code's payload of a prompt in a folder.
func prompt(session, dir string) string {
	return fmt.Sprintf(
		`{"session_id":%q,"transcript_path":"/t","cwd":%q,"hook_event_name":"UserPromptSubmit","prompt":"hello"}`,
		session,
		dir,
	)
}

func TestASessionTellsOfItsFirstFolderOnce(t *testing.T) {
	r := newRig(t)
	var told []string
	sources := r.eval.Sources
	sources.Began = func(_ context.Context, dir string) { told = append(told, dir) }
	r.eval = evaluate.New(sources, defaults)
	t.Cleanup(r.eval.Close)
	for _, body := range []string{
		prompt("s1", "/first"),
		prompt("s1", "/cloned"), // the agent has changed to that folder
		pre("s1", "c1", "Bash", `{"command":"ls"}`),
		pre("s2", "c2", "Bash", `{"command":"ls"}`),
		post("s3", "c3", "Bash", `{"command":"cd /cloned"}`, `"ok"`),
		prompt("s3", "/cloned"),
		prompt("s4", ""),
	} {
		r.ask("claude-code", "", body)
	}
	if diff := cmp.Diff([]string{"/first", "/w"}, told); diff != "" {
		t.Error(diff)
	}
}
