package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/wire"
)

// FuzzAMessage posts messages of both protocol eras. The gateway must survive all of them, and every JSON answer must
// be valid.
func FuzzAMessage(f *testing.F) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_tool_read","arguments":{"name":"notes:read","args_json":"{}"}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"retrieve_tools","arguments":{"query":"x","limit":1e9}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"x://y","_meta":{"progressToken":1}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`,
	} {
		f.Add([]byte(body), true)
		f.Add([]byte(body), false)
	}
	r := newRig(f)
	f.Fuzz(func(t *testing.T, body []byte, latest bool) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond) // some answers are streams without an end
		defer cancel()
		req := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(string(body)))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if latest {
			req.Header.Set(wire.HeaderVersion, wire.Latest)
		}
		w := httptest.NewRecorder()
		r.gateway.ServeHTTP(w, req)
		if w.Header().Get("Content-Type") == "application/json" && w.Body.Len() > 0 && !json.Valid(w.Body.Bytes()) {
			t.Errorf("the answer (%d) is no JSON: %q", w.Code, w.Body)
		}
	})
}
