package definition

import (
	"slices"
	"strings"
)

// RegistryView is a read-only snapshot of the tools of all servers. It is built once per scan and lets checks compare
// servers.
type RegistryView struct {
	Tools       []ToolView
	ToolsByName map[string][]ToolView
	ToolNames   map[string]struct{}

	// Established, if set, reports which tools a person has approved. If the tools of two servers are nearly the
	// same, the established one is not suspect.
	Established func(server, tool string) bool

	prints []*print
	alike  map[uint64][]int32        // some tools by look of the name, alone and with a word of the description
	twins  map[string][]int32        // some tools by the letters of the name
	shared map[serverPair]int        // number of tools that two servers have in common
	owners map[string]map[string]int // by distinctive name: the servers, with the number of their tools
}

// serverPair is two servers, in order.
type serverPair struct{ a, b string }

func pairOf(a, b string) serverPair {
	if a > b {
		a, b = b, a
	}
	return serverPair{a, b}
}

// NewRegistry indexes tools. The cost is linear in their size.
func NewRegistry(tools []ToolView) *RegistryView {
	r := &RegistryView{
		Tools:       tools,
		ToolsByName: map[string][]ToolView{},
		ToolNames:   map[string]struct{}{},
		prints:      make([]*print, len(tools)),
		alike:       map[uint64][]int32{},
		twins:       map[string][]int32{},
		shared:      map[serverPair]int{},
		owners:      map[string]map[string]int{},
	}
	for i := range tools {
		t := &tools[i]
		if t.kind() != KindTool {
			continue
		}
		r.ToolsByName[t.Name] = append(r.ToolsByName[t.Name], *t)
		r.ToolNames[t.Name] = struct{}{}
		r.prints[i] = t.print()
		for _, key := range r.prints[i].keys() {
			if len(r.alike[key]) < maxAlike {
				r.alike[key] = append(r.alike[key], int32(i))
			}
		}
		if key := r.prints[i].twin; len(r.twins[key]) < maxAlike {
			r.twins[key] = append(r.twins[key], int32(i))
		}
		if distinctive(t.Name) {
			if r.owners[t.Name] == nil {
				r.owners[t.Name] = map[string]int{}
			}
			r.owners[t.Name][t.Server]++
		}
	}
	for i := range tools {
		if tools[i].kind() != KindTool {
			continue
		}
		for _, n := range r.near(&tools[i], r.prints[i], kinShare, len(tools)) {
			r.shared[pairOf(tools[i].Server, tools[n].Server)]++
		}
	}
	return r
}

// manyOwners is the number of servers from which a shared name identifies none.
const manyOwners = 3

// foreign reports whether name is a distinctive name of a tool that other servers have and server does not.
func (r *RegistryView) foreign(server, name string) bool {
	owners := r.owners[name]
	return len(owners) > 0 && len(owners) < manyOwners && owners[server] == 0
}

// lookalike reports whether another server has a tool whose name looks the same.
func (r *RegistryView) lookalike(t *ToolView) bool {
	some := r.alike[hashOf(single(lookOf(t.Name)))]
	return len(some) == maxAlike ||
		slices.ContainsFunc(some, func(i int32) bool { return r.Tools[i].Server != t.Server })
}

// near returns the tools of other servers that have at least the given share of their words in common with t. It stops
// when these tools belong to more than most servers.
func (r *RegistryView) near(t *ToolView, p *print, share float64, most int) []int {
	if !p.telling(t.Name) {
		return nil
	}
	if p.size < minCommon && ordinary(t.Name) {
		share = max(share, sameShare)
	}
	var out []int
	seen := map[int32]bool{}
	for _, key := range p.keys() {
		for _, i := range r.alike[key] {
			if other := &r.Tools[i]; other.Server == t.Server || seen[i] {
				continue
			}
			seen[i] = true
			if p.resembles(r.prints[i], share) {
				if out = append(out, int(i)); len(out) > most && r.servers(out) > most {
					return out
				}
			}
		}
	}
	return out
}

// servers counts the servers to which the tools belong.
func (r *RegistryView) servers(tools []int) int {
	seen := map[string]bool{}
	for _, i := range tools {
		seen[r.Tools[i].Server] = true
	}
	return len(seen)
}

// minCopied is the number of common tools of two servers, each counted from both sides, from which one is a copy of
// the other.
const minCopied = 6

// copies reports whether two servers have so many tools in common that they are two instances or releases of one
// program.
func (r *RegistryView) copies(a, b string) bool {
	return r.shared[pairOf(a, b)] >= minCopied || programOf(a) == programOf(b)
}

// programOf returns the name of the program after which a server is named: its name without words such as "server".
func programOf(server string) string {
	var words []string
	for _, w := range nameWords(server) {
		if w != "mcp" && w != "server" && w != "the" && w != "official" {
			words = append(words, w)
		}
	}
	return strings.Join(words, "-")
}
