package definition

import (
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/scan"
)

// editions are words that make a name look like a later or better edition.
var editions = wordSet(`v2 v3 v4 2 3 new pro plus secure safe fixed official enhanced improved fast better`)

// minTwin is the minimum length of a name that is compared with similarly spelt names.
const minTwin = 8

// twinKey returns a key that is the same for names that a reader may confuse at a glance: their letters, sorted,
// without the words of an edition.
func twinKey(name string) string {
	letters := []byte(drawnLooks.Replace(lookOf(baseOf(name))))
	slices.Sort(letters)
	return string(letters)
}

// drawnLooks are groups of letters that look like another letter.
var drawnLooks = strings.NewReplacer("rn", "m", "vv", "w")

// baseOf returns a name without the words of an edition at its end.
func baseOf(name string) string {
	words := nameWords(name)
	for len(words) > 1 && editions()[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	return strings.Join(words, "_")
}

// twin reports a tool whose name is nearly that of another server's tool, whatever their descriptions say. This is no
// evidence of an attack: a person should check which of the two is intended.
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
			return Signal{}, false // a tool that many servers have does not identify one
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

// passes reports whether a tool name may be confused with another: the names are equal and distinctive, one looks
// like the other, or one claims to be a later edition of the other.
func passes(name, other string) bool {
	base, look := baseOf(name), lookOf(name)
	switch {
	case look == lookOf(other):
		return !ordinary(base)
	case lookOf(base) == lookOf(other):
		return true
	case lookOf(base) == lookOf(baseOf(other)):
		return false // the other one is the later edition
	}
	return len(look) >= minTwin
}
