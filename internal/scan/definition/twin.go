package definition

import (
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/scan"
)

// editions are words by which a name passes for a better or later edition of another.
var editions = wordSet(`v2 v3 v4 2 3 new pro plus secure safe fixed official enhanced improved fast better`)

// minTwin is the length of the shortest name that is held against names that are written
// otherwise.
const minTwin = 8

// twinKey is the same for names that a hasty reader takes for each other: it has their
// letters, in no order, without the words of an edition.
func twinKey(name string) string {
	letters := []byte(drawnLooks.Replace(lookOf(baseOf(name))))
	slices.Sort(letters)
	return string(letters)
}

// drawnLooks are letters that together look like another one.
var drawnLooks = strings.NewReplacer("rn", "m", "vv", "w")

// baseOf is a name without the words of an edition at its end.
func baseOf(name string) string {
	words := nameWords(name)
	for len(words) > 1 && editions()[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	return strings.Join(words, "_")
}

// twin reports a tool whose name is nearly that of another server's tool, whatever either
// says about itself. It proves nothing: a person should look which of the two is meant.
func twin(tool *ToolView, reg *RegistryView) (Signal, bool) {
	if reg.Established != nil && reg.Established(tool.Server, tool.Name) || len(reg.twins[tool.print().twin]) < 2 ||
		!distinctive(baseOf(tool.Name)) {
		return Signal{}, false
	}
	var found *ToolView
	servers := map[string]bool{}
	common := ordinary(tool.Name)
	for _, i := range reg.twins[tool.print().twin] {
		other := &reg.Tools[i]
		if other.Server == tool.Server || common && other.Name == tool.Name ||
			reg.owners[other.Name][tool.Server] > 0 && other.Name != tool.Name ||
			reg.copies(tool.Server, other.Server) {
			continue
		}
		if servers[other.Server] = true; len(servers) >= manyOwners-1 {
			return Signal{}, false // what many have belongs to nobody
		}
		found = other
	}
	if found == nil || !passes(tool.Name, found.Name) {
		return Signal{}, false
	}
	return Signal{
		Tier:       scan.TierSoft,
		ThreatType: threatPoisoning,
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.4,
		Evidence:   fmt.Sprintf("%s/%s and %s/%s", tool.Server, tool.Name, found.Server, found.Name),
		Detail:     "Two servers have tools of this name or one that looks like it: one may pass for the other.",
		Path:       "name",
	}, true
}

// passes reports whether a tool of one name may pass for that of another: the names are
// the same and not common ones, or one is drawn like the other or calls itself a later
// edition of it.
func passes(name, other string) bool {
	base, look := baseOf(name), lookOf(name)
	switch {
	case look == lookOf(other):
		return !ordinary(base)
	case lookOf(base) == lookOf(other):
		return true
	case lookOf(base) == lookOf(baseOf(other)):
		return false // the other one is the edition
	}
	return len(look) >= minTwin
}
