package oidctest

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"

	"github.com/go-jose/go-jose/v4"
)

// Id and secret of the client that is registered with [Provider].
const (
	ClientID     = "page"
	ClientSecret = "the secret of the page"
)

// logins holds the provider's settings and counts for logins.
type logins struct {
	person   map[string]any // claims of the ID token in addition to those of the protocol
	userinfo map[string]any // nil if the provider has no userinfo endpoint
	about    map[string]any // members to add to the discovery document; nil removes a member
	answer   url.Values     // parameters to add to the response of the login
	codes    map[string]url.Values
	kind     jose.ContentType // type of ID tokens; JWT if empty
	tokens   int              // token requests
	renews   bool             // the provider gives refresh tokens
	refresh  string           // the only valid refresh token
	silent   bool             // the answer to a refresh token has no ID token
	revoked  bool             // the userinfo endpoint refuses the access token
}

// Renews makes the provider give refresh tokens, each of which can be used once. If idToken is set, the answer to a
// refresh token has an ID token.
func (p *Provider) Renews(idToken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logins.renews, p.logins.silent = true, !idToken
}

// Revoke makes the provider refuse all refresh tokens and access tokens that it has given.
func (p *Provider) Revoke() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logins.refresh, p.logins.revoked = "", true
}

// LogoutToken returns a logout token for the client of the page, with the id "logout" and the person ann. Extra claims
// are added or replace the defaults; a nil claim removes one.
func (p *Provider) LogoutToken(kind jose.ContentType, claims map[string]any) string {
	p.t.Helper()
	p.mu.Lock()
	signer := p.signer
	p.mu.Unlock()
	all := map[string]any{
		"aud":    ClientID,
		"groups": nil,
		"jti":    "logout",
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
	}
	maps.Copy(all, claims)
	return Signed(p.t, signer, kind, p.Claims(all))
}

// Person sets the claims of every login. A nil claim removes that claim of [Provider.Claims].
func (p *Provider) Person(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logins.person = claims
}

// UserInfo sets the claims that the userinfo endpoint returns.
func (p *Provider) UserInfo(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logins.userinfo = claims
}

// IDType sets the header typ of ID tokens.
func (p *Provider) IDType(kind jose.ContentType) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logins.kind = kind
}

// About adds members to the discovery document. A nil value removes a member.
func (p *Provider) About(members map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logins.about = members
}

// Answer adds parameters to the redirect after a login.
func (p *Provider) Answer(more url.Values) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logins.answer = more
}

// Exchanges returns the number of token requests.
func (p *Provider) Exchanges() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.logins.tokens
}

// describeLogins adds the login endpoints to the discovery document. The caller holds the lock.
func (p *Provider) describeLogins(about map[string]any) {
	about["authorization_endpoint"] = p.Issuer + "/authorize"
	about["token_endpoint"] = p.Issuer + "/token"
	about["end_session_endpoint"] = p.Issuer + "/end"
	if p.logins.userinfo != nil {
		about["userinfo_endpoint"] = p.Issuer + "/userinfo"
	}
	maps.Copy(about, p.logins.about)
	maps.DeleteFunc(about, func(_ string, v any) bool { return v == nil })
}

func (p *Provider) serveLogins(routes *http.ServeMux) {
	routes.HandleFunc("GET /authorize", p.authorize)
	routes.HandleFunc("POST /token", p.token)
	routes.HandleFunc("GET /userinfo", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer access" || p.logins.revoked {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		p.write(w, p.logins.userinfo)
	})
}

// authorize accepts every login and redirects the browser back with a code.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("response_type") != "code" || q.Get("client_id") != ClientID || q.Get("code_challenge_method") != "S256" {
		http.Error(w, "not a login by code with PKCE", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.logins.codes == nil {
		p.logins.codes = map[string]url.Values{}
	}
	code := rand.Text()
	p.logins.codes[code] = q
	back := url.Values{"state": {q.Get("state")}, "code": {code}, "iss": {p.Issuer}}
	maps.Copy(back, p.logins.answer)
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// token exchanges an unused code, or a refresh token, for an ID token. It checks the client's secret and the
// PKCE verifier.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	unescaped, _ := url.QueryUnescape(secret)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logins.tokens++
	claims := map[string]any{"aud": ClientID}
	renewed := r.PostFormValue("grant_type") == "refresh_token"
	ok := id == ClientID && unescaped == ClientSecret
	if renewed {
		ok = ok && p.logins.refresh != "" && r.PostFormValue("refresh_token") == p.logins.refresh
	} else {
		login := p.logins.codes[r.PostFormValue("code")]
		delete(p.logins.codes, r.PostFormValue("code"))
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		ok = ok && login != nil &&
			base64.RawURLEncoding.EncodeToString(sum[:]) == login.Get("code_challenge") &&
			r.PostFormValue("redirect_uri") == login.Get("redirect_uri")
		claims["nonce"] = login.Get("nonce")
	}
	if !ok {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant","error_description":"<script>"}`))
		return
	}
	maps.Copy(claims, p.logins.person)
	answer := map[string]any{"access_token": "access", "token_type": "Bearer"}
	if !renewed || !p.logins.silent {
		answer["id_token"] = Signed(p.t, p.signer, cmp.Or(p.logins.kind, "JWT"), p.Claims(claims))
	}
	if p.logins.renews {
		p.logins.refresh = rand.Text()
		answer["refresh_token"] = p.logins.refresh
	}
	p.write(w, answer)
}
