package daemon

import (
	"testing"

	"mcpproxy"
)

func TestAnApprovalForAlwaysIsRecordedAndOutlivesARestart(t *testing.T) {
	r := newPartRig(t)
	a := r.approvals()
	boundary := mcpproxy.Boundary{
		Principal: "local",
		Server:    "chat",
		Tool:      "post",
		Rules:     []string{"x"},
	}
	id, err := a.always.Keep(boundary, "req", "a person")
	if err != nil {
		t.Fatal(err)
	}
	record := r.records(mcpproxy.RecordConfigChange, 1)[0]
	detail := record.Metadata.Detail
	if record.ServerName != "chat" || detail["rule"] != id || detail["by"] != "a person" || detail["request"] != "req" {
		t.Errorf("the record of %q says %v", record.ServerName, detail)
	}
	if again, ok := r.approvals().always.Allows(boundary); !ok || again != id {
		t.Errorf("after a restart %q allows it: %t", again, ok)
	}
}
