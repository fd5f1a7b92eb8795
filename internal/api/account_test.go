package api_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/eventually"
)

// open reports whether the page accepts a session.
func (b *browser) open(session map[string]string) bool {
	b.r.t.Helper()
	return b.api("GET", "/api/v1/status", session).status == http.StatusOK
}

func TestTheSessionOfAPersonWhoseRightsHaveChangedEnds(t *testing.T) {
	for name, change := range map[string]func(*company){
		"left the group":        func(c *company) { c.Person(map[string]any{"sub": "ann", "groups": []string{"staff"}}) },
		"is an auditor now":     func(c *company) { c.Person(map[string]any{"sub": "ann", "groups": []string{"audit"}}) },
		"has lost the account":  func(c *company) { c.Revoke() },
		"is another person now": func(c *company) { c.Person(map[string]any{"sub": "eve", "groups": []string{"admins"}}) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCompany(t, newRig(t))
			c.Renews(true)
			c.recheck = 20 * time.Millisecond
			c.configure()
			b := c.r.browser()
			session, _ := c.login(b, "ann", "admins")
			before := c.Exchanges()
			eventually.True(t, "the provider is asked again, twice", func() bool { return c.Exchanges() >= before+2 })
			if !b.open(session) {
				t.Fatal("a session ends though nothing has changed")
			}
			change(c)
			eventually.True(t, "the session ends", func() bool { return !b.open(session) })
		})
	}
}

func TestWhileTheProviderIsDownPeopleStayLoggedIn(t *testing.T) {
	c := newCompany(t, newRig(t))
	c.Renews(true)
	c.recheck = 10 * time.Millisecond
	c.configure()
	b := c.r.browser()
	session, _ := c.login(b, "ann", "admins")
	c.Down(true)
	time.Sleep(100 * time.Millisecond)
	if !b.open(session) {
		t.Error("an outage ends a session at once")
	}
	c.Down(false)
	c.Revoke()
	eventually.TrueWithin(t, 10*time.Second, "the session ends after the outage", func() bool { return !b.open(session) })
}

// logOut sends a logout token, as the provider does, and returns the status and body of the answer.
func (c *company) logOut(form string) (status int, body string) {
	c.r.t.Helper()
	resp, err := http.Post(c.r.url+"/ui/logout", "application/x-www-form-urlencoded", strings.NewReader(form))
	if err != nil {
		c.r.t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Cache-Control"); got != "no-store" {
		c.r.t.Errorf("the answer to a logout has Cache-Control %q", got)
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		c.r.t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func TestALogoutAtTheProviderEndsThePersonsSessions(t *testing.T) {
	c := newCompany(t, newRig(t))
	ann, phone := c.r.browser(), c.r.browser()
	eve := c.r.browser()
	ofAnn, _ := c.login(ann, "ann", "admins")
	ofPhone, _ := c.login(phone, "ann", "admins")
	ofEve, _ := c.login(eve, "eve", "audit")
	c.Person(map[string]any{"sub": "ann", "groups": []string{"admins"}})
	late := c.r.browser()
	unused := late.visit("GET", late.back(), nil).to // a login code that no page has exchanged yet
	for name, form := range map[string]string{
		"no token":          "",
		"an unreadable one": "logout_token=x",
		"two":               "logout_token=x&logout_token=y",
		"one that is long":  "logout_token=" + strings.Repeat("x", 100_000),
		"one without jti":   url.Values{"logout_token": {c.LogoutToken("logout+jwt", map[string]any{"jti": nil})}}.Encode(),
		"another client's":  url.Values{"logout_token": {c.LogoutToken("logout+jwt", map[string]any{"aud": "wiki"})}}.Encode(),
	} {
		if status, body := c.logOut(form); status != http.StatusBadRequest || !strings.Contains(body, `"error":"invalid_request"`) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if !ann.open(ofAnn) {
		t.Fatal("a wrong logout token ends a session")
	}
	form := url.Values{"logout_token": {c.LogoutToken("logout+jwt", nil)}}.Encode()
	if status, body := c.logOut(form); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	if ann.open(ofAnn) || phone.open(ofPhone) {
		t.Error("a session of the person goes on")
	}
	if _, _, v := late.exchange(unused); v.status != http.StatusUnauthorized {
		t.Errorf("a code of the person is used after the logout: %d", v.status)
	}
	if !eve.open(ofEve) {
		t.Error("the session of somebody else ends")
	}
	ofAnn, _ = c.login(ann, "ann", "admins")
	if status, body := c.logOut(form); status != http.StatusBadRequest || !strings.Contains(body, "used before") || !ann.open(ofAnn) {
		t.Errorf("a logout token counts twice: %d %s", status, body)
	}
}

func TestALogoutAtTheProviderEndsTheSessionThatItNames(t *testing.T) {
	c := newCompany(t, newRig(t))
	laptop, phone := c.r.browser(), c.r.browser()
	signIn := func(b *browser, sid string) map[string]string {
		c.Person(map[string]any{"sub": "ann", "sid": sid, "groups": []string{"admins"}})
		session, _, _ := b.exchange(b.visit("GET", b.back(), nil).to)
		return session
	}
	ofLaptop, ofPhone := signIn(laptop, "s1"), signIn(phone, "s2")
	token := c.LogoutToken("logout+jwt", map[string]any{"sid": "s2"})
	if status, body := c.logOut(url.Values{"logout_token": {token}}.Encode()); status != http.StatusOK {
		t.Fatal(status, body)
	}
	if phone.open(ofPhone) || !laptop.open(ofLaptop) {
		t.Errorf("the phone is logged in: %t, the laptop: %t", phone.open(ofPhone), laptop.open(ofLaptop))
	}
}

func TestWithoutAProviderNobodyIsLoggedOut(t *testing.T) {
	c := &company{r: newRig(t)}
	if status, body := c.logOut("logout_token=x"); status != http.StatusBadRequest {
		t.Error(status, body)
	}
}
