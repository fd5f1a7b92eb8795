package oauthtest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// authority is the authorization server.
type authority struct {
	issuer, mcp string

	mu      sync.Mutex
	be      Behaviour
	log     Log
	clients map[string]client
	codes   map[string]login // by code; each is valid for one attempt
	access  map[string]*login
	refresh map[string]*login
	used    map[string]*login // refresh tokens that were used
}

type client struct {
	secret   string
	redirect []string
}

// login is one login of a person, with its tokens.
type login struct {
	client, redirect, challenge, resource string
	scopes                                []string
	expires                               time.Time
	over                                  bool
}

func newAuthority(issuer, mcp string) *authority {
	return &authority{
		issuer: issuer,
		mcp:    mcp,
		clients: map[string]client{
			"public":       {redirect: nil},
			"confidential": {secret: configuredSecret},
		},
		codes:   map[string]login{},
		access:  map[string]*login{},
		refresh: map[string]*login{},
		used:    map[string]*login{},
	}
}

// configuredSecret is the secret of the client "confidential". This client and the client "public"
// may use every redirect address on this machine.
const configuredSecret = "s3cret-of-the-configuration"

func (a *authority) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", a.metadata)
	mux.HandleFunc("POST /register", a.register)
	mux.HandleFunc("GET /authorize", a.authorize)
	mux.HandleFunc("POST /token", a.token)
	mux.HandleFunc("POST /revoke", a.revoke)
	mux.HandleFunc("POST /test/set", func(w http.ResponseWriter, r *http.Request) {
		var b Behaviour
		if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		a.be = b
	})
	mux.HandleFunc(
		"POST /test/log",
		func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(a.log) },
	)
	mux.HandleFunc("POST /test/end", func(http.ResponseWriter, *http.Request) { clear(a.access); clear(a.refresh) })
	mux.HandleFunc("POST /test/end-access", func(http.ResponseWriter, *http.Request) { clear(a.access) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			a.delay(r)
		}
		a.mu.Lock() // one request at a time, so that tests see a consistent log
		defer a.mu.Unlock()
		mux.ServeHTTP(w, r)
	})
}

// delay delays a renewal for the time in the behaviour.
func (a *authority) delay(r *http.Request) {
	renewal := r.PostFormValue("grant_type") == "refresh_token"
	for first := true; ; first = false {
		a.mu.Lock()
		if first && renewal {
			a.log.Asked++
		}
		hold, slow := a.be.Hold, time.Duration(a.be.Slow)*time.Millisecond
		a.mu.Unlock()
		if !renewal || !hold {
			time.Sleep(slow)
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// fail answers with a standard error. With Echo, the error also repeats the request.
func (a *authority) fail(w http.ResponseWriter, r *http.Request, code string) {
	body := map[string]string{"error": code}
	if a.be.Echo {
		_ = r.ParseForm()
		body["error_description"] = "got " + r.Form.Encode() + " " + strings.Join(
			r.Form["refresh_token"],
			"",
		) + "\x1b[2J"
	}
	answer(w, http.StatusBadRequest, body)
}

// hide makes a secret that tests search for in places where it must not appear.
func (a *authority) hide(prefix string) string {
	s := prefix + rand.Text()
	a.log.Secrets = append(a.log.Secrets, s)
	return s
}

func (a *authority) metadata(w http.ResponseWriter, _ *http.Request) {
	methods := a.be.Methods
	if methods == nil {
		methods = []string{"S256"}
	}
	m := map[string]any{
		"issuer":                           a.issuer,
		"authorization_endpoint":           a.issuer + "/authorize",
		"token_endpoint":                   a.issuer + "/token",
		"response_types_supported":         []string{"code"},
		"code_challenge_methods_supported": methods,
		"scopes_supported":                 []string{"wiki:read", "wiki:write", "offline_access"},
		"authorization_response_iss_parameter_supported": !a.be.NoIss,
		"token_endpoint_auth_methods_supported":          []string{"none", "client_secret_basic"},
	}
	if a.be.Secret {
		m["token_endpoint_auth_methods_supported"] = []string{"client_secret_basic"}
	}
	if !a.be.NoRegister {
		m["registration_endpoint"] = a.issuer + "/register"
	}
	if !a.be.NoRevoke {
		m["revocation_endpoint"] = a.issuer + "/revoke"
	}
	answer(w, http.StatusOK, m)
}

func (a *authority) register(w http.ResponseWriter, r *http.Request) {
	var want struct {
		Redirect []string `json:"redirect_uris"`
		Method   string   `json:"token_endpoint_auth_method"`
		Kind     string   `json:"application_type"`
	}
	if err := json.NewDecoder(r.Body).Decode(&want); err != nil || len(want.Redirect) == 0 || want.Kind != "native" {
		answer(w, http.StatusBadRequest, map[string]string{"error": "invalid_client_metadata"})
		return
	}
	a.log.Registered++
	id, c := "client-"+rand.Text(), client{redirect: want.Redirect}
	out := map[string]any{"client_id": id, "redirect_uris": want.Redirect, "token_endpoint_auth_method": want.Method}
	if a.be.Secret {
		c.secret = a.hide("secret-")
		out["client_secret"], out["token_endpoint_auth_method"] = c.secret, "client_secret_basic"
	}
	a.clients[id] = c
	answer(w, http.StatusCreated, out)
}

// authorize logs in every visitor if the client's request is valid.
func (a *authority) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	c, known := a.clients[q.Get("client_id")]
	if err != nil || !known || back.Hostname() != "127.0.0.1" ||
		c.redirect != nil && !slices.Contains(c.redirect, q.Get("redirect_uri")) {
		http.Error(w, "an unknown client, or an address that is not its own", http.StatusBadRequest)
		return
	}
	a.log.Authorized++
	out := url.Values{"state": {q.Get("state")}, "iss": {a.issuer}}
	switch {
	case a.be.Refuse != "":
		out.Set("error", a.be.Refuse)
	case q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "":
		out.Set("error", "invalid_request")
	case q.Get("resource") != a.mcp:
		out.Set("error", "invalid_target")
	default:
		code := a.hide("code-")
		a.codes[code] = login{
			client:    q.Get("client_id"),
			redirect:  q.Get("redirect_uri"),
			challenge: q.Get("code_challenge"),
			resource:  q.Get("resource"),
			scopes:    strings.Fields(q.Get("scope")),
		}
		out.Set("code", code)
	}
	if a.be.State != "" {
		out.Set("state", a.be.State)
	}
	if a.be.Iss != "" {
		out.Set("iss", a.be.Iss)
	}
	if a.be.NoIss || a.be.LoseIss {
		out.Del("iss")
	}
	back.RawQuery = out.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// client authenticates the client of a request.
func (a *authority) client(r *http.Request) (id string, ok bool) {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	c, known := a.clients[id]
	return id, known && c.secret == secret
}

func (a *authority) token(w http.ResponseWriter, r *http.Request) {
	if a.be.Redirect != "" {
		http.Redirect(w, r, a.be.Redirect, http.StatusTemporaryRedirect)
		return
	}
	id, ok := a.client(r)
	if !ok {
		a.fail(w, r, "invalid_client")
		return
	}
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		l, ok := a.codes[r.PostFormValue("code")]
		delete(a.codes, r.PostFormValue("code"))
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if !ok || l.client != id || l.redirect != r.PostFormValue("redirect_uri") ||
			l.resource != r.PostFormValue("resource") ||
			l.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) {
			a.fail(w, r, "invalid_grant")
			return
		}
		a.log.Traded++
		a.give(w, &l)
	case "refresh_token":
		a.renew(w, r, id)
	default:
		a.fail(w, r, "unsupported_grant_type")
	}
}

// renew rotates a refresh token. A token that is used twice ends the login.
func (a *authority) renew(w http.ResponseWriter, r *http.Request, id string) {
	if a.be.RefreshError != "" {
		answer(w, a.be.RefreshStatus, map[string]string{"error": a.be.RefreshError})
		return
	}
	if a.be.RefreshStatus != 0 {
		http.Error(w, r.PostForm.Encode(), a.be.RefreshStatus)
		return
	}
	token := r.PostFormValue("refresh_token")
	if l := a.used[token]; l != nil {
		a.log.Reused++
		l.over = true
	}
	l := a.refresh[token]
	if l == nil || l.over || l.client != id || l.resource != r.PostFormValue("resource") {
		a.fail(w, r, "invalid_grant")
		return
	}
	a.log.Renewed++
	if !a.be.KeepRefresh {
		delete(a.refresh, token)
		a.used[token] = l
	}
	a.give(w, l)
}

// give issues tokens for a login.
func (a *authority) give(w http.ResponseWriter, l *login) {
	life := a.be.Lifetime
	if life == 0 {
		life = 3600
	}
	l.expires = time.Now().Add(time.Duration(life) * time.Second)
	kind := a.be.Type
	if kind == "" {
		kind = "Bearer"
	}
	out := map[string]any{
		"access_token": a.hide("access-"),
		"token_type":   kind,
		"expires_in":   life,
		"scope":        strings.Join(l.scopes, " "),
	}
	copied := *l
	a.access[out["access_token"].(string)] = &copied
	if !a.be.NoRefresh && !a.be.KeepRefresh || a.be.KeepRefresh && len(a.refresh) == 0 {
		out["refresh_token"] = a.hide("refresh-")
		a.refresh[out["refresh_token"].(string)] = l
	}
	answer(w, http.StatusOK, out)
}

func (a *authority) revoke(w http.ResponseWriter, r *http.Request) {
	if _, ok := a.client(r); !ok {
		a.fail(w, r, "invalid_client")
		return
	}
	a.log.Revoked++
	token := r.PostFormValue("token")
	if l := a.refresh[token]; l != nil {
		l.over = true
	}
	delete(a.refresh, token)
	delete(a.access, token)
	w.WriteHeader(http.StatusOK)
}
