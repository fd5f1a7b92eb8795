package config_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/config"
)

func TestWhereThingsAreSentIsChecked(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"a collector on this machine":              {`{"telemetry": {"enabled": true, "otlp_endpoint": "http://127.0.0.1:4318", "otlp_headers": {"X-Key": "k"}}}`, ""},
		"a collector in the network, encrypted":    {`{"telemetry": {"enabled": true, "otlp_endpoint": "https://collector:4318"}}`, ""},
		"a collector on this machine, by name":     {`{"telemetry": {"enabled": true, "otlp_endpoint": "http://LOCALHOST.:4318"}}`, ""},
		"a collector on this machine, mapped":      {`{"telemetry": {"enabled": true, "otlp_endpoint": "http://[::ffff:127.0.0.1]:4318"}}`, ""},
		"records that are sent without encryption": {`{"telemetry": {"enabled": true, "otlp_endpoint": "http://collector:4318"}}`, "use https"},
		"a key that travels in the open":           {`{"telemetry": {"enabled": true, "otlp_endpoint": "http://collector:4318", "otlp_headers": {"X-Key": "k"}}}`, "use https"},
		"a key that travels encrypted":             {`{"telemetry": {"enabled": true, "otlp_endpoint": "https://collector:4318", "otlp_headers": {"X-Key": "k"}}}`, ""},
		"the port of another protocol":             {`{"telemetry": {"enabled": true, "otlp_endpoint": "http://collector:4317"}}`, "4318"},
		"an endpoint that is no address":           {`{"telemetry": {"enabled": true, "otlp_endpoint": "collector:4318"}}`, "not an http or https address"},
		"a header that is none":                    {`{"telemetry": {"enabled": true, "otlp_endpoint": "https://c", "otlp_headers": {"a b": "k"}}}`, "cannot be an HTTP header"},
		"a header with two lines":                  {`{"telemetry": {"enabled": true, "otlp_endpoint": "https://c", "otlp_headers": {"a": "k\nb: c"}}}`, "cannot be an HTTP header"},
		"an export without a target":               {`{"telemetry": {"enabled": true}}`, "nowhere to export to"},
		"a syslog server":                          {`{"telemetry": {"enabled": true, "syslog": {"address": "logs:514", "network": "tcp", "format": "json"}}}`, ""},
		"a syslog socket":                          {`{"telemetry": {"enabled": true, "syslog": {"address": "/dev/log", "network": "unix"}}}`, ""},
		"a syslog socket without its network":      {`{"telemetry": {"enabled": true, "syslog": {"address": "/dev/log"}}}`, "not a host with a port"},
		"a syslog server as a socket":              {`{"telemetry": {"enabled": true, "syslog": {"address": "logs:514", "network": "unix"}}}`, "not the path of a socket"},
		"a network that is none":                   {`{"telemetry": {"syslog": {"network": "http"}}}`, "udp, tcp, tls, unix"},
		"a format that is none":                    {`{"telemetry": {"syslog": {"format": "leef"}}}`, "cef, json"},
		"a webhook":                                {`{"security": {"alerts": {"webhook_url": "https://hooks.example.com/x", "webhook_secret": "s"}}}`, ""},
		"a webhook on this machine":                {`{"security": {"alerts": {"webhook_url": "http://localhost:9000/x"}}}`, ""},
		"a webhook on this machine by IPv6":        {`{"security": {"alerts": {"webhook_url": "http://[::1]:9000/x"}}}`, ""},
		"a webhook in the open":                    {`{"security": {"alerts": {"webhook_url": "http://hooks.example.com/x"}}}`, "use https"},
		"a name that only looks like the machine":  {`{"security": {"alerts": {"webhook_url": "http://localhost.example.com/x"}}}`, "use https"},
		"a webhook that is a file":                 {`{"security": {"alerts": {"webhook_url": "file:///etc/passwd"}}}`, "not an http or https address"},
		"a secret that signs nothing":              {`{"security": {"alerts": {"webhook_secret": "s"}}}`, "webhook_url is not set"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Parse("f.json", []byte(c.file), config.Lookup)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// Everybody who knows the address of a webhook can post to it, so it is a secret.
func TestARefusedAddressIsNotRepeated(t *testing.T) {
	_, err := config.Parse(
		"f.json",
		[]byte(`{"security": {"alerts": {"webhook_url": "http://hooks.example.com/s3cret"}}}`),
		config.Lookup,
	)
	if err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v", err)
	}
}
