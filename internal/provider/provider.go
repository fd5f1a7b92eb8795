package provider

import (
	_ "embed" // the table
	"slices"
	"strings"
	"sync"

	"mcpproxy/internal/locate"
)

// Provider issues keys.
type Provider struct {
	Name   string   // the first of its words
	Hosts  []string // as in the table, such as *.stripe.com
	Hosted bool     // customers run the product on their own hosts

	except  []string // hosts of its tenants
	servers []string // words of the names of its MCP server
}

//go:embed providers.txt
var table string

// index holds the providers by their words.
var index = sync.OnceValue(func() map[string]*Provider {
	all := map[string]*Provider{}
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		words, p := parse(line)
		for _, w := range words {
			all[w] = p
		}
	}
	return all
})

// parse reads a line of the table.
func parse(line string) (words []string, p *Provider) {
	columns := strings.Split(line, "|")
	column := func(i int) []string {
		if i >= len(columns) {
			return nil
		}
		return strings.Fields(columns[i])
	}
	words = column(0)
	p = &Provider{Name: words[0], servers: slices.Concat(words, column(2))}
	for _, host := range column(1) {
		if except, ok := strings.CutPrefix(host, "!"); ok {
			p.except = append(p.except, except)
		} else if host != "-" {
			p.Hosts = append(p.Hosts, host)
		}
	}
	p.Hosted = slices.Contains(column(3), "hosted")
	return words, p
}

// Of returns the provider that issues the keys which a rule of the detector finds. It returns nil for a rule that
// finds keys of any provider.
func Of(rule string) *Provider { return named(rule) }

// Variable returns the provider whose name is a prefix of an environment variable's name, such as OpenAI for
// OPENAI_API_KEY; nil if there is none.
func Variable(name string) *Provider {
	return named(strings.NewReplacer("-", "_", " ", "_", ".", "_").Replace(strings.ToLower(name)))
}

// named finds the longest prefix of a name that is a word of a provider.
func named(name string) *Provider {
	for all := index(); name != ""; {
		if p := all[name]; p != nil {
			return p
		}
		i := strings.LastIndexByte(name, '_')
		if i < 0 {
			return nil
		}
		name = name[:i]
	}
	return nil
}

// Host reports whether a host belongs to the provider. The host must not have a port.
func (p *Provider) Host(host string) bool {
	if p == nil {
		return false
	}
	host = strings.TrimSuffix(locate.ASCII(locate.Dots(host)), ".")
	is := func(pattern string) bool { return matches(pattern, host) }
	return slices.ContainsFunc(p.Hosts, is) && !slices.ContainsFunc(p.except, is)
}

// Server reports whether a word of an MCP server's name is one of the provider's.
func (p *Provider) Server(words []string) bool {
	return p != nil && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(p.servers, w) })
}

// matches reports whether a host matches a pattern of the table. A star in the middle matches any number of labels.
func matches(pattern, host string) bool {
	if below, both := strings.CutPrefix(pattern, "."); both {
		return host == below || strings.HasSuffix(host, pattern)
	}
	below, wild := strings.CutPrefix(pattern, "*.")
	if !wild {
		return host == pattern
	}
	before, after, middle := strings.Cut(below, ".*.")
	if !middle {
		return strings.HasSuffix(host, "."+below) && len(host) > len(below)+1
	}
	host, ok := strings.CutSuffix(host, "."+after)
	return ok && strings.Contains(host+".", "."+before+".")
}
