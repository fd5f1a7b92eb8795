package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"mcpproxy"
	"mcpproxy/internal/suggest"
	"mcpproxy/internal/token"
)

// Token describes a token without its secret part.
type Token struct {
	Name       string               `json:"name" doc:"The principal of its bearer's calls"`
	Role       token.Role           `json:"role" enum:"agent,auditor"`
	Servers    []string             `json:"servers" doc:"Servers of which it may use all tools"`
	Tools      []string             `json:"tools" doc:"Tools of other servers that it may use, as server:tool; all tools if there are no servers either"`
	Operations []mcpproxy.Operation `json:"operations" doc:"What calls may do; everything when empty"`
	Created    time.Time            `json:"created"`
	Expires    *time.Time           `json:"expires,omitempty" doc:"Time of expiry; absent if it never expires"`
	Expired    bool                 `json:"expired"`
	Used       *time.Time           `json:"last_used,omitempty" doc:"Time of the last use, to the hour; absent if it was never used"`
}

// TokenOf returns a token in the form that the API shows.
func TokenOf(t token.Token) Token {
	out := Token{
		Name:       t.Name,
		Role:       t.Role,
		Servers:    append([]string{}, t.Servers...),
		Tools:      append([]string{}, t.Tools...),
		Operations: append([]mcpproxy.Operation{}, t.Operations...),
		Created:    t.Created,
		Expired:    t.Expired(time.Now()),
	}
	if !t.Expires.IsZero() {
		out.Expires = &t.Expires
	}
	if !t.Used.IsZero() {
		out.Used = &t.Used
	}
	return out
}

// NewToken is a request for a token.
type NewToken struct {
	Name       string               `json:"name" doc:"Its name, and the principal of its bearer's calls" maxLength:"64" example:"ci"`
	Role       token.Role           `json:"role,omitempty" enum:"agent,auditor" doc:"agent when empty"`
	Servers    []string             `json:"servers,omitempty" doc:"Servers of which it may use all tools"`
	Tools      []string             `json:"tools,omitempty" doc:"Tools that it may use, as server:tool"`
	Operations []mcpproxy.Operation `json:"operations,omitempty" doc:"read, write, destructive; all when empty"`
	Expires    string               `json:"expires,omitempty" doc:"30d, 12h, 2027-01-31, an RFC 3339 time, or never; 90d when empty" example:"30d"`
}

// Spec returns the specification from which a store makes the token.
func (n NewToken) Spec(now time.Time) (token.Spec, error) {
	expires, err := token.ParseExpiry(n.Expires, now)
	return token.Spec{
		Name:    n.Name,
		Role:    n.Role,
		Scope:   token.Scope{Servers: n.Servers, Tools: n.Tools, Operations: n.Operations},
		Expires: expires,
	}, err
}

// MadeToken is a new token with its plain form.
type MadeToken struct {
	Plain string `json:"token" doc:"The token itself; only this answer contains it"`
	Token
}

func (s *server) tokens(context.Context, *struct{}) (*answer[[]Token], error) {
	out := []Token{}
	for _, t := range s.Tokens.List() {
		out = append(out, TokenOf(t))
	}
	return success(out)
}

type tokenWanted struct{ Body NewToken }

func (s *server) createToken(ctx context.Context, in *tokenWanted) (*answer[MadeToken], error) {
	spec, err := in.Body.Spec(time.Now())
	if err == nil {
		err = s.reachable(spec.Scope)
	}
	if err != nil {
		return nil, newError(400, err.Error())
	}
	plain, t, err := s.Tokens.Create(spec)
	switch {
	case errors.Is(err, token.ErrExists):
		return nil, newError(409, err.Error())
	case errors.Is(err, token.ErrSpec):
		return nil, newError(400, err.Error())
	case err != nil:
		return nil, newError(500, err.Error())
	}
	s.tokenChanged(ctx, "created", t.Name)
	return success(MadeToken{plain, TokenOf(t)})
}

// reachable refuses a scope that names unknown servers: a token with a misspelt name would silently
// allow nothing.
func (s *server) reachable(scope token.Scope) error {
	var names []string
	for _, st := range s.statuses() {
		names = append(names, st.Name)
	}
	return CheckReach(scope, names)
}

// CheckReach returns an error that names the first server of the scope that is not configured; nil if all are.
func CheckReach(scope token.Scope, servers []string) error {
	for _, name := range scope.Reaches() {
		if slices.Contains(servers, name) {
			continue
		}
		message := fmt.Sprintf("there is no server %q", name)
		if near := suggest.Nearest(name, servers); near != "" {
			message += fmt.Sprintf("; did you mean %q?", near)
		}
		return errors.New(message)
	}
	return nil
}

type byName struct {
	Name string `path:"name" doc:"Name of a token" example:"ci"`
}

// Revoked names a token that was revoked.
type Revoked struct {
	Name string `json:"revoked"`
}

func (s *server) revokeToken(ctx context.Context, in *byName) (*answer[Revoked], error) {
	switch err := s.Tokens.Revoke(in.Name); {
	case errors.Is(err, token.ErrUnknown):
		return nil, newError(404, "there is no token "+strconv.Quote(in.Name))
	case err != nil:
		return nil, newError(
			500,
			"the token is revoked only until the next restart: it could not be removed from the file",
			err,
		)
	}
	s.tokenChanged(ctx, "revoked", in.Name)
	return success(Revoked{in.Name})
}

func (s *server) tokenChanged(ctx context.Context, what, name string) {
	if s.TokenChanged != nil {
		s.TokenChanged(what, name, who(ctx))
	}
}
