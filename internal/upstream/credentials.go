package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"mcpproxy"
)

// Credentials provide the bearer token for requests to one server. The token changes over time. The
// methods are called concurrently.
type Credentials interface {
	// Bearer returns the token for the next request. If the owner has to log in first, the error
	// wraps a [*LoginError].
	Bearer(ctx context.Context) (string, error)
	// Refused is called after an answer with status 401 or 403. It returns a token for one more
	// attempt, "" if the answer is final, or an error that says what to do.
	Refused(ctx context.Context, r Refusal) (string, error)
}

// Refusal describes an answer with status 401 or 403.
type Refusal struct {
	Token  string // token of the request
	Status int    // 401 or 403
	Header http.Header
	Again  bool // second refusal of the same request
}

// LoginError says that the owner has to log in to a server.
type LoginError struct {
	Command string // command for the login
	Reason  string
	Scopes  []string // scopes that one call lacks; other calls still work
}

func (e *LoginError) Error() string { return "run `" + e.Command + "`: " + e.Reason }

// needsLogin returns the LoginError in err's chain, or nil.
func needsLogin(err error) *LoginError {
	e, _ := errors.AsType[*LoginError](err)
	return e
}

// tokenError is the cause of the error of a request that was not sent because there is no token for
// it. It is not a fault of the server: most often a person has to log in, or the authorization server
// is down.
type tokenError struct{ error }

func (e tokenError) Unwrap() error { return e.error }

// withoutToken marks an error of the credentials with a [tokenError]. The message for agents stays the same.
func withoutToken(err error) error {
	e, ok := errors.AsType[*mcpproxy.Error](err)
	if !ok {
		return tokenError{err}
	}
	cause := e.Cause
	if cause == nil {
		cause = errors.New("there is no token")
	}
	marked := *e
	marked.Cause = tokenError{cause}
	return &marked
}

// lacksToken reports whether a request failed with err because there is no token for it.
func lacksToken(err error) bool {
	_, ok := errors.AsType[tokenError](err)
	return ok
}

// unreachable returns the reason why no link could be opened, in a form that an agent may read.
func (s *Server) unreachable(err error) error {
	if e, ok := errors.AsType[*mcpproxy.Error](err); ok && lacksToken(err) {
		return e
	}
	return mcpproxy.Errorf(mcpproxy.CodeUpstream, err, "server %q is unreachable", s.spec.Name)
}

// bearing adds the server's token to requests to the server only.
type bearing struct {
	checked
	server      *url.URL
	credentials Credentials
}

// refusesToken reports whether an answer says that the token is missing, invalid or insufficient.
func refusesToken(resp *http.Response) bool {
	return resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden
}

// RoundTrip sends a request, and repeats it once if another token may help: a server that refuses a
// token has not executed the request.
func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != b.server.Scheme || r.URL.Host != b.server.Host {
		return b.checked.RoundTrip(r)
	}
	token, err := b.credentials.Bearer(r.Context())
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, withoutToken(err)
	}
	resp, err := b.send(r, r.Body, token)
	for again := false; err == nil && refusesToken(resp); again = true {
		next, refused := b.credentials.Refused(r.Context(), Refusal{
			Token:  token,
			Status: resp.StatusCode,
			Header: resp.Header,
			Again:  again,
		})
		if refused != nil {
			resp.Body.Close()
			return nil, withoutToken(refused)
		}
		if next == "" || again || r.Body != nil && r.GetBody == nil {
			return resp, nil
		}
		_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
		resp.Body.Close()
		body := r.Body
		if r.GetBody != nil {
			if body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
		token = next
		resp, err = b.send(r, body, token)
	}
	return resp, err
}

func (b bearing) send(r *http.Request, body io.ReadCloser, token string) (*http.Response, error) {
	signed := r.Clone(r.Context())
	signed.Body = body
	signed.Header.Set("Authorization", "Bearer "+token)
	return b.checked.RoundTrip(signed)
}
