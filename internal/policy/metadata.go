package policy

import (
	"fmt"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/locate"
)

// RuleMetadata is the key of the decision about requests to a cloud's metadata service.
const RuleMetadata = "security.flow_policy.metadata_destination"

// metadata decides about a request to the metadata service of a cloud, or to another link-local address. Such a
// service returns the credentials of the machine, so the response does the harm, whatever the request contains.
func (t *Tables) metadata(f Facts) Ruling {
	if !f.requests() {
		return Ruling{Decision: mcpproxy.Allow}
	}
	for _, s := range f.Strings {
		if host, ok := metadataHost(s); ok {
			return Ruling{t.MetadataDestination, RuleMetadata, fmt.Sprintf(
				"The address %s is good on this machine's own link only, and may hand out the machine's credentials.", host)}
		}
	}
	return Ruling{Decision: mcpproxy.Allow}
}

// requests reports whether the tool may send requests to addresses in the call. An agent's own tool that searches
// this machine does not, and neither does a server that only writes.
func (f *Facts) requests() bool {
	if f.Class().Leaves() {
		return true
	}
	makes := f.Effect == mcpproxy.EffectCreate || f.Effect == mcpproxy.EffectChange
	return f.Call.Server != "" && !(makes && f.Operation == mcpproxy.Write)
}

// metadataHost returns the host of s if s is only the address of a metadata service: a URL, or a host with or without
// a path. A single number, a one-word name and a network do not count.
func metadataHost(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxHost || strings.ContainsAny(s, " \n\t") {
		return "", false
	}
	if host, where := locate.Domains(nil).URL(s); where != locate.Nowhere {
		return host, locate.Metadata(host)
	}
	if !strings.ContainsAny(s, ".:") {
		return "", false
	}
	bare, path, _ := strings.Cut(s, "/")
	if path != "" && strings.Trim(path, "0123456789") == "" {
		return "", false
	}
	host, where := locate.Domains(nil).URL("//" + s)
	if where == locate.Nowhere || !strings.ContainsAny(bare, ".:") {
		return "", false
	}
	return host, locate.Metadata(host)
}
