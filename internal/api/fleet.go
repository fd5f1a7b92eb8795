package api

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"mcpproxy/internal/ledger"
)

// Fleet answers questions about the machines that send their records to a hub.
type Fleet interface {
	// Machines returns all machines, sorted by the time of their last request, the oldest first.
	Machines(ctx context.Context) ([]ledger.Machine, error)
	// NewTools returns the tools that no machine had called before a time, the newest first.
	NewTools(ctx context.Context, since time.Time) ([]ledger.Sighting, error)
	// RepeatedApprovals returns the tools whose calls people approved at least so many times since a time.
	RepeatedApprovals(ctx context.Context, since time.Time, least int) ([]ledger.Approvals, error)
}

// QuietAfter is the time without a request after which a machine is called quiet. Every machine sends a request at
// least every 5 minutes.
const QuietAfter = 15 * time.Minute

// How far back GET /fleet looks.
const (
	newToolsFor  = 7 * 24 * time.Hour
	approvalsFor = 30 * 24 * time.Hour
)

// FleetMachine is a machine that sends its records to the hub.
type FleetMachine struct {
	ledger.Machine
	State string `json:"state" enum:"sends,quiet,revoked"`
}

// StateOf returns the state of a machine: sends, quiet or revoked.
func StateOf(m ledger.Machine, quiet time.Duration) string {
	switch {
	case m.Revoked != nil:
		return "revoked"
	case time.Since(m.Seen) > quiet:
		return "quiet"
	}
	return "sends"
}

// FleetView is the answer of GET /fleet.
type FleetView struct {
	Machines  []FleetMachine     `json:"machines" doc:"All machines, those that have been quiet for the longest time first"`
	NewTools  []ledger.Sighting  `json:"new_tools" doc:"Tools that were first called in the last 7 days, the newest first"`
	Approvals []ledger.Approvals `json:"approvals" doc:"Tools whose calls people approved often in the last 30 days: candidates for the next bundle"`
}

type fleetQuery struct {
	Least int `query:"least" default:"3" minimum:"1" maximum:"1000000" doc:"How many approvals a tool needs to be listed"`
}

// registerFleet adds the operations that only a hub has.
func (s *server) registerFleet(api huma.API) {
	if s.Fleet != nil {
		get(api, "fleet", "/api/v1/fleet", "The machines that send their records to this hub, and what is new on them", s.fleet)
	}
}

func (s *server) fleet(ctx context.Context, in *fleetQuery) (*answer[FleetView], error) {
	now := time.Now()
	out := FleetView{Machines: []FleetMachine{}, NewTools: []ledger.Sighting{}, Approvals: []ledger.Approvals{}}
	all, err := s.Fleet.Machines(ctx)
	if err != nil {
		return nil, newError(500, "the machines cannot be read", err)
	}
	for _, m := range all {
		out.Machines = append(out.Machines, FleetMachine{m, StateOf(m, QuietAfter)})
	}
	fresh, err := s.Fleet.NewTools(ctx, now.Add(-newToolsFor))
	if err != nil {
		return nil, newError(500, "the new tools cannot be read", err)
	}
	repeated, err := s.Fleet.RepeatedApprovals(ctx, now.Add(-approvalsFor), in.Least)
	if err != nil {
		return nil, newError(500, "the approvals cannot be read", err)
	}
	out.NewTools = append(out.NewTools, fresh...)
	out.Approvals = append(out.Approvals, repeated...)
	return success(out)
}
