package doctor

import (
	"strings"

	"mcpproxy/internal/upstream"
)

// checkServer checks whether a server is connected.
func (f *Checkup) checkServer(s upstream.Status) {
	result := Check{
		Section: "Servers",
		Name:    s.Name,
		OK:      s.State != upstream.Failed && s.Error == "",
		Detail:  strings.TrimSuffix(string(s.State)+": "+s.Error, ": "),
	}
	if !result.OK {
		result.Advice = "see `mcpproxy upstream logs " + s.Name + "`"
	}
	if s.Login != "" {
		result.Advice = "run `" + s.Login + "`"
	}
	f.add(result)
}

// checkStanding reports problems of a server, whether they prevent calls or not.
func (f *Checkup) checkStanding(s upstream.Status) {
	if s.Breaker == upstream.Open || s.Breaker == upstream.HalfOpen {
		detail := "the breaker is " + string(s.Breaker)
		if s.LastFault != nil {
			detail += ": " + s.LastFault.Error
		}
		f.add(Check{
			Section: "Servers",
			Name:    s.Name,
			Detail:  detail,
			Advice:  "calls are refused until the server answers again; see `mcpproxy upstream logs " + s.Name + "`",
		})
	}
	if s.Unpinned != nil {
		f.advise(true, Check{
			Section: "Servers",
			Name:    s.Name,
			Detail:  "not pinned: whoever publishes " + s.Unpinned.Package + " decides at each start which program runs",
			Advice:  "name one version in its args: " + s.Unpinned.Pinned,
		})
	}
	if s.Isolation == nil {
		f.advise(s.Protocol == upstream.Stdio, Check{
			Section: "Servers",
			Name:    s.Name,
			Detail:  "not confined: it can read and change all of your files, including keys",
			Advice:  `set "isolation": {"profile": "standard"} in mcpServers`,
		})
		return
	}
	if s.Isolation.Profile != "" {
		f.add(Check{
			Section: "Servers",
			Name:    s.Name,
			OK:      true,
			Detail:  "confined by the profile " + s.Isolation.Profile + "; " + openNetwork(s.Isolation) + "files that the profile does not hide are open",
		})
	}
	f.advise(len(s.Unconfirmed) > 0, Check{
		Section: "Servers",
		Name:    s.Name,
		Detail:  "the configuration loosens its isolation and is not in force: " + strings.Join(s.Unconfirmed, ", "),
		Advice:  "if you made that change, stop mcpproxy and start it with `mcpproxy serve`, or take it back",
	})
	for _, missing := range s.Isolation.Missing {
		f.add(Check{
			Section: "Servers",
			Name:    s.Name,
			OK:      true,
			Detail:  "not confined: " + missing,
			Advice:  "set isolation.required to start the server only if it can be confined completely",
		})
	}
	for _, open := range s.Isolation.Open {
		f.advise(true, Check{
			Section: "Servers",
			Name:    s.Name,
			Detail:  "open to it: " + open,
			Advice:  "name no more than the server needs",
		})
	}
}

// openNetwork describes the network access that a profile leaves open.
func openNetwork(c *upstream.Confinement) string {
	switch c.Network {
	case "":
		return "the network and "
	case "observe":
		return "the network is open by a proxy that records the hosts (isolation.network); "
	}
	return "it reaches the hosts of isolation.network; "
}
