package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/api"
	"mcpproxy/internal/auth"
	"mcpproxy/internal/auth/oidc"
	"mcpproxy/internal/auth/oidc/oidctest"
)

// company is a provider whose users log in to the page of a rig.
type company struct {
	*oidctest.Provider
	r       *rig
	recheck time.Duration
}

func newCompany(t *testing.T, r *rig) *company {
	t.Helper()
	c := &company{Provider: oidctest.New(t), r: r}
	c.configure()
	return c
}

// configure makes the rig follow a configuration that names the provider.
func (c *company) configure() {
	c.r.auth.UseFederation(&auth.Federation{Page: &auth.PageLogin{
		Client: oidc.NewClient(
			oidc.Settings{Issuer: c.Issuer, PrincipalClaim: "sub", GroupsClaim: "groups"},
			oidc.ClientSettings{
				ID:       oidctest.ClientID,
				Secret:   oidctest.ClientSecret,
				Redirect: c.r.url + "/ui/login",
				Return:   c.r.url + "/ui/",
			},
		),
		Name:     "Acme",
		URL:      c.r.url,
		Owners:   []string{"admins"},
		Auditors: []string{"audit"},
		Recheck:  c.recheck,
	}})
}

// browser implements the part of a browser that a login needs: it keeps the cookies of one host.
type browser struct {
	r       *rig
	cookies map[string]string
}

func (r *rig) browser() *browser { return &browser{r, map[string]string{}} }

// visited is an answer to a browser, which has followed no redirect.
type visited struct {
	status   int
	body, to string
	header   http.Header
}

// visit sends a request with the cookies of the browser.
func (b *browser) visit(method, address string, header map[string]string) visited {
	b.r.t.Helper()
	req, err := http.NewRequestWithContext(b.r.t.Context(), method, address, nil)
	if err != nil {
		b.r.t.Fatal(err)
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	own := strings.HasPrefix(address, b.r.url+"/")
	for name, value := range b.cookies {
		if own {
			req.AddCookie(&http.Cookie{Name: name, Value: value})
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		b.r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.r.t.Fatal(err)
	}
	for _, c := range resp.Cookies() {
		if own {
			b.cookies[c.Name] = c.Value
		}
	}
	return visited{resp.StatusCode, string(body), resp.Header.Get("Location"), resp.Header}
}

// begin begins a login and returns the address at the provider.
func (b *browser) begin() string {
	b.r.t.Helper()
	v := b.visit("POST", b.r.url+"/ui/login", map[string]string{"Origin": b.r.url})
	var out struct{ Data struct{ URL string } }
	if err := json.Unmarshal([]byte(v.body), &out); err != nil || out.Data.URL == "" {
		b.r.t.Fatalf("the login does not begin: %d %s", v.status, v.body)
	}
	return out.Data.URL
}

// back logs in at the provider and returns the address that it sends the browser back to.
func (b *browser) back() string {
	b.r.t.Helper()
	v := b.visit("GET", b.begin(), nil)
	if !strings.HasPrefix(v.to, b.r.url+"/ui/login?") {
		b.r.t.Fatalf("the provider sends the browser to %q: %s", v.to, v.body)
	}
	return v.to
}

// exchange exchanges the login code in the address at the end of a login.
func (b *browser) exchange(to string) (session map[string]string, made api.PageSession, v visited) {
	b.r.t.Helper()
	code, ok := strings.CutPrefix(to, "/ui/#login=")
	if !ok {
		b.r.t.Fatalf("the login ends at %q", to)
	}
	v = b.visit("POST", b.r.url+"/api/v1/login/exchange", map[string]string{"X-Mcpproxy-Login": code, "Origin": b.r.url})
	var out struct{ Data api.PageSession }
	if v.status == http.StatusOK && json.Unmarshal([]byte(v.body), &out) != nil {
		b.r.t.Fatal(v.body)
	}
	return map[string]string{"X-Mcpproxy-Page": out.Data.Half, "Origin": b.r.url}, out.Data, v
}

// login logs in a person who belongs to groups, and returns the headers that the page then sends.
func (c *company) login(b *browser, name string, groups ...string) (map[string]string, api.PageSession) {
	c.r.t.Helper()
	c.Person(map[string]any{"sub": name, "groups": groups})
	end := b.visit("GET", b.back(), nil)
	session, made, v := b.exchange(end.to)
	if v.status != http.StatusOK {
		c.r.t.Fatalf("%s is not logged in: %d %s", name, v.status, v.body)
	}
	return session, made
}

func (b *browser) api(method, path string, session map[string]string) visited {
	return b.visit(method, b.r.url+path, session)
}

func TestAnOwnerByGroupDecidesUnderTheirOwnName(t *testing.T) {
	r := newRig(t, some()...)
	c := newCompany(t, r)
	b := r.browser()
	if v := b.visit("GET", r.url+"/api/v1/login/ways", nil); !strings.Contains(v.body, `"name":"Acme","page":"`+r.url+`/ui/"`) {
		t.Errorf("the ways are %s", v.body)
	}
	session, made := c.login(b, "ann", "staff", "admins")
	if made.Role != "owner" || made.Name != "oidc/ann" {
		t.Errorf("the session is %+v", made)
	}
	if v := b.api("GET", "/api/v1/tokens", session); v.status != http.StatusOK {
		t.Errorf("an owner's read is answered with %d %s", v.status, v.body)
	}
	a := r.request("post", "/api/v1/kill", []byte(`{"on":true}`), map[string]string{
		"X-API-Key":       "",
		"Cookie":          "mcpproxy_8080=" + b.cookies["mcpproxy_8080"],
		"X-Mcpproxy-Page": session["X-Mcpproxy-Page"],
		"Origin":          r.url,
	})
	if a.status != http.StatusOK || r.kill.state.By != "oidc/ann" {
		t.Errorf("the switch: %d, by %q", a.status, r.kill.state.By)
	}
	if a := r.ask("/api/v1/activity/export?format=jsonl", map[string]string{
		"X-API-Key":       "",
		"Cookie":          "mcpproxy_8080=" + b.cookies["mcpproxy_8080"],
		"X-Mcpproxy-Page": session["X-Mcpproxy-Page"],
	}); !strings.Contains(a.body, "[masked]") {
		t.Errorf("an owner reads no bodies: %d %s", a.status, a.body)
	}
	for _, path := range []string{"/api/v1/login", "/api/v1/code/run", "/api/v1/hooks/evaluate"} {
		if v := b.api("POST", path, session); v.status != http.StatusForbidden || !strings.Contains(v.body, "its record could not name you") {
			t.Errorf("%s, which names nobody, is answered with %d %s", path, v.status, v.body)
		}
	}
}

func TestAMemberOfTheAuditorGroupCanOnlyRead(t *testing.T) {
	opened := 0
	shared := documented(t)
	c := newCompany(t, shared)
	b := shared.browser()
	session, made := c.login(b, "eve", "audit")
	if made.Role != "auditor" || made.Name != "oidc/eve" {
		t.Fatalf("the session is %+v", made)
	}
	for path, methods := range shared.read().Paths {
		for method, o := range methods {
			if public, _ := o.public(); public || strings.Contains(path, "/login/exchange") || strings.HasSuffix(path, "/logout") ||
				path == "/events" {
				continue
			}
			v := b.visit(strings.ToUpper(method), shared.url+o.url(t, path), session)
			switch {
			case v.status == http.StatusForbidden:
			case v.status != http.StatusOK || method != "get":
				t.Errorf("%s %s: %d %.200s", method, path, v.status, v.body)
			default:
				if opened++; strings.Contains(v.body, "[masked]") {
					t.Errorf("%s shows bodies: %s", path, v.body)
				}
			}
		}
	}
	if opened < 8 {
		t.Errorf("an auditor reads %d things", opened)
	}
}

// The exchange without a code opens a session for the owner, so it requires the key.
func TestASessionOfAPersonCannotCreateAnother(t *testing.T) {
	r := newRig(t)
	c := newCompany(t, r)
	for _, groups := range []string{"admins", "audit"} {
		b := r.browser()
		session, _ := c.login(b, "eve", groups)
		before := b.cookies["mcpproxy_8080"]
		v := b.api("POST", "/api/v1/login/exchange", session)
		if v.status != http.StatusForbidden || b.cookies["mcpproxy_8080"] != before {
			t.Errorf("a person of %s makes a session: %d %s", groups, v.status, v.body)
		}
	}
}

func TestNoCallWaitsForAnAuditorsOpenPage(t *testing.T) {
	r := newRig(t)
	c := newCompany(t, r)
	for i, groups := range []string{"audit", "admins"} { // each page stays open
		b := r.browser()
		session, _ := c.login(b, "eve", groups)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Mcpproxy-Page", session["X-Mcpproxy-Page"])
		req.AddCookie(&http.Cookie{Name: "mcpproxy_8080", Value: b.cookies["mcpproxy_8080"]})
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := resp.Body.Read(make([]byte, 1)); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp.StatusCode, err)
		}
		if n := r.events.Pages(); n != i {
			t.Errorf("with the page of %s open, %d pages can answer, want %d", groups, n, i)
		}
	}
}

func TestAPersonWithoutAGroupLearnsWhatToAskFor(t *testing.T) {
	r := newRig(t)
	c := newCompany(t, r)
	b := r.browser()
	c.Person(map[string]any{"sub": "<b>bob</b>", "groups": []string{"<i>guests</i>"}})
	v := b.visit("GET", b.back(), nil)
	if v.status != http.StatusForbidden || v.to != "" || strings.Contains(v.body, "<b>") || strings.Contains(v.body, "<i>") {
		t.Fatalf("%d %s", v.status, v.body)
	}
	for _, want := range []string{"bob", "guests", "auth.oidc.page.owners", "auth.oidc.page.auditors", "Ask the administrator"} {
		if !strings.Contains(v.body, want) {
			t.Errorf("the page lacks %q: %s", want, v.body)
		}
	}
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'",
		"Referrer-Policy":         "no-referrer",
		"Cache-Control":           "no-store",
	} {
		if !strings.HasPrefix(v.header.Get(name), want) {
			t.Errorf("%s is %q", name, v.header.Get(name))
		}
	}
}

func TestALoginEndsInTheBrowserThatBeganIt(t *testing.T) {
	r := newRig(t)
	c := newCompany(t, r)
	c.Person(map[string]any{"sub": "eve", "groups": []string{"admins"}})
	attacker, victim := r.browser(), r.browser()
	answered := attacker.back()
	for name, browse := range map[string]*browser{"without a login": r.browser(), "with a login of its own": victim} {
		if name != "without a login" {
			browse.begin()
		}
		if v := browse.visit("GET", answered, nil); v.status != http.StatusBadRequest || v.to != "" ||
			!strings.Contains(v.body, "not started in this browser") {
			t.Errorf("another browser %s ends the login: %d %s", name, v.status, v.body)
		}
	}
	if c.Exchanges() != 0 {
		t.Error("the provider was asked about a login of another browser")
	}
	end := attacker.visit("GET", answered, nil)
	if end.status != http.StatusSeeOther {
		t.Fatalf("the login does not end in its browser any more: %d %s", end.status, end.body)
	}
	if v := attacker.visit("GET", answered, nil); v.status != http.StatusBadRequest {
		t.Errorf("a login ends twice: %d", v.status)
	}
	if _, _, v := victim.exchange(end.to); v.status != http.StatusUnauthorized {
		t.Errorf("another browser uses the code: %d %s", v.status, v.body)
	}
	victim.cookies["x_mcpproxy_8080_login"] = attacker.cookies["mcpproxy_8080_login"]
	if _, _, v := victim.exchange(end.to); v.status != http.StatusUnauthorized {
		t.Errorf("a browser with a cookie of another name uses the code: %d %s", v.status, v.body)
	}
	if _, _, v := attacker.exchange(end.to); v.status != http.StatusOK {
		t.Errorf("the browser of the login cannot use its code: %d %s", v.status, v.body)
	}
	if _, _, v := attacker.exchange(end.to); v.status != http.StatusUnauthorized {
		t.Errorf("a code is used twice: %d %s", v.status, v.body)
	}
}

func TestAnAnswerWithWrongParametersEndsNoLogin(t *testing.T) {
	r := newRig(t)
	c := newCompany(t, r)
	c.Person(map[string]any{"sub": "ann", "groups": []string{"admins"}})
	for name, q := range map[string]struct {
		change func(url.Values)
		status int
		want   string
	}{
		"another state":    {func(q url.Values) { q.Set("state", "x") }, 400, "not started in this browser"},
		"no state":         {func(q url.Values) { q.Del("state") }, 400, "not started in this browser"},
		"two states":       {func(q url.Values) { q.Add("state", q.Get("state")) }, 400, "cannot be read"},
		"another provider": {func(q url.Values) { q.Set("iss", "https://evil.example") }, 403, "from another identity provider"},
		"a refusal":        {func(q url.Values) { q.Set("error", "access_denied") }, 403, "(access_denied)"},
		"a forged code":    {func(q url.Values) { q.Set("code", "x") }, 403, "(invalid_grant)"},
	} {
		b := r.browser()
		u, err := url.Parse(b.back())
		if err != nil {
			t.Fatal(err)
		}
		query := u.Query()
		q.change(query)
		u.RawQuery = query.Encode()
		v := b.visit("GET", u.String(), nil)
		if v.status != q.status || !strings.Contains(v.body, q.want) || strings.Contains(v.body, "script") {
			t.Errorf("%s: %d %s", name, v.status, v.body)
		}
	}
	b := r.browser() // a name that an attacker can choose does not become part of the address
	if v := b.visit("GET", b.back()+"&next=https://evil.example&redirect_uri=https://evil.example", nil); !strings.HasPrefix(v.to, "/ui/#login=") {
		t.Errorf("the login ends at %q", v.to)
	}
}

func TestOnlyThePageBeginsALogin(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	if v := b.visit("POST", r.url+"/ui/login", map[string]string{"Origin": r.url}); v.status != http.StatusNotFound {
		t.Errorf("without a provider: %d", v.status)
	}
	if v := b.visit("GET", r.url+"/api/v1/login/ways", nil); v.status != 200 || strings.Contains(v.body, "provider") {
		t.Errorf("without a provider the ways are %s", v.body)
	}
	newCompany(t, r)
	for name, header := range map[string]map[string]string{
		"no origin":               {},
		"the origin of a sandbox": {"Origin": "null"},
		"another port":            {"Origin": "http://127.0.0.1:1"},
		"another site":            {"Origin": r.url, "Sec-Fetch-Site": "cross-site"},
		"another scheme":          {"Origin": strings.Replace(r.url, "http:", "https:", 1)},
	} {
		if v := b.visit("POST", r.url+"/ui/login", header); v.status != http.StatusForbidden || len(b.cookies) > 0 {
			t.Errorf("%s: %d %s", name, v.status, v.body)
		}
	}
	v := b.visit("POST", r.url+"/ui/login", map[string]string{"Origin": r.url, "Sec-Fetch-Site": "same-origin"})
	set := v.header.Get("Set-Cookie")
	for _, want := range []string{"mcpproxy_8080_login=", "HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(set, want) {
			t.Errorf("the cookie of a login is not %s: %s", want, set)
		}
	}
}

func TestALoginMakesNewCookies(t *testing.T) {
	r := newRig(t)
	c := newCompany(t, r)
	b := r.browser()
	b.cookies["mcpproxy_8080"], b.cookies["mcpproxy_8080_login"] = "planted", "planted"
	session, _ := c.login(b, "ann", "admins")
	if b.cookies["mcpproxy_8080"] == "planted" || b.cookies["mcpproxy_8080_login"] == "planted" {
		t.Errorf("a planted cookie stays: %v", b.cookies)
	}
	b.cookies["mcpproxy_8080"] = "planted"
	if v := b.api("GET", "/api/v1/status", session); v.status != http.StatusUnauthorized {
		t.Errorf("the planted cookie opens the page: %d", v.status)
	}
}

func TestAChangedConfigurationEndsTheSessionsOfPeople(t *testing.T) {
	r := newRig(t)
	c := newCompany(t, r)
	b, late := r.browser(), r.browser()
	session, _ := c.login(b, "ann", "admins")
	answered := late.back()
	c.configure()
	if v := b.api("GET", "/api/v1/status", session); v.status != http.StatusUnauthorized {
		t.Errorf("a session under the old configuration: %d", v.status)
	}
	if v := late.visit("GET", answered, nil); v.status != http.StatusBadRequest || v.to != "" {
		t.Errorf("a login that began under the old configuration: %d", v.status)
	}
}

func TestALogoutNamesWhereToLogOutAtTheProvider(t *testing.T) {
	r := newRig(t)
	c := newCompany(t, r)
	b := r.browser()
	session, _ := c.login(b, "ann", "admins")
	v := b.api("POST", "/api/v1/logout", session)
	var out struct{ Data api.LoggedOut }
	if err := json.Unmarshal([]byte(v.body), &out); err != nil || !out.Data.Ended {
		t.Fatalf("%d %s", v.status, v.body)
	}
	u, err := url.Parse(out.Data.Provider)
	if err != nil || !strings.HasPrefix(out.Data.Provider, c.Issuer+"/end?") || u.Query().Get("id_token_hint") == "" ||
		u.Query().Get("post_logout_redirect_uri") != r.url+"/ui/" {
		t.Errorf("the provider's logout is %q", out.Data.Provider)
	}
	if v := b.api("GET", "/api/v1/status", session); v.status != http.StatusUnauthorized {
		t.Errorf("after the logout: %d", v.status)
	}
	c.About(map[string]any{"end_session_endpoint": nil})
	c.configure()
	session, _ = c.login(b, "eve", "audit") // who may also log out
	if v := b.api("POST", "/api/v1/logout", session); v.status != http.StatusOK || strings.Contains(v.body, "provider_logout") {
		t.Errorf("of a provider without a logout: %d %s", v.status, v.body)
	}
}

func TestWhileTheProviderIsDownNobodyLogsIn(t *testing.T) {
	r := newRig(t)
	c := newCompany(t, r)
	b := r.browser()
	answered := b.back()
	c.Down(true)
	if v := b.visit("GET", answered, nil); v.status != http.StatusForbidden || !strings.Contains(v.body, "cannot be asked now") {
		t.Errorf("%d %s", v.status, v.body)
	}
}
