package home

import (
	"slices"
	"strings"

	"mcpproxy/internal/locate"
)

// Home describes the user's own organisation. It never changes. For the zero value and for nil, only loopback and
// private hosts are home.
type Home struct {
	entries []Entry

	// Each index says whether the thing that an entry names is home; false means that it was rejected.
	domains      map[string]bool
	addresses    map[string]bool
	repositories map[string]bool // host/path, or /path for any host
	owners       map[string]bool // host/path, or /path for any host
	accounts     map[string]bool
	workspaces   map[string]bool
}

// New returns the home that consists of the entries. If two entries name the same thing, the first one decides.
// Entries with a doubt are listed but do not count.
func New(entries []Entry) *Home {
	h := &Home{
		domains:      map[string]bool{},
		addresses:    map[string]bool{},
		repositories: map[string]bool{},
		owners:       map[string]bool{},
		accounts:     map[string]bool{},
		workspaces:   map[string]bool{},
	}
	indexes := map[Kind]map[string]bool{
		Domain:     h.domains,
		Address:    h.addresses,
		Repository: h.repositories,
		Owner:      h.owners,
		Account:    h.accounts,
		Workspace:  h.workspaces,
	}
	known := map[Entry]bool{}
	for _, e := range entries {
		key := Entry{Kind: e.Kind, Value: e.Value}
		if known[key] || indexes[e.Kind] == nil {
			continue
		}
		known[key] = true
		h.entries = append(h.entries, e)
		if !e.Counts() && e.State != Rejected {
			continue
		}
		index := indexes[e.Kind]
		index[e.Value] = e.Counts()
		if e.Kind == Repository || e.Kind == Owner {
			path := e.Value[strings.IndexByte(e.Value, '/'):]
			index[path] = index[path] || e.Counts()
		}
	}
	slices.SortStableFunc(h.entries, compare)
	return h
}

// Entries returns a copy of the entries, sorted by kind and value.
func (h *Home) Entries() []Entry {
	if h == nil {
		return nil
	}
	return slices.Clone(h.entries)
}

// Host reports whether a host is home: it is loopback or private, or it is a home domain or a subdomain of one. The
// host must not have a port or brackets.
func (h *Home) Host(host string) bool {
	host, ok := plainHost(host)
	return ok && h.host(host)
}

// host is [Home.Host] for a host in the form in which domains are compared.
func (h *Home) host(host string) bool {
	if h != nil && len(h.domains) > 0 {
		for rest := host; rest != ""; _, rest, _ = strings.Cut(rest, ".") {
			if home, known := h.domains[rest]; known {
				return home
			}
		}
	}
	return locate.Domains(nil).Host(host)
}

// Address reports whether an e-mail address is home: it is the user's own, or its domain is home. A list of addresses
// is not home, and neither is an address with a display name.
func (h *Home) Address(email string) bool {
	local, host, ok := splitAddress(email)
	if !ok {
		return false
	}
	if h != nil {
		if home, known := h.addresses[local+"@"+host]; known {
			return home
		}
	}
	return h.host(host)
}

// Repository reports whether a repository is home: its own entry, its owner or its host says so. An empty host means
// any host, because the arguments of a tool may omit the host that its server uses. An empty repo asks about the owner
// as a whole.
func (h *Home) Repository(host, owner, repo string) bool {
	if h == nil || len(host)+len(owner)+len(repo) > maxValue {
		return false
	}
	if host != "" {
		var ok bool
		if host, ok = gitHost(host); !ok {
			return false
		}
	}
	place := host + "/" + strings.ToLower(strings.Trim(owner, "/"))
	if repo != "" {
		place += "/" + strings.TrimSuffix(strings.ToLower(strings.Trim(repo, "/")), ".git")
		if home, known := h.repositories[place]; known {
			return home
		}
	}
	if strings.Contains(place, "..") {
		return false
	}
	for place != host {
		if home, known := h.owners[place]; known {
			return home
		}
		place = place[:strings.LastIndexByte(place, '/')]
	}
	// A name without a dot can be an ssh alias for any host.
	return strings.ContainsAny(host, ".:") && h.host(host)
}

// Account reports whether a login, handle, workspace or team is the user's own. The kind is [Account] or [Workspace];
// if it is empty, either kind matches.
func (h *Home) Account(kind Kind, value string) bool {
	if h == nil || len(value) > maxValue {
		return false
	}
	name := plainName(value)
	return kind != Workspace && h.accounts[name] || kind != Account && h.workspaces[name]
}
