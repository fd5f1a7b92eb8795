package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"mcpproxy"
	"mcpproxy/internal/gate"
	"mcpproxy/internal/upstream"
	"mcpproxy/internal/wire"
)

// A call that waits for a link to a server has not been sent. If the server is replaced, the call goes to the new
// server.
func TestACallFollowsAServerThatIsReplacedWhileItWaits(t *testing.T) {
	var greetings, calls atomic.Int64
	greeted, replaced := make(chan struct{}), make(chan struct{})
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		raw, _ := io.ReadAll(req.Body)
		m, err := wire.Parse(raw)
		if err != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		result := `{}`
		switch m.Method {
		case "initialize":
			if greetings.Add(1) == 2 { // the first request is from the link that lists tools
				close(greeted)
				<-replaced
				http.Error(w, "not with these settings", http.StatusForbidden)
				return
			}
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
		case "tools/list":
			result = `{"tools":[{"name":"get_thing","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}]}`
		case "tools/call":
			calls.Add(1)
			result = `{"content":[{"type":"text","text":"done"}]}`
		default:
			_, _ = w.Write(wire.NewError(m.ID, &wire.RPCError{Code: wire.CodeMethodNotFound, Message: "unknown"}).Raw)
			return
		}
		_, _ = w.Write(wire.NewResult(m.ID, []byte(result)).Raw)
	}))
	t.Cleanup(func() { back.CloseClientConnections(); back.Close() })
	r := newRig(t)
	spec := upstream.Spec{
		Name:     "moved",
		Enabled:  true,
		Protocol: upstream.HTTP,
		URL:      back.URL,
	}
	r.servers.Apply([]upstream.Spec{spec})
	r.until("its tool is listed", func() bool { return len(r.catalog.Of("moved")) == 1 })
	def, _ := r.catalog.Tool("moved", "get_thing")
	call := &mcpproxy.Call{
		Kind:        mcpproxy.KindTool,
		Channel:     mcpproxy.ChannelCode,
		Principal:   "local",
		FlowSession: "s",
		Server:      "moved",
		Tool:        "get_thing",
		Arguments:   json.RawMessage(`{}`),
		Definition:  def,
	}
	answered := make(chan *mcpproxy.Result, 1)
	go func() {
		result, _ := r.gate.Forward(t.Context(), gate.Request{Call: call}, r.gateway.Send)
		answered <- result
	}()
	<-greeted
	spec.Timeout = patience
	r.servers.Apply([]upstream.Spec{spec})
	close(replaced)
	result := <-answered
	if result == nil || result.Err != nil || !strings.Contains(string(result.Raw), "done") || calls.Load() != 1 {
		t.Errorf("%+v after %d calls", result, calls.Load())
	}
}
