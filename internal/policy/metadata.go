package policy

import (
	"fmt"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/locate"
)

// RuleMetadata is the key of what happens to a request to a cloud's metadata service.
const RuleMetadata = "security.flow_policy.metadata_destination"

// metadata is the answer to a request to the metadata service of a cloud, or to another address
// that is good on this link only. Such a service hands out the credentials of the machine that
// asks it, so the answer is the harm, whatever the request carries.
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

// requests reports whether the texts of a call may be addresses that its tool asks for: not what
// a tool of the agent's own searches for on this machine, and not what a server writes down.
func (f *Facts) requests() bool {
	if f.Class().Leaves() {
		return true
	}
	makes := f.Effect == mcpproxy.EffectCreate || f.Effect == mcpproxy.EffectChange
	return f.Call.Server != "" && !(makes && f.Operation == mcpproxy.Write)
}

// metadataHost is the host of s, if s is an address of a metadata service and nothing else: a URL,
// or a host with or without a path. A number alone, a name of one word and a network do not count.
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
