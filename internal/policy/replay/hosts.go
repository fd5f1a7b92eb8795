package replay

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpproxy"
)

// Limits of the suggested lists of hosts, because a server can connect to any number of hosts.
const (
	maxObserved = 1000 // servers
	maxHosts    = 50   // of one server; with more, a list is not useful
)

// reached records a host to which a server connected while it was observed.
func (rd *reader) reached(r *mcpproxy.Record) {
	detail := r.Metadata.Detail
	host, ok := detail["host"].(string)
	if !ok || host == "" || detail["network"] != "observed" {
		return
	}
	entry := host
	if port := fmt.Sprint(detail["port"]); port != "80" && port != "443" { // an entry without a port allows both
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		entry = host + ":" + port
	}
	of := rd.hosts[r.ServerName]
	if of == nil {
		if len(rd.hosts) >= maxObserved {
			return
		}
		of = map[string]bool{}
		rd.hosts[r.ServerName] = of
	}
	if len(of) <= maxHosts {
		of[entry] = true
	}
}

// lists returns the lists of hosts that the observed servers need.
func (rd *reader) lists() (out []Suggestion) {
	for _, server := range slices.Sorted(maps.Keys(rd.hosts)) {
		of := slices.Sorted(maps.Keys(rd.hosts[server]))
		s := Suggestion{Kind: KindHosts, Server: server}
		if list, err := json.Marshal(of); err == nil && len(of) <= maxHosts {
			s.Text = fmt.Sprintf("The server %q was observed and reached %d hosts. If each of them belongs there, set in its isolation: \"network\": %s",
				server, len(of), list)
		} else {
			s.Text = fmt.Sprintf("The server %q was observed and reached more than %d hosts: a list would be of little use.",
				server, maxHosts)
		}
		out = append(out, s)
	}
	return out
}
