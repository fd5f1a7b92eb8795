package daemon

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpproxy/internal/config"
	"mcpproxy/internal/exit"
)

// outside returns an address of this machine that other machines may reach.
func outside(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			return net.JoinHostPort(ip.IP.String(), "0")
		}
	}
	t.Skip("this machine has no address but its own loopback")
	return ""
}

func TestTheNetworkIsNotServedWithoutAKey(t *testing.T) {
	own, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	ownReaches := false
	if ips, err := net.LookupIP(own); err == nil {
		for _, ip := range ips {
			ownReaches = ownReaches || !ip.IsLoopback()
		}
	}
	for name, c := range map[string]struct {
		listen  string
		refused bool
	}{
		"any address":              {"0.0.0.0:0", true},
		"any address, unsaid":      {":0", true},
		"any IPv6 address":         {"[::]:0", true},
		"an address of this host":  {outside(t), true},
		"this host's name":         {net.JoinHostPort(own, "0"), ownReaches},
		"loopback":                 {"127.0.0.1:0", false},
		"another loopback address": {"127.1.2.3:0", false},
		"localhost":                {"localhost:0", false},
	} {
		for key, wants := range map[string]bool{"without a key": false, "with a key": true} {
			for flag, insecure := range map[string]bool{"": false, " and --insecure-listen": true} {
				t.Run(name+" "+key+flag, func(t *testing.T) {
					c2 := config.Default()
					c2.Listen = c.listen
					c2.RequireMCPAuth = wants
					c2.APIKey = "k"
					c2.DataDir = t.TempDir()
					c2.InsecureListen = insecure
					if refused := c.refused && !wants && !insecure; !refused {
						if err := checkExposed(t.Context(), c.listen, c2); err != nil {
							t.Errorf("it does not start: %v", err)
						}
						return
					}
					d, err := Start(t.Context(), "", c2, func(*config.Config) {})
					if err == nil {
						d.Close()
					}
					e, ok := errors.AsType[*exit.Error](err)
					if !ok || e.Code != exit.Config || !strings.Contains(err.Error(), "require_mcp_auth") ||
						!strings.Contains(err.Error(), "mcpproxy serve --insecure-listen") {
						t.Errorf("it says %v", err)
					}
				})
			}
		}
	}
}

// A reload must refuse a configuration that a start would refuse because it opens the daemon to the network without a
// key.
func TestAReloadThatDropsTheKeyIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ bound, listen string }{
		"the file's address is another":          {"127.0.0.1:8080", "0.0.0.0:0"},
		"others reach the address in use":        {"0.0.0.0:8080", "0.0.0.0:8080"},
		"the file's address needs another start": {"[::]:8080", "127.0.0.1:0"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "mcp_config.json")
			text := `{"listen": %q, "require_mcp_auth": %t, "api_key": "k", "enable_socket": false, "data_dir": %q}`
			write := func(listen string, auth bool) {
				t.Helper()
				err := os.WriteFile(path, fmt.Appendf(nil, text, listen, auth, filepath.Join(dir, "data")), 0o600)
				if err != nil {
					t.Fatal(err)
				}
			}
			write("127.0.0.1:0", true)
			loaded, err := config.Load(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			d, err := Start(t.Context(), path, loaded, func(*config.Config) {})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			d.config.reloader.mu.Lock()
			d.listeners.address = c.bound // as if the daemon had started with that address
			d.config.reloader.mu.Unlock()
			write(c.listen, false)
			readAgain(t, d)
			if !d.Config().RequireMCPAuth {
				t.Error("the key was dropped")
			}
			if why := d.facts().ConfigError; !strings.Contains(why, "require_mcp_auth") {
				t.Errorf("the status says %q", why)
			}
		})
	}
}
