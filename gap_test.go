package mcpproxy_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpproxy"
)

func ExampleGap() {
	from := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	fmt.Println(mcpproxy.Gap{
		Reason: mcpproxy.GapLogFailure,
		From:   from,
		To:     from.Add(time.Minute),
		Lost:   3,
	})
	fmt.Println(mcpproxy.Gap{
		Reason: mcpproxy.GapNoDaemon,
		From:   from,
		To:     from.Add(time.Minute),
		Lost:   1,
	})
	for _, reason := range []mcpproxy.GapReason{mcpproxy.GapKilled, mcpproxy.GapFrozen, mcpproxy.GapStopped} {
		fmt.Println(mcpproxy.Gap{Reason: reason, From: from, To: from.Add(time.Minute)})
	}
	fmt.Println(mcpproxy.Gap{Reason: mcpproxy.GapFlowState, From: from, To: from.Add(time.Minute)})
	// Output:
	// 3 records were lost between 2026-03-01T12:00:00Z and 2026-03-01T12:01:00Z: the activity log could not be written
	// 1 call was not seen between 2026-03-01T12:00:00Z and 2026-03-01T12:01:00Z: hooks got no answer from the daemon
	// mcpproxy crashed or was killed: nothing was seen between 2026-03-01T12:00:00Z and 2026-03-01T12:01:00Z
	// the process of mcpproxy was suspended: nothing was seen between 2026-03-01T12:00:00Z and 2026-03-01T12:01:00Z
	// no daemon ran between 2026-03-01T12:00:00Z and 2026-03-01T12:01:00Z
	// no record is missing, but what some sessions had read before 2026-03-01T12:01:00Z is no longer known
}

func TestAGapIsReadBackFromItsStoredRecord(t *testing.T) {
	from := time.Date(2026, 3, 1, 12, 0, 0, 5000, time.UTC)
	want := mcpproxy.Gap{
		Reason: mcpproxy.GapNoDaemon,
		From:   from,
		To:     from.Add(time.Hour),
		Lost:   1 << 40,
	}
	raw, err := json.Marshal(want.Record("01"))
	if err != nil {
		t.Fatal(err)
	}
	var stored mcpproxy.Record
	if err := json.Unmarshal(raw, &stored); err != nil {
		t.Fatal(err)
	}
	got, ok := mcpproxy.GapOf(&stored)
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("ok %v (-want +got):\n%s", ok, diff)
	}
	stored.Metadata.Detail["from"] = "yesterday"
	if _, ok := mcpproxy.GapOf(&stored); ok {
		t.Error("GapOf returned a gap for details that cannot be read")
	}
	stored.Type = mcpproxy.RecordToolCall
	if _, ok := mcpproxy.GapOf(&stored); ok {
		t.Error("GapOf returned a gap for the record of a call")
	}
}
