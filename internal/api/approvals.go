package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"mcpproxy"
	"mcpproxy/internal/approval"
	rules "mcpproxy/internal/approval/store"
)

// Approvals gives access to the questions that wait for a person.
type Approvals interface {
	Pending() []approval.Request
	Vote(id string, v approval.Vote) error
}

// Decided is the result of answering a request.
type Decided struct {
	ID       string              `json:"id"`
	Approved bool                `json:"approved"`
	For      mcpproxy.Remembered `json:"for,omitempty" enum:"once,session,always" doc:"For how long it is approved"`
}

// approvals lists the open questions.
func (s *server) approvals(context.Context, *struct{}) (*answer[[]approval.Request], error) {
	return success(s.Approvals.Pending())
}

type oneRequest struct {
	ID string `path:"id" doc:"The id of the request"`
}

// Span says for how long an approval holds.
type Span struct {
	For mcpproxy.Remembered `json:"for,omitempty" enum:"once,session,always" doc:"For this call, for everything within the boundary of the request in this session, or always; once when absent"`
}

type approving struct {
	ID   string `path:"id" doc:"The id of the request"`
	Body *Span
}

func (s *server) approveRequest(ctx context.Context, in *approving) (*answer[Decided], error) {
	span := mcpproxy.RememberedOnce
	if in.Body != nil && in.Body.For != "" {
		span = in.Body.For
	}
	return s.settle(ctx, in.ID, true, span)
}

func (s *server) denyRequest(ctx context.Context, in *oneRequest) (*answer[Decided], error) {
	return s.settle(ctx, in.ID, false, "")
}

type decisionAbout struct {
	Body struct {
		Span
		ID      string `json:"id" doc:"The id of the request"`
		Approve bool   `json:"approve" doc:"Whether the call may pass"`
	}
}

func (s *server) decideRequest(ctx context.Context, in *decisionAbout) (*answer[Decided], error) {
	span := in.Body.For
	if in.Body.Approve && span == "" {
		span = mcpproxy.RememberedOnce
	}
	return s.settle(ctx, in.Body.ID, in.Body.Approve, span)
}

func (s *server) settle(
	ctx context.Context,
	id string,
	approve bool,
	span mcpproxy.Remembered,
) (*answer[Decided], error) {
	switch err := s.Approvals.Vote(id, approval.Vote{Approve: approve, For: span, By: who(ctx)}); {
	case errors.Is(err, approval.ErrUnknown):
		return nil, newError(404, strconv.Quote(id)+": "+err.Error())
	case err != nil:
		return nil, newError(409, err.Error())
	}
	return success(Decided{id, approve, span})
}

// ApprovalRule is a permanent answer as the API shows it.
type ApprovalRule struct {
	rules.Rule
	Within string `json:"within" doc:"The calls that it allows, in words"`
}

func shownRule(r rules.Rule) ApprovalRule { return ApprovalRule{r, r.Boundary.Within()} }

// registerRules adds the operations on permanent answers.
func (s *server) registerRules(api huma.API) {
	const path = "/api/v1/approvals/rules"
	get(api, "list-approval-rules", path, "The approvals for always, oldest first", s.listRules)
	huma.Register(api, huma.Operation{
		OperationID: "keep-approval-rule",
		Method:      http.MethodPost,
		Path:        path,
		Summary:     "Approves for always what the question about a recorded call covers, and nothing more",
		Errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, s.keepRule)
	post(api, "revoke-approval-rule", path+"/{id}/revoke", "Revokes an approval for always", s.revokeRule)
}

func (s *server) listRules(context.Context, *struct{}) (*answer[[]ApprovalRule], error) {
	out := []ApprovalRule{}
	for _, r := range s.Approved.Rules() {
		out = append(out, shownRule(r))
	}
	return success(out)
}

type keptAfterwards struct {
	Body struct {
		Activity string `json:"activity_id" doc:"The call that was asked about, or the request"`
	}
}

func (s *server) keepRule(ctx context.Context, in *keptAfterwards) (*answer[ApprovalRule], error) {
	a, err := s.record(ctx, &shownByID{ID: in.Body.Activity, Personal: "show"})
	if err != nil {
		return nil, err
	}
	r := a.Body.Data
	b := r.Metadata.Boundary
	if b == nil {
		return nil, newError(409, "this call needed no approval: there is nothing to approve")
	}
	id, err := s.Approved.Keep(*b, r.ID, who(ctx))
	switch {
	case errors.Is(err, rules.ErrOnce), errors.Is(err, rules.ErrFull):
		return nil, newError(409, err.Error())
	case err != nil:
		return nil, newError(500, err.Error())
	}
	for _, rule := range s.Approved.Rules() {
		if rule.ID == id {
			return success(shownRule(rule))
		}
	}
	return nil, newError(409, "the rule was revoked meanwhile")
}

type oneRule struct {
	ID string `path:"id" doc:"The id of the rule"`
}

func (s *server) revokeRule(ctx context.Context, in *oneRule) (*answer[ApprovalRule], error) {
	r, err := s.Approved.Revoke(in.ID, who(ctx))
	switch {
	case errors.Is(err, rules.ErrUnknown):
		return nil, newError(404, err.Error())
	case err != nil:
		return nil, newError(500, err.Error())
	}
	return success(shownRule(r))
}
