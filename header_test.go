package mcpproxy_test

import (
	"testing"

	"mcpproxy"
)

func TestSensitiveHeaders(t *testing.T) {
	for name, want := range map[string]bool{
		"Authorization":       true,
		"authorization":       true,
		"Proxy-Authorization": true,
		"Cookie":              true,
		"X-API-Key":           true,
		"apikey":              true,
		"X-Auth-Token":        true,
		"X-Auth":              true,
		"Client-Secret":       true,
		"X-Credential":        true,
		"X-Password":          true,
		"X-CREDENTIALS-ID":    true,
		"Accept":              false,
		"Content-Type":        false,
		"User-Agent":          false,
		"Mcp-Session-Id":      false,
		"X-Author":            false,
		"X-Tenant":            false,
		"":                    false,
	} {
		if got := mcpproxy.SensitiveHeader(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}

func TestLoopbackHosts(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost":         true,
		"LOCALHOST":         true,
		"localhost.":        true,
		"127.0.0.1":         true,
		"127.8.9.1":         true,
		"::1":               true,
		"[::1]":             true,
		"::ffff:127.0.0.1":  true,
		"0.0.0.0":           false,
		"10.0.0.1":          false,
		"localhost.example": false,
		"my-localhost":      false,
		"127.0.0.1.nip.io":  false,
		"example.com":       false,
		"":                  false,
		"::":                false,
	} {
		if got := mcpproxy.LoopbackHost(host); got != want {
			t.Errorf("%q: %t", host, got)
		}
	}
}
