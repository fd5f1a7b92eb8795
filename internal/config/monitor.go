package config

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"mcpproxy"
)

var (
	syslogNetworks = []string{"udp", "tcp", "tls", "unix"}
	syslogFormats  = []string{"cef", "json"}
)

// check validates the settings of the exporters.
func (t *Telemetry) check() error {
	if t.Enabled && t.OTLPEndpoint == "" && t.Syslog.Address == "" {
		return bad("telemetry.enabled", "there is nowhere to export to: set otlp_endpoint or syslog.address")
	}
	return errors.Join(t.checkOTLP(), t.Syslog.check())
}

func (t *Telemetry) checkOTLP() error {
	for name, value := range t.OTLPHeaders {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return bad("telemetry.otlp_headers", "%q cannot be an HTTP header", http.CanonicalHeaderKey(name))
		}
	}
	if t.OTLPEndpoint == "" {
		return nil
	}
	u, err := webAddress("telemetry.otlp_endpoint", t.OTLPEndpoint)
	switch {
	case err != nil:
		return err
	case u.Port() == "4317":
		return bad(
			"telemetry.otlp_endpoint",
			"4317 is the port of OTLP over gRPC; mcpproxy speaks OTLP over HTTP, whose port is 4318",
		)
	case u.Scheme == "http" && !mcpproxy.LoopbackHost(u.Hostname()):
		return bad(
			"telemetry.otlp_endpoint",
			"records would travel unencrypted: use https, or a collector on this machine",
		)
	}
	return nil
}

func (s *Syslog) check() error {
	err := errors.Join(
		oneOf("telemetry.syslog.network", s.Network, syslogNetworks...),
		oneOf("telemetry.syslog.format", s.Format, syslogFormats...),
	)
	if err != nil || s.Address == "" || reference().MatchString(s.Address) {
		return err
	}
	if s.Network == "unix" {
		if !strings.HasPrefix(s.Address, "/") {
			return bad("telemetry.syslog.address", "%q is not the path of a socket; write an absolute path such as /dev/log", s.Address)
		}
		return nil
	}
	if host, port, err := net.SplitHostPort(s.Address); err != nil || host == "" || !isPort(port) {
		return bad("telemetry.syslog.address", "%q is not a host with a port; write logs.example.com:514", s.Address)
	}
	return nil
}

// check validates the settings of the webhook for alerts.
func (a *Alerts) check() error {
	if a.WebhookURL == "" {
		if a.WebhookSecret != "" {
			return bad("security.alerts.webhook_secret", "there is nothing to sign: webhook_url is not set")
		}
		return nil
	}
	u, err := webAddress("security.alerts.webhook_url", a.WebhookURL)
	if err != nil {
		return err
	}
	if u.Scheme == "http" && !mcpproxy.LoopbackHost(u.Hostname()) {
		return bad("security.alerts.webhook_url", "alerts would travel unencrypted: use https")
	}
	return nil
}

// webAddress parses an http or https address. Its errors do not quote the address, which can be a
// secret.
func webAddress(key, s string) (*url.URL, error) {
	if reference().MatchString(s) { // unresolved, because the file is only displayed
		return &url.URL{Scheme: "https"}, nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.Fragment != "" {
		return nil, bad(key, "the value is not an http or https address")
	}
	return u, nil
}
