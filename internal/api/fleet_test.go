package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"mcpproxy/internal/api"
	"mcpproxy/internal/ledger"
)

// fleet is the fleet of a hub with three machines.
type fleet struct{}

func (fleet) Machines(context.Context) ([]ledger.Machine, error) {
	gone := time.Now().Add(-time.Hour)
	return []ledger.Machine{
		{
			ID:      "1",
			Name:    "old",
			Seen:    gone,
			Revoked: &gone,
		},
		{ID: "2", Name: "silent", Seen: gone},
		{ID: "3", Name: "awake", Seen: time.Now()},
	}, nil
}

func (fleet) NewTools(_ context.Context, since time.Time) ([]ledger.Sighting, error) {
	return []ledger.Sighting{{Server: "s", Tool: "t", First: since}}, nil
}

func (fleet) RepeatedApprovals(_ context.Context, _ time.Time, least int) ([]ledger.Approvals, error) {
	return []ledger.Approvals{{Server: "s", Tool: "t", Approved: int64(least)}}, nil
}

func TestAHubShowsItsMachines(t *testing.T) {
	r := newRig(t)
	a := r.ask("/api/v1/fleet?least=7", nil)
	var got struct{ Data api.FleetView }
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != http.StatusOK {
		t.Fatalf("status %d, %v: %s", a.status, err, a.body)
	}
	for i, want := range []string{"revoked", "quiet", "sends"} {
		if m := got.Data.Machines[i]; m.State != want {
			t.Errorf("%s: %s, want %s", m.Name, m.State, want)
		}
	}
	if n := got.Data.Approvals[0].Approved; n != 7 {
		t.Errorf("the approvals are those with at least %d, want 7", n)
	}
	if days := time.Since(got.Data.NewTools[0].First).Hours() / 24; days < 6.9 || days > 7.1 {
		t.Errorf("new tools are those of the last %.1f days, want 7", days)
	}
}
