package api_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/api"
	"mcpproxy/internal/eventually"
)

// pageHeaders logs in with a code and returns the headers that the page then sends.
func (r *rig) pageHeaders() map[string]string {
	r.t.Helper()
	var code api.LoginCode
	r.request("post", "/api/v1/login", nil, map[string]string{"X-Test-Socket": "1", "X-API-Key": ""}).data(r.t, &code)
	a := r.request(
		"post",
		"/api/v1/login/exchange",
		nil,
		map[string]string{"X-Mcpproxy-Login": code.Code, "X-API-Key": ""},
	)
	var half api.PageSession
	a.data(r.t, &half)
	cookie, attributes, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	for _, want := range []string{"Path=/", "HttpOnly", "SameSite=Strict"} {
		if !strings.Contains(attributes, want) {
			r.t.Errorf("the cookie is not %s: %s", want, attributes)
		}
	}
	return map[string]string{"Cookie": cookie, "X-Mcpproxy-Page": half.Half, "X-API-Key": ""}
}

func TestALoginLinkOpensThePageOnce(t *testing.T) {
	r := newRig(t)
	var code api.LoginCode
	r.request("post", "/api/v1/login", nil, nil).data(t, &code)
	if !strings.HasSuffix(code.Page, "/ui/#login="+code.Code) || time.Until(code.Expires) > 2*time.Minute {
		t.Errorf("%+v", code)
	}
	for i, want := range []int{http.StatusOK, http.StatusUnauthorized} {
		a := r.request(
			"post",
			"/api/v1/login/exchange",
			nil,
			map[string]string{"X-Mcpproxy-Login": code.Code, "X-API-Key": ""},
		)
		if a.status != want {
			t.Errorf("use %d of the code: %d %s", i+1, a.status, a.body)
		}
	}
	r.request("post", "/api/v1/login", nil, nil).data(t, &code)
	if a := r.ask(
		"/api/v1/status",
		map[string]string{"X-Mcpproxy-Login": code.Code, "X-API-Key": ""},
	); a.status != http.StatusUnauthorized {
		t.Errorf("a code opens more than its exchange: %d", a.status)
	}
}

func TestThePageNeedsBothHalvesOfItsSessionAndItsOwnOrigin(t *testing.T) {
	r := newRig(t)
	page := r.pageHeaders()
	own := r.url
	for name, c := range map[string]struct {
		method string
		header map[string]string
		want   int
	}{
		"reading":                          {"get", nil, 200},
		"reading, as browsers do":          {"get", map[string]string{"Sec-Fetch-Site": "same-origin"}, 200},
		"the cookie alone":                 {"get", map[string]string{"X-Mcpproxy-Page": ""}, 401},
		"a cookie joined from two logins":  {"get", map[string]string{"X-Mcpproxy-Page": "x"}, 401},
		"the half alone":                   {"get", map[string]string{"Cookie": ""}, 401},
		"another cookie":                   {"get", map[string]string{"Cookie": "mcpproxy_8080=x"}, 401},
		"from a page of another port":      {"get", map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		"from a foreign page":              {"get", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"changing":                         {"post", map[string]string{"Origin": own}, 200},
		"changing without an origin":       {"post", nil, 403},
		"changing, from another port":      {"post", map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
		"changing, from a sandboxed frame": {"post", map[string]string{"Origin": "null"}, 403},
	} {
		header := map[string]string{}
		for _, all := range []map[string]string{page, c.header} {
			for k, v := range all {
				header[k] = v
			}
		}
		var body []byte
		if c.method == "post" {
			body = []byte(`{"on":false}`)
		}
		if a := r.request(c.method, "/api/v1/kill", body, header); a.status != c.want {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if r.kill.state.By != "user of the page" {
		t.Errorf("who turned the switch: %q", r.kill.state.By)
	}
}

func TestALogoutEndsTheSessionAndItsStreams(t *testing.T) {
	r := newRig(t)
	page := r.pageHeaders()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range page {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	if !lines.Scan() || resp.StatusCode != http.StatusOK {
		t.Fatalf("no stream: %d", resp.StatusCode)
	}
	if n := r.events.Pages(); n != 1 {
		t.Errorf("%d pages look, want 1", n)
	}
	event(r.stream(t.Context(), "/events"))
	if n := r.events.Pages(); n != 1 {
		t.Errorf("a stream with the key counts as a page: %d", n)
	}
	page["Origin"] = r.url
	if a := r.request("post", "/api/v1/logout", nil, page); !strings.Contains(a.body, `"ended":true`) {
		t.Fatalf("%d %s", a.status, a.body)
	}
	for lines.Scan() { // the request ends, or the test hangs
	}
	eventually.True(t, "nobody looks any more", func() bool { return r.events.Pages() == 0 })
	if a := r.ask(
		"/api/v1/status",
		page,
	); a.status != http.StatusUnauthorized ||
		!strings.Contains(a.body, "mcpproxy open") {
		t.Errorf("after the logout: %d %s", a.status, a.body)
	}
}

func TestThePageIsServedWithoutAKeyAndLocked(t *testing.T) {
	r := newRig(t)
	a := r.ask("/ui/", map[string]string{"X-API-Key": ""})
	if a.status != http.StatusOK || !strings.Contains(a.header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %v", a.status, a.header)
	}
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self';",
		"X-Content-Type-Options":  "nosniff",
		"Referrer-Policy":         "no-referrer",
		"Cache-Control":           "no-cache",
	} {
		if got := a.header.Get(name); !strings.HasPrefix(got, want) {
			t.Errorf("%s is %q", name, got)
		}
	}
	policy := a.header.Get("Content-Security-Policy")
	if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the policy is %s", policy)
	}
	for path, want := range map[string]int{"/ui/assets/": 404, "/ui/none.js": 404, "/ui/../status": 404} {
		if a := r.ask(path, nil); a.status != want {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	if a := r.request("post", "/ui/", nil, nil); a.status != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", a.status)
	}
	if a := r.ask(
		"/",
		map[string]string{"X-API-Key": "", "Accept": "text/html"},
	); !strings.Contains(a.header.Get("Content-Type"), "text/html") ||
		a.status != 200 {
		t.Errorf("a browser at the bare address gets %d", a.status)
	}
}
