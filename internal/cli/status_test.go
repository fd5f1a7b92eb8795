package cli

import (
	"strings"
	"testing"

	"mcpproxy/internal/api"
)

func TestTheStatusCommandSaysWhyNoRecordIsRemovedByAge(t *testing.T) {
	var seen api.Overview
	seen.Log.AgeHeld = "the clock says 2040"
	var out strings.Builder
	printState(&out, &seen)
	if !strings.Contains(out.String(), "No records are removed by age: the clock says 2040.") {
		t.Errorf("the command says %s", out.String())
	}
}
