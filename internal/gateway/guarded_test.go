package gateway

import (
	"testing"

	"mcpproxy/internal/wire"
)

func TestAPanicEndsItsOwnRequestAlone(t *testing.T) {
	m := wire.NewRequest([]byte("7"), "tools/call", nil)
	resp := guarded(m, func() *wire.Message { panic("spliced an invalid message") })
	if wire.Code(resp) != wire.CodeInternal || string(resp.ID) != "7" {
		t.Errorf("got %s", resp.Raw)
	}
	want := wire.NewResult(m.ID, []byte("{}"))
	if got := guarded(m, func() *wire.Message { return want }); got != want {
		t.Errorf("a request that went well got %s", got.Raw)
	}
}
