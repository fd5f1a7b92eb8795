package api

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"mcpproxy/internal/auth"
	"mcpproxy/internal/token"
)

// Headers of the page.
const (
	// codeHeader carries a login code instead of a key.
	codeHeader = "X-Mcpproxy-Login"
	// pageHeader carries the secret that the page keeps for its session. It is required in addition
	// to the cookie, because browsers send cookies to every port of a host.
	pageHeader = "X-Mcpproxy-Page"
)

// exchangePath is where a login code is exchanged for a session.
const exchangePath = "/api/v1/login/exchange"

// LoginCode is a code that opens the page once.
type LoginCode struct {
	Code    string    `json:"code" doc:"Code for the fragment of the page's address: /ui/#login=CODE"`
	Expires time.Time `json:"expires"`
	Page    string    `json:"url" doc:"The page's address with the code"`
}

// PageSession is what a page needs, besides its cookie, to act for the owner.
type PageSession struct {
	Half string `json:"page_secret" doc:"To be sent as X-Mcpproxy-Page with every request; the cookie alone opens nothing"`
	Idle int    `json:"idle_seconds" doc:"After this long without a request the session ends"`
	Role string `json:"role" enum:"owner,auditor" doc:"An owner decides everything, an auditor nothing"`
	Name string `json:"name,omitempty" doc:"The person's name in records; absent for the owner"`
}

// LoggedOut is the answer to a logout.
type LoggedOut struct {
	Ended    bool   `json:"ended" doc:"Whether there was a session"`
	Provider string `json:"provider_logout,omitempty" doc:"Where the person can log out at the identity provider, too"`
}

// registerLogin adds the operations for logging in to the page and out.
func (s *server) registerLogin(api huma.API) {
	post(api, "login", "/api/v1/login", "Makes a code that opens the page once, within two minutes", s.login)
	huma.Register(api, huma.Operation{
		OperationID: "exchange-login",
		Method:      http.MethodPost,
		Path:        exchangePath,
		Summary:     "Makes a session of the page from a login code (X-Mcpproxy-Login) or from the key",
		Errors:      []int{http.StatusBadRequest},
	}, s.exchange)
	huma.Register(api, huma.Operation{
		OperationID: "login-ways",
		Method:      http.MethodGet,
		Path:        waysPath,
		Summary:     "How people can log in to the page beside a link and the key",
		Security:    public,
	}, s.signInWays)
	post(api, "logout", "/api/v1/logout", "Ends the page's session", s.logout)
}

func (s *server) login(context.Context, *struct{}) (*answer[LoginCode], error) {
	code, expires := s.pages.code()
	return success(LoginCode{code, expires, s.scheme() + "://" + reachable(s.Listen) + "/ui/#login=" + code})
}

// scheme returns the scheme of the page's address.
func (s *server) scheme() string { return cmp.Or(s.Scheme, "http") }

// reachable returns the address at which a browser on this machine reaches a listener.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return listen
}

// loginRequest holds the properties of a request that its cookie depends on.
type loginRequest struct{ secure bool }

// Resolve implements huma.Resolver.
func (l *loginRequest) Resolve(ctx huma.Context) []error {
	l.secure = ctx.TLS() != nil
	return nil
}

// sessionAnswer is an answer that sets the session's cookie.
type sessionAnswer struct {
	Cookie http.Cookie `header:"Set-Cookie"`
	Body   envelope[PageSession]
}

// grantKey is the context key of the [grant] of a request's login code.
type grantKey struct{}

func (s *server) exchange(ctx context.Context, in *loginRequest) (*sessionAnswer, error) {
	who, ok := ctx.Value(grantKey{}).(grant)
	if !ok { // authenticated by the key or the socket
		if auth.From(ctx).Principal != auth.Owner {
			return nil, newError(http.StatusForbidden, "a session cannot create another session: log in again")
		}
		who.id = auth.Identity{Principal: auth.Owner}
	}
	made := PageSession{Idle: int(pageIdle / time.Second), Role: "owner"}
	if who.id.Role == token.Auditor {
		made.Role = string(token.Auditor)
	}
	if who.id.IsPerson() {
		made.Name = who.id.Principal
		if login := s.Auth.PageLogin(); login != nil && login.Secure() {
			in.secure = true // also if a reverse proxy terminates TLS
		}
		if s.SignedIn != nil {
			s.SignedIn(made.Name, made.Role)
		}
	}
	var cookie string
	cookie, made.Half = s.pages.open(who)
	return &sessionAnswer{
		Cookie: http.Cookie{
			Name:     s.pages.cookie,
			Value:    cookie,
			Path:     "/",
			HttpOnly: true,
			SameSite: http.SameSiteStrictMode,
			Secure:   in.secure,
		},
		Body: envelope[PageSession]{true, made},
	}, nil
}

func (s *server) logout(ctx context.Context, _ *struct{}) (*answer[LoggedOut], error) {
	who, ok := s.pages.close(auth.From(ctx).Page)
	out := LoggedOut{Ended: ok}
	if login := s.Auth.PageLogin(); login != nil && who.account != nil {
		out.Provider = login.Client.EndSession(ctx, who.account.idToken())
	}
	return success(out)
}
