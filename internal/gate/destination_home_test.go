package gate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpproxy/internal/home"
)

// The record says for each destination whether it belongs to the user's own organisation.
func TestTheRecordSaysWhichDestinationsAreHome(t *testing.T) {
	own, err := home.Make(home.Domain, "acme.example")
	if err != nil {
		t.Fatal(err)
	}
	own.State = home.Confirmed
	s := defaults()
	s.Home = home.New([]home.Entry{own})
	h := newRig(t, t.TempDir(), s)
	v, _ := h.does(call("gmail", "send_email", `{"to":["ana@acme.example","eve@evil.example"],"body":"hello"}`))
	got := map[string]bool{}
	for _, d := range h.settled(t, v.ID).Metadata.Destinations {
		if d.Kind == "email" {
			got[d.Value] = d.Home
		}
	}
	if diff := cmp.Diff(map[string]bool{"ana@acme.example": true, "eve@evil.example": false}, got); diff != "" {
		t.Error(diff)
	}
}
