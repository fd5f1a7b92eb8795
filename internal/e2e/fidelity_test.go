package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// strangeMeta is nested and contains values that a typed decoder would change.
var strangeMeta = `{"com.example/deep":` + strings.Repeat(
	`{"a":[`,
	40,
) + `12345678901234567890` + strings.Repeat(
	`]}`,
	40,
) + `}`

// strangeResults are the members of results, by method: unknown fields, numbers that do not fit into a float64, an
// unknown content type, unusual white space and escapes.
var strangeResults = map[string]string{
	"tools/list": `"tools" : [ {"name":"strange","title":"Str\u00e4nge","description":"reads é \/ and \u0022","inputSchema":{"type":"object"},` +
		"\n\t\t" + `"execution":{"taskSupport":"optional"},"annotations":{"readOnlyHint":true,"idempotentHint":false,"vendor":{"x":[1.0,1E2,-0,0.10]}},` +
		`"icons":[{"src":"data:,","sizes":["any"],"extra":null}],"big":12345678901234567890} ]`,
	"tools/call": `"content":[ {"type":"hologram","depth":12345678901234567890,"nested":{"é":"\u00e9"}},{"type":"text","text":"a\u0000b\ud83d\ude00","annotations":{"priority":1.0}} ],` +
		"\n " + `"structuredContent":{"n":12345678901234567890,"f":1.50,"e":1e3},"later":[ ]`,
	"resources/list":  `"resources":[{"uri":"test://a","name":"a","size":12345678901234567890,"unknown":{ }}]`,
	"resources/read":  `"contents":[{"uri":"test://a","text":"x","unknown":  true}]`,
	"prompts/get":     `"messages":[{"role":"user","content":{"type":"hologram","depth":1.0}}]`,
	"vendor/anything": `"answer" :42.0`,
}

// strangeParams are the params of requests without their _meta and braces.
var strangeParams = map[string]string{
	"tools/list": ` "cursor" : "\u0061b" , "unknown":12345678901234567890`,
	"tools/call": ` "name" : "strange" ,` + "\t" + `"arguments" : { "n":12345678901234567890, "f":1.0, "e":1E+2 , "s":"\u00e9é\/", "list":[ ] },` +
		` "vendor/x":{"y":[null, true]}`,
	"resources/list":  `"unknown":[ 1.0 ]`,
	"resources/read":  ` "uri":"test://a", "unknown" : -0`,
	"prompts/get":     `"name":"strange","arguments":{"a":"\u0062"}, "unknown":{}`,
	"vendor/anything": `"n": 12345678901234567890`,
	"vendor/refused":  `"n":[ ]`,
}

// strangeServer answers with the bytes above and records the params that it receives.
type strangeServer struct {
	*httptest.Server
	revision string
	events   bool // answers as server-sent events

	mu     sync.Mutex
	params map[string]string // the last ones, by method
}

func newStrangeServer(t *testing.T, revision string, events bool) *strangeServer {
	t.Helper()
	s := &strangeServer{revision: revision, events: events, params: map[string]string{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *strangeServer) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	if json.Unmarshal(body, &m) != nil || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	s.mu.Lock()
	s.params[m.Method] = string(m.Params)
	s.mu.Unlock()
	answer := fmt.Sprintf("{ \"jsonrpc\":\"2.0\",\n\t\"id\": %s , %s }", m.ID, s.outcome(m.Method))
	if m.Method == "initialize" {
		w.Header().Set("Mcp-Session-Id", "strange")
	}
	if !s.events || m.Method == "initialize" {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answer)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: %s\n\n", strings.ReplaceAll(answer, "\n", "\ndata: "))
}

// outcome returns the result or error member for a method.
func (s *strangeServer) outcome(method string) string {
	modernEra := s.revision == stateless
	switch {
	case method == "initialize" && !modernEra:
		return `"result":{"protocolVersion":"` + stateful + `","capabilities":{"tools":{},"resources":{},"prompts":{}},"serverInfo":{"name":"strange","version":"1"}}`
	case method == "server/discover" && modernEra:
		return `"result":{"resultType":"complete","supportedVersions":["` + stateless + `"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`
	}
	result, ok := strangeResults[method]
	if !ok {
		return `"error" : {"code":-32601,"message":"no \u00fc","data":{"n":12345678901234567890,"m":[ 1.0 ]},"unknown":1E2}`
	}
	if modernEra {
		result = `"resultType" : "complete",` + result
	}
	return `"result": {` + result + `,"_meta": ` + strangeMeta + `}`
}

// received returns what the server last got for a method.
func (s *strangeServer) received(method string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.params[method]
}

// request returns a strange request of the server's era.
func (s *strangeServer) request(method string) (body, params string, headers []string) {
	meta := `"progressToken":"p-1","com.example/x":` + strangeMeta
	if s.revision == stateless {
		meta += `,"io.modelcontextprotocol/protocolVersion":"` + stateless + `","io.modelcontextprotocol/clientCapabilities":{ "x":1.0 }`
		headers = []string{"Mcp-Protocol-Version", stateless, "Mcp-Method", method}
	}
	params = "{ " + strangeParams[method] + ` ,"_meta" : {` + meta + "} }"
	var named struct{ Name, URI string }
	if json.Unmarshal([]byte(params), &named) == nil && headers != nil && named.Name+named.URI != "" {
		headers = append(headers, "Mcp-Name", named.Name+named.URI)
	}
	return "{\"id\" : \"q\\u0031\",\n \"params\": " + params + `, "method":"` + method + `","jsonrpc":"2.0","unknown":[ ]}`, params, headers
}

func TestAServerIsReadByteForByteAsWithoutMcpproxy(t *testing.T) {
	methods := []string{
		"tools/list",
		"tools/call",
		"resources/list",
		"resources/read",
		"prompts/get",
		"vendor/anything",
		"vendor/refused",
	}
	for _, c := range []struct {
		name, revision string
		events         bool
	}{
		{"stateful, answering with JSON", stateful, false}, {"stateful, answering with events", stateful, true},
		{"stateless, answering with JSON", stateless, false}, {"stateless, answering with events", stateless, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := newStrangeServer(t, c.revision, c.events)
			d := start(t, httpServer("strange", server.URL))
			direct, through := &raw{t: t, url: server.URL}, &raw{t: t, url: d.url("/mcp/s/strange")}
			if c.revision == stateful {
				direct, through = open(t, direct.url, stateful), open(t, through.url, stateful)
			}
			for _, method := range methods {
				body, params, headers := server.request(method)
				want := direct.post(body, headers...)
				got := through.post(body, headers...)
				if diff := cmp.Diff(string(bytes.TrimSpace(want.body)), string(bytes.TrimSpace(got.body))); diff != "" {
					t.Errorf(
						"%s: the answer differs from the server's (-), HTTP status %d:\n%s",
						method,
						got.status,
						diff,
					)
				}
				if diff := cmp.Diff(params, server.received(method)); diff != "" {
					t.Errorf("%s: what the server received differs from what was sent (-):\n%s", method, diff)
				}
			}
		})
	}
}

func TestTheOfferOfAllToolsKeepsEverythingButTheName(t *testing.T) {
	t.Parallel()
	server := newStrangeServer(t, stateful, false)
	d := start(t, httpServer("strange", server.URL))
	c := open(t, d.url("/mcp/all"), stateful)

	listed := c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	inner := strings.TrimSuffix(strings.TrimPrefix(strangeResults["tools/list"], `"tools" : [ `), ` ]`)
	want := strings.Replace(inner, `"name":"strange"`, `"name":"strange__strange"`, 1)
	if !strings.Contains(string(listed.rpc.Result), want) {
		t.Errorf("the definition is not the server's own:\n%s\nwant\n%s", listed.rpc.Result, want)
	}

	params := `{ "name" : "strange__strange",` + strings.SplitN(strangeParams["tools/call"], ",", 2)[1] + ` }`
	a := c.post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` + params + `}`)
	if want := "{" + strangeResults["tools/call"] + `,"_meta": ` + strangeMeta + "}"; string(a.rpc.Result) != want {
		t.Errorf("the result is\n%s\nwant\n%s", a.body, want)
	}
	if got, want := server.received(
		"tools/call",
	), strings.Replace(
		params,
		"strange__strange",
		"strange",
		1,
	); got != want {
		t.Errorf("the server received\n%s\nwant\n%s", got, want)
	}
}

func TestAStdioServerIsReadByteForByteToo(t *testing.T) {
	t.Parallel()
	d := start(t, ownServer("echo", "echo"))
	c := open(t, d.url("/mcp/s/echo"), stateful)
	params := `{ "name":"read_thing", "arguments":{ "n":12345678901234567890,"f":1.0 , "s":"\u00e9é\/" }, "_meta":` + strangeMeta + ` , "unknown":[ 1E2 ]}`
	a := c.post(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + params + `}`)
	if want := `{ "content":[],"params":` + params + `}`; string(a.rpc.Result) != want {
		t.Errorf("the answer is\n%s\nwant\n%s", a.body, want)
	}
}

// callID returns the id of a request that calls a tool. The body of the request can still be read afterwards.
func callID(r *http.Request) (id []byte, isCall bool) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var m struct {
		ID     json.RawMessage
		Method string
	}
	err = json.Unmarshal(body, &m)
	return m.ID, err == nil && m.Method == "tools/call"
}
