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

// The client that [Provider] knows.
const (
	ClientID     = "page"
	ClientSecret = "the secret of the page"
)

// logins are the logins of people.
type logins struct {
	person   map[string]any // claims of the ID token beside those of the protocol
	userinfo map[string]any // nil: there is no such endpoint
	about    map[string]any // members of the discovery document to add; nil takes one away
	answer   url.Values     // parameters to add to the answer of the login
	codes    map[string]url.Values
	kind     jose.ContentType // of ID tokens; JWT if empty
	tokens   int              // requests for tokens
}

// Person makes the provider log everybody in with these claims; nil takes one of those of
// [Provider.Claims] away.
func (p *Provider) Person(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logins.person = claims
}

// UserInfo makes the provider say these claims at its userinfo endpoint.
func (p *Provider) UserInfo(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logins.userinfo = claims
}

// IDType makes the provider sign ID tokens with a header typ.
func (p *Provider) IDType(kind jose.ContentType) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logins.kind = kind
}

// About adds members to the discovery document; nil takes one away.
func (p *Provider) About(members map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logins.about = members
}

// Answer adds parameters to the address that the provider sends people back to.
func (p *Provider) Answer(more url.Values) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logins.answer = more
}

// Exchanges returns how often a token was asked for.
func (p *Provider) Exchanges() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.logins.tokens
}

// describeLogins adds to the discovery document. The caller holds the lock.
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
		if r.Header.Get("Authorization") != "Bearer access" {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.write(w, p.logins.userinfo)
	})
}

// authorize logs whoever comes in, and sends the browser back with a code.
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

// token gives an ID token for a code that was not used, to the client that shows its secret and the verifier.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	p.mu.Lock()
	p.logins.tokens++
	login := p.logins.codes[r.PostFormValue("code")]
	delete(p.logins.codes, r.PostFormValue("code"))
	signer, person := p.signer, p.logins.person
	kind := cmp.Or(p.logins.kind, "JWT")
	p.mu.Unlock()
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	unescaped, _ := url.QueryUnescape(secret)
	if login == nil || id != ClientID || unescaped != ClientSecret ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != login.Get("code_challenge") ||
		r.PostFormValue("redirect_uri") != login.Get("redirect_uri") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant","error_description":"<script>"}`))
		return
	}
	claims := map[string]any{"aud": ClientID, "nonce": login.Get("nonce")}
	maps.Copy(claims, person)
	p.write(w, map[string]any{
		"access_token": "access",
		"token_type":   "Bearer",
		"id_token":     Signed(p.t, signer, kind, p.Claims(claims)),
	})
}
