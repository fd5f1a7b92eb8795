package shell

import (
	"net/url"
	"strings"

	"mcpproxy/internal/locate"
)

// Endpoint is whom a command addresses.
type Endpoint struct {
	// Kind is host, email, bucket, alias (of a host or store, in the user's
	// configuration), remote (of git), or service.
	Kind  string
	Value string // as the program gets it; what is not known is spelled as in the command line
	// Configured says that the user's own configuration decides who it is: git's
	// "origin", a host of ~/.ssh/config, a package manager's registry.
	Configured bool
}

// buckets are the schemes of object stores.
var buckets = words("s3 gs gcs az azure b2 r2 oss abfs abfss wasb wasbs")

// endpoint is whom an argument addresses: a URL, or a host with an optional
// user, port and path. Ok is false when it addresses nobody.
func endpoint(s string) (e Endpoint, ok bool) {
	s = strings.TrimSpace(s)
	scheme, rest, found := strings.Cut(s, "://")
	if !found {
		scheme, rest = "", s
	}
	scheme = strings.ToLower(scheme)
	host := authority(rest)
	switch {
	case host == "" || scheme == "file" || strings.HasPrefix(host, ".") && !found:
		return Endpoint{}, false
	case buckets()[scheme]:
		return Endpoint{Kind: "bucket", Value: scheme + "://" + host}, true
	}
	return Endpoint{Kind: "host", Value: host}, true
}

// authority is the host of a URL without its scheme.
func authority(s string) string {
	if i := strings.IndexAny(s, `/?#\`); i >= 0 {
		s = s[:i]
	}
	s = s[strings.LastIndexByte(s, '@')+1:]
	if rest, ok := strings.CutPrefix(s, "["); ok {
		s, _, _ = strings.Cut(rest, "]")
	} else if strings.Count(s, ":") == 1 {
		s, _, _ = strings.Cut(s, ":")
	}
	if plain, err := url.PathUnescape(s); err == nil {
		s = plain
	}
	if strings.ContainsAny(s, " \t\n'\"|;&<>,=") {
		return ""
	}
	return strings.TrimSuffix(s, ".")
}

// remotePath is the host in the way that scp, rsync and git name places on
// other machines: host:path, user@host:path, scheme://host/path.
func remotePath(s string) (Endpoint, bool) {
	if strings.Contains(s, "://") {
		return endpoint(s)
	}
	host, _, found := strings.Cut(s, ":")
	if !found || len(host) < 2 || strings.ContainsAny(host, `/\`) {
		return Endpoint{}, false
	}
	return machineName(host)
}

// machineName is the host that ssh would call by that name.
func machineName(s string) (Endpoint, bool) {
	e, ok := endpoint(s)
	if ok && !strings.ContainsAny(e.Value, ".:$*") && e.Value != "localhost" {
		e.Kind, e.Configured = "alias", true
	}
	return e, ok
}

// email is the address of a mail.
func email(s string) (Endpoint, bool) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "mailto:")
	if _, after, ok := strings.Cut(s, "<"); ok {
		s, _, _ = strings.Cut(after, ">")
	}
	s, _, _ = strings.Cut(s, "?")
	name, host, found := strings.Cut(s, "@")
	return Endpoint{Kind: "email", Value: s}, found && name != "" && host != "" && !strings.ContainsAny(s, " /\n")
}

// inside reports whether a host stands in the machine or its own network. Of one
// that is only known in part, the end of its name decides.
func (e Endpoint) inside() bool {
	host := e.Value
	if i := strings.LastIndexAny(host, "$*"); i >= 0 {
		dot := strings.IndexByte(host[i:], '.')
		if dot < 0 {
			return false
		}
		host = "x" + host[i+dot:]
	}
	return e.Kind == "host" && locate.Domains(nil).Host(host)
}

// metadata reports whether a host hands out the credentials of the machine.
func (e Endpoint) metadata() bool {
	switch strings.ToLower(e.Value) {
	case "169.254.169.254", "169.254.170.2", "metadata.google.internal", "100.100.100.200", "fd00:ec2::254":
		return true
	}
	return false
}

// houses are the hosts to which a service's own credentials belong, by the
// first word of a variable's or a program's name.
var houses = map[string]string{
	"github": "github.com", "gh": "github.com", "gitlab": "gitlab.com", "glab": "gitlab.com", "openai": "openai.com",
	"anthropic": "anthropic.com", "claude": "anthropic.com", "npm": "npmjs.org", "hf": "huggingface.co", "huggingface": "huggingface.co",
	"stripe": "stripe.com", "slack": "slack.com", "cloudflare": "cloudflare.com", "cf": "cloudflare.com", "gcloud": "googleapis.com",
	"google": "googleapis.com", "gemini": "googleapis.com", "az": "azure.com", "azure": "azure.com", "aws": "amazonaws.com",
	"vercel": "vercel.com", "heroku": "heroku.com", "digitalocean": "digitalocean.com", "sentry": "sentry.io", "linear": "linear.app",
	"notion": "notion.com", "jira": "atlassian.net", "atlassian": "atlassian.net", "figma": "figma.com", "discord": "discord.com",
	"telegram": "telegram.org", "datadog": "datadoghq.com", "dd": "datadoghq.com", "pypi": "pypi.org", "twine": "pypi.org",
	"groq": "groq.com", "mistral": "mistral.ai", "openrouter": "openrouter.ai", "circleci": "circleci.com", "netlify": "netlify.com",
}

// atHome reports whether a credential goes to the service that it is for.
func (e Endpoint) atHome(s Source) bool {
	if s.Kind == File {
		return false
	}
	name, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(s.Name), " ", "_"), "_")
	house := houses[name]
	host := strings.ToLower(e.Value)
	return house != "" && e.Kind == "host" && (host == house || strings.HasSuffix(host, "."+house))
}
