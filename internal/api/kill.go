package api

import (
	"context"
	"time"
)

// KillState says whether every call is denied, and since when.
type KillState struct {
	On     bool       `json:"on" doc:"Whether every call is denied"`
	Since  *time.Time `json:"since,omitempty"`
	By     string     `json:"by,omitempty" doc:"Who turned it on, as far as it can be told"`
	Config bool       `json:"configured" doc:"Whether the configuration turns it on (security.kill_switch); then only a change of the file turns it off"`
}

// Kill is the kill switch.
type Kill interface {
	State() KillState
	// Turned returns a channel that is closed while the switch is on.
	Turned() <-chan struct{}
	// Set turns the switch on or off and returns the new state.
	Set(on bool, by string) (KillState, error)
}

func (s *server) killed(context.Context, *struct{}) (*answer[KillState], error) {
	return success(s.Kill.State())
}

type killing struct {
	Body struct {
		On bool `json:"on" doc:"Whether every call is to be denied"`
	}
}

func (s *server) kill(ctx context.Context, in *killing) (*answer[KillState], error) {
	state, err := s.Kill.Set(in.Body.On, who(ctx))
	if err != nil {
		return nil, newError(500, err.Error())
	}
	return success(state)
}
