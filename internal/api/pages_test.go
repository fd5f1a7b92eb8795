package api

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestCodesAndSessionsEndByThemselves(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p := newPages("127.0.0.1:8080")
	p.now = func() time.Time { return now }
	code, _ := p.code()
	now = now.Add(codeLife + time.Second)
	if p.redeem(code) {
		t.Error("a code is taken after its time")
	}
	cookie, half := p.open()
	reaches := func() bool {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/status", nil)
		r.AddCookie(&http.Cookie{Name: p.cookie, Value: cookie})
		r.Header.Set(pageHeader, half)
		_, _, asked, refusal := p.admit(r)
		return asked && refusal == nil
	}
	for range 3 { // use keeps it alive
		now = now.Add(pageIdle - time.Minute)
		if !reaches() {
			t.Fatal("a session that is used ends")
		}
	}
	now = now.Add(pageIdle + time.Minute)
	if reaches() {
		t.Error("a session outlives its idle time")
	}
}

func TestCodesAndSessionsAreBounded(t *testing.T) {
	p := newPages("127.0.0.1:8080")
	now := time.Now()
	p.now = func() time.Time { now = now.Add(time.Millisecond); return now }
	first, _ := p.code()
	cookie, _ := p.open()
	for range 100 {
		p.code()
		p.open()
	}
	if len(p.codes) > maxCodes || len(p.sessions) > maxOpen {
		t.Errorf("%d codes, %d sessions", len(p.codes), len(p.sessions))
	}
	if p.redeem(first) || p.close(cookie) {
		t.Error("it is not the oldest that goes")
	}
}

func TestTheLinkIsOneThatThisMachineReaches(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8080",
		"0.0.0.0:80":     "127.0.0.1:80",
		"[::]:80":        "127.0.0.1:80",
		":80":            "127.0.0.1:80",
		"10.0.0.1:80":    "10.0.0.1:80",
		"box:80":         "box:80",
	} {
		if got := reachable(listen); got != want {
			t.Errorf("%s: %s", listen, got)
		}
	}
}
