package config

import (
	"net/url"
	"regexp"
	"strings"
)

const masked = "[masked]"

// mask hides a value, unless it only says where the value is kept.
func mask(s string) string {
	if s == "" || reference.MatchString(s) {
		return s
	}
	return masked
}

var secretName = regexp.MustCompile(`(?i)token|key|secret|passw|credential|auth`)

// Mask hides what can be a secret, so that c can be shown. It keeps references,
// which must not have been resolved.
func (c *Config) Mask() {
	c.APIKey = mask(c.APIKey)
	c.Security.Alerts.WebhookURL = maskURL(c.Security.Alerts.WebhookURL, true)
	c.Security.Alerts.WebhookSecret = mask(c.Security.Alerts.WebhookSecret)
	c.Telemetry.OTLPEndpoint = maskURL(c.Telemetry.OTLPEndpoint, false)
	for k, v := range c.Telemetry.OTLPHeaders {
		c.Telemetry.OTLPHeaders[k] = mask(v)
	}
	for i := range c.Servers {
		s := &c.Servers[i]
		for k, v := range s.Env {
			s.Env[k] = mask(v)
		}
		for k, v := range s.Headers {
			s.Headers[k] = mask(v)
		}
		s.URL = maskURL(s.URL, false)
		maskArgs(s.Args)
		maskAll(s.OAuth)
		s.Proxy = maskURL(s.Proxy, false)
	}
}

// maskURL hides user, query values and, of addresses that are secrets
// themselves, the path.
func maskURL(s string, path bool) string {
	u, err := url.Parse(s)
	if err != nil || s == "" || reference.MatchString(s) {
		return mask(s)
	}
	if u.User != nil {
		u.User = url.User("masked")
	}
	if u.RawQuery != "" {
		u.RawQuery = "masked"
	}
	if path && strings.Trim(u.Path, "/") != "" {
		u.Path, u.RawPath = "/masked", ""
	}
	return u.String()
}

// maskArgs hides the values of flags whose names sound like secrets, and
// addresses' own.
func maskArgs(args []string) {
	next := false
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case next:
			args[i], next = mask(arg), false
		case joined && secretName.MatchString(name):
			args[i] = name + "=" + mask(value)
		case strings.HasPrefix(arg, "-"):
			next = secretName.MatchString(arg)
		case strings.Contains(arg, "://"):
			args[i] = maskURL(arg, false)
		}
	}
}

// maskAll hides every string below a free-form section.
func maskAll(m map[string]any) {
	for k, v := range m {
		switch v := v.(type) {
		case string:
			m[k] = mask(v)
		case map[string]any:
			maskAll(v)
		case []any:
			for i := range v {
				if s, ok := v[i].(string); ok {
					v[i] = mask(s)
				}
			}
		}
	}
}
