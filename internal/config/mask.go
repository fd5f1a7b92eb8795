package config

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"mcpproxy/internal/lazyregexp"
)

const masked = "[masked]"

// mask hides a value, unless it is only a reference.
func mask(s string) string {
	if s != "" && strings.Contains(s, "${"+commandKind+":") {
		s = reference().ReplaceAllStringFunc(s, maskCommand)
	}
	if rest := reference().ReplaceAllString(s, ""); rest == "" || rest != s && scheme().MatchString(rest) {
		return s
	}
	return masked
}

// maskCommand hides secrets in the arguments of a reference to a command.
func maskCommand(ref string) string {
	m := reference().FindStringSubmatch(ref)
	if m[1] != commandKind {
		return ref
	}
	all, err := words(m[2])
	if err != nil {
		return "${" + commandKind + ":…}"
	}
	hidden := slices.Clone(all)
	if maskArgs(hidden); slices.Equal(all, hidden) {
		return ref
	}
	for i, word := range hidden {
		hidden[i] = quoteWord(word)
	}
	return "${" + commandKind + ":" + strings.Join(hidden, " ") + "}"
}

var (
	secretName = lazyregexp.New(`(?i)token|key|secret|passw|credential|auth|cookie`)
	scheme     = lazyregexp.New(`^[A-Za-z]{1,10} $`)     // scheme of an Authorization header, such as Bearer
	headerFlag = lazyregexp.New(`^(-H|--?[Hh]eaders?)$`) // flag whose next argument is a header
)

// Mask hides every value that can be a secret, so that c can be displayed. It keeps references,
// which must be unresolved.
func (c *Config) Mask() {
	c.APIKey = mask(c.APIKey)
	c.State.Key = mask(c.State.Key)
	c.State.Store = maskURL(c.State.Store, false)
	c.Security.Alerts.WebhookURL = maskURL(c.Security.Alerts.WebhookURL, true)
	c.Security.Alerts.WebhookSecret = mask(c.Security.Alerts.WebhookSecret)
	c.Auth.OIDC.Page.ClientSecret = mask(c.Auth.OIDC.Page.ClientSecret)
	c.Activity.Store = maskStore(c.Activity.Store)
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
		if s.OAuth != nil {
			s.OAuth.ClientSecret = mask(s.OAuth.ClientSecret)
			s.OAuth.Issuer = maskURL(s.OAuth.Issuer, false)
		}
		s.Proxy = maskURL(s.Proxy, false)
	}
}

// Plain lists the settings of a server that seem to contain a secret in plain text, such as "env
// TOKEN" or "header Authorization", in order. References must be unresolved.
func (s Server) Plain() []string {
	var at []string
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		v := s.Env[name]
		if v != "" && mask(v) != v && secretName().MatchString(name) ||
			strings.Contains(v, "://") && maskURL(v, false) != v {
			at = append(at, "env "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		if v := s.Headers[name]; v != "" && mask(v) != v && secretName().MatchString(name) {
			at = append(at, "header "+name)
		}
	}
	args := slices.Clone(s.Args)
	if maskArgs(args); !slices.Equal(args, s.Args) {
		at = append(at, "args")
	}
	if maskURL(s.URL, false) != s.URL {
		at = append(at, "url")
	}
	return at
}

// maskURL hides the user and the query values of an address, and also its path if the address
// itself is a secret.
func maskURL(s string, path bool) string {
	u, err := url.Parse(reference().ReplaceAllString(s, ""))
	if err != nil || s == "" {
		return mask(s)
	}
	if reference().MatchString(s) { // it cannot be shown in part
		password, _ := u.User.Password()
		values := slices.Concat(slices.Collect(maps.Values(u.Query()))...)
		if u.User.Username()+password+strings.Join(values, "") != "" || path && strings.Trim(u.Path, "/") != "" {
			return mask(s)
		}
		return s
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

// maskStore hides secrets in a database address. Text next to a reference may be part of the
// address, so it is hidden too.
func maskStore(s string) string {
	if reference().MatchString(s) {
		return mask(s)
	}
	return maskURL(s, false)
}

// maskArgs hides the values of flags and headers whose names suggest secrets, all headers after a
// header flag, and secrets in addresses.
func maskArgs(args []string) {
	flag := "" // the flag that the argument is a value of
	for i, arg := range args {
		value := flag != ""
		switch {
		case value && headerFlag().MatchString(flag):
			name, content, ok := strings.Cut(arg, ":")
			if args[i] = mask(arg); ok {
				args[i] = name + ":" + maskBehind(content)
			}
		case value:
			args[i] = mask(arg)
		default:
			args[i] = maskArg(arg)
		}
		flag = ""
		if !value && strings.HasPrefix(arg, "-") && !strings.ContainsAny(arg, "=:") &&
			(secretName().MatchString(arg) || headerFlag().MatchString(arg)) {
			flag = arg
		}
	}
}

// maskArg hides the value in an argument after a name that suggests a secret, as in --api-key=x,
// --header=Authorization: x and NAME_TOKEN=x.
func maskArg(arg string) string {
	if strings.HasPrefix(arg, "${"+commandKind+":") && reference().ReplaceAllString(arg, "") == "" {
		return mask(arg)
	}
	at := strings.IndexAny(arg, "=:")
	switch {
	case at < 0:
		return arg
	case strings.HasPrefix(arg[at:], "://"):
		return maskURL(arg, false)
	case secretName().MatchString(arg[:at]):
		return arg[:at+1] + maskBehind(arg[at+1:])
	}
	return arg[:at+1] + maskArg(arg[at+1:])
}

// maskBehind hides a value, but not the spaces before it.
func maskBehind(s string) string {
	value := strings.TrimLeft(s, " ")
	return s[:len(s)-len(value)] + mask(value)
}
