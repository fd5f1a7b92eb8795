package gateway

import (
	"net/http"
	"testing"

	"mcpproxy/internal/wire"
)

func TestARetryContinuesNoRequestOfOtherGrants(t *testing.T) {
	m := wire.NewRequest([]byte("1"), "tools/call", []byte(`{"name":"x"}`))
	bound := func(grants ...string) [32]byte {
		return bindingOf(&caller{principal: "oidc/ann", grants: grants, header: http.Header{}}, m)
	}
	if bound("oidc:admins") == bound("oidc:readers") || bound("oidc:readers") == bound() {
		t.Error("callers with other grants are one")
	}
	if first, again := bound("oidc:readers"), bound("oidc:readers"); first != again {
		t.Error("a caller's retry is not its own")
	}
}
