package api

import (
	"context"
	"errors"
	"strconv"

	"mcpproxy/internal/approval"
)

// Approvals are the questions that people are asked.
type Approvals interface {
	Pending() []approval.Request
	Decide(id string, approve bool, by string) error
}

// Decided is what became of a request.
type Decided struct {
	ID       string `json:"id"`
	Approved bool   `json:"approved"`
}

// approvals lists what waits for an answer.
func (s *server) approvals(context.Context, *struct{}) (*answer[[]approval.Request], error) {
	return success(s.Approvals.Pending())
}

type oneRequest struct {
	ID string `path:"id" doc:"The id of the request"`
}

func (s *server) approveRequest(ctx context.Context, in *oneRequest) (*answer[Decided], error) {
	return s.settle(ctx, in.ID, true)
}

func (s *server) denyRequest(ctx context.Context, in *oneRequest) (*answer[Decided], error) {
	return s.settle(ctx, in.ID, false)
}

type decisionAbout struct {
	Body struct {
		ID      string `json:"id" doc:"The id of the request"`
		Approve bool   `json:"approve" doc:"Whether the call may pass, once"`
	}
}

func (s *server) decideRequest(ctx context.Context, in *decisionAbout) (*answer[Decided], error) {
	return s.settle(ctx, in.Body.ID, in.Body.Approve)
}

func (s *server) settle(ctx context.Context, id string, approve bool) (*answer[Decided], error) {
	switch err := s.Approvals.Decide(id, approve, who(ctx)); {
	case errors.Is(err, approval.ErrUnknown):
		return nil, newError(404, strconv.Quote(id)+": "+err.Error())
	case err != nil:
		return nil, newError(409, err.Error())
	}
	return success(Decided{id, approve})
}
