package probe

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mcpproxy/internal/probe/raw"
	"mcpproxy/internal/wire"
)

const helpOrigin = "Compare the headers Origin and Host with a list before anything else is read, and refuse others with 403; make session ids of at least 128 random bits, refuse unknown ones with 404, forget them on DELETE; " +
	"ask for credentials in every request, not only in the first."

// originDetail is one check of T10.
type originDetail struct {
	Check  string `json:"check"`
	Passed bool   `json:"passed"`
	Status int    `json:"status,omitempty"` // HTTP status of the answer
}

// Origin and Host of a foreign web page.
const strangePage, strangeHost = "https://probe.example", "probe.example"

// testOrigin imitates a foreign web page, a foreign host name that resolves to this server, and
// clients with invalid sessions and credentials.
func testOrigin(r *runner, out *Result) {
	if r.conn.Transport == raw.OverStdio {
		out.skip("the server is reached over stdio, where there are neither pages nor sessions")
		return
	}
	o := &origins{r, out, nil}
	for _, step := range []func(){o.pages, o.names, o.sessions, o.credentials} {
		step()
	}
	out.Details = o.details
}

// origins is the state of one T10.
type origins struct {
	*runner
	out     *Result
	details []originDetail
}

// ask sends a message that opens a connection, with additional headers.
func (o *origins) ask(what string, with http.Header) raw.Answer {
	if o.plan(what, "") {
		return raw.Answer{Status: http.StatusForbidden}
	}
	o.allow()
	if err := o.revive(); err != nil {
		return raw.Answer{Err: err}
	}
	body, header := o.conn.Opening()
	method := http.MethodPost
	if o.conn.Transport == raw.OverSSE {
		method = http.MethodGet
		body = nil
		header = http.Header{"Accept": {"text/event-stream"}}
	}
	for k, v := range with {
		header[k] = v
	}
	ctx, cancel := o.patient()
	defer cancel()
	a := o.conn.HTTP(ctx, method, body, header)
	if o.ctx.Err() != nil {
		panic(errStopped)
	}
	o.learn(what, "", raw.Answer{Status: a.Status, Body: a.Body, Latency: a.Latency})
	if id := a.Header.Get(wire.HeaderSession); id != "" && a.Status < 300 {
		o.end(id)
	}
	return a
}

// end ends a session that a check has opened.
func (o *origins) end(id string) raw.Answer {
	o.allow()
	ctx, cancel := o.patient()
	defer cancel()
	return o.conn.HTTP(
		ctx,
		http.MethodDelete,
		nil,
		http.Header{wire.HeaderSession: {id}, wire.HeaderVersion: {o.conn.Version}},
	)
}

// check records one check and fails the test if it did not pass.
func (o *origins) check(name string, passed bool, a raw.Answer, reason string) {
	o.details = append(o.details, originDetail{name, passed, a.Status})
	if !passed {
		o.out.fail(reason)
		o.out.blame(a)
	}
}

func served(a raw.Answer) bool { return a.Err == nil && a.Status > 0 && a.Status < 400 }

// pages imitates foreign web pages in the user's browser.
func (o *origins) pages() {
	for _, origin := range []string{strangePage, "null"} {
		a := o.ask("a request with a foreign Origin", http.Header{"Origin": {origin}})
		o.check(
			"a page of the origin "+origin+" is refused",
			!served(a),
			a,
			fmt.Sprintf(
				"a request with the header Origin: %s is served: any web page that the user opens can use this server (DNS rebinding)",
				origin,
			),
		)
		if allowed := a.Header.Get("Access-Control-Allow-Origin"); allowed == "*" || allowed == origin {
			o.out.note(
				fmt.Sprintf("the answer to the origin %s has Access-Control-Allow-Origin: %s", origin, shown(allowed)),
			)
		}
	}
}

// names uses foreign host names that resolve to this server. It only runs for servers on this
// machine, because elsewhere a reverse proxy may serve many names.
func (o *origins) names() {
	if !o.local() {
		o.out.note("the header Host was not tried: the server is not on this machine")
		return
	}
	a := o.ask("a request for another host", http.Header{"Host": {strangeHost}})
	o.check(
		"another Host is refused",
		!served(a),
		a,
		fmt.Sprintf(
			"a request with the header Host: %s is served, so a web site whose name resolves to this machine can reach the server (DNS rebinding)",
			strangeHost,
		),
	)
}

// local reports whether the target is on this machine.
func (o *origins) local() bool {
	u, err := url.Parse(o.target.URL)
	if err != nil {
		return false
	}
	host := u.Hostname()
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() || err != nil && (host == "localhost" || strings.HasSuffix(host, ".localhost"))
}

// opened is how many sessions are opened to compare their ids.
const opened = 4

// sessions checks the ids of sessions and uses invalid ones.
func (o *origins) sessions() {
	if o.conn.Transport == raw.OverSSE || o.conn.Era == wire.Stateless {
		o.out.note("this transport has no session ids to check")
		return
	}
	var conns []*raw.Conn
	defer func() {
		for _, c := range conns {
			if id := c.Session(); id != "" {
				o.end(id)
			}
			c.Close()
		}
	}()
	var ids []string
	for range opened {
		if o.plan("initialize", "") {
			continue
		}
		c, err := o.another()
		if err == nil {
			conns = append(conns, c)
			ctx, cancel := o.starting()
			err = c.Greet(ctx)
			cancel()
		}
		if err != nil {
			o.check(
				"several sessions can be open at the same time",
				false,
				raw.Answer{Err: err},
				"a further session cannot be opened: "+shown(err.Error()),
			)
			return
		}
		if id := c.Session(); id != "" {
			ids = append(ids, id)
		}
	}
	if o.options.DryRun {
		o.useSession("a request in an unknown session", "")
		return
	}
	if len(ids) == 0 {
		o.out.note("the server gives no session ids")
		return
	}
	why := predictable(ids)
	o.check("session ids cannot be guessed", why == "", raw.Answer{}, "session ids can be guessed: "+why)
	a := o.useSession("a request in an unknown session", strings.Repeat("0", len(ids[0])-1)+"1")
	o.check(
		"an unknown session is refused",
		!served(a),
		a,
		"a request in a session that the server never opened is served",
	)
	if a := o.useSession("a request without a session", ""); served(a) {
		o.out.note("the server opens sessions and serves requests without one, too")
	}
	o.ended(conns[0])
}

// ended checks whether the server still accepts a session that has ended.
func (o *origins) ended(c *raw.Conn) {
	a := o.end(c.Session())
	if !served(a) {
		o.out.note(
			fmt.Sprintf("sessions cannot be ended by the client (DELETE is answered with HTTP status %d)", a.Status),
		)
		return
	}
	a = o.useSession("a request in an ended session", c.Session())
	o.check("an ended session is refused", !served(a), a, "a session that was ended is still served")
}

// useSession lists the tools in a session.
func (o *origins) useSession(what, id string) raw.Answer {
	if o.plan(what, "") {
		return raw.Answer{Status: http.StatusNotFound}
	}
	o.allow()
	ctx, cancel := o.patient()
	defer cancel()
	body := wire.NewRequest([]byte("1"), "tools/list", []byte("{}")).Raw
	a := o.conn.HTTP(ctx, http.MethodPost, body, http.Header{
		"Content-Type":     {"application/json"},
		"Accept":           {"application/json, text/event-stream"},
		wire.HeaderSession: {id},
		wire.HeaderVersion: {o.conn.Version},
	})
	if o.ctx.Err() != nil {
		panic(errStopped)
	}
	o.learn(what, "", raw.Answer{Status: a.Status, Body: a.Body, Latency: a.Latency})
	return a
}

// minSession is the length of the shortest session id that can contain 128 random bits: 22
// characters of base 64, less some for other alphabets.
const minSession = 20

// predictable says why session ids can be guessed, or returns "" if there is no sign of it.
func predictable(ids []string) string {
	sorted := slices.Sorted(slices.Values(ids))
	if len(slices.Compact(slices.Clone(sorted))) < len(ids) {
		return "two sessions have the same"
	}
	for _, id := range ids {
		if strings.ContainsFunc(id, func(c rune) bool { return c < 0x21 || c > 0x7e }) {
			return "they contain characters that a header must not contain"
		}
		if len(id) < minSession {
			return fmt.Sprintf("they have only %d characters", len(id))
		}
	}
	shared := differing(ids)
	if shared < 8 {
		return fmt.Sprintf("they differ in %d positions only", shared)
	}
	return ""
}

// differing returns the number of positions at which ids of equal length differ. For ids of
// different lengths and for consecutive numbers it compares only the last digits.
func differing(ids []string) int {
	if n, err := strconv.ParseUint(ids[0], 16, 64); err == nil {
		if m, err := strconv.ParseUint(ids[1], 16, 64); err == nil && m-n < 1000 {
			return 1
		}
	}
	places := 0
	for i := range ids[0] {
		for _, other := range ids[1:] {
			if i >= len(other) || other[i] != ids[0][i] {
				places++
				break
			}
		}
	}
	return places
}

// credentials sends requests without credentials.
func (o *origins) credentials() {
	without := http.Header{}
	for name := range o.target.Headers {
		low := strings.ToLower(name)
		if low == "authorization" || low == "cookie" || strings.Contains(low, "key") ||
			strings.Contains(low, "token") ||
			strings.Contains(low, "auth") {
			without[http.CanonicalHeaderKey(name)] = []string{""}
		}
	}
	u, _ := url.Parse(o.target.URL) // valid: it was checked before
	if len(without) == 0 {
		o.out.note("the server asks for no credentials, and none were given")
		return
	}
	a := o.ask("a request without credentials", without)
	o.check("credentials are required", a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden, a,
		"the credentials that were given are not needed: a request without them is not answered with 401 or 403")
	wrong := http.Header{}
	for name := range without {
		wrong[name] = []string{"Bearer probe-" + o.mark()}
	}
	a = o.ask("a request with wrong credentials", wrong)
	o.check("wrong credentials are refused", a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden, a,
		"a request with wrong credentials is not answered with 401 or 403")
	if u.Scheme == "http" && !o.local() && net.ParseIP(u.Hostname()) == nil {
		o.check(
			"credentials travel encrypted",
			false,
			raw.Answer{},
			"credentials travel over plain http: anybody on the way can read them",
		)
	}
}
