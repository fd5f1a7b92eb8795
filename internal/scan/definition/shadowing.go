package definition

import (
	"fmt"
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/text"
)

const idShadowing = "shadowing.cross_server"

var steerGroup = group{
	kinds:  []string{rowSteer},
	threat: threatPoisoning,
	where:  inProse,
	least:  0.45,
	proof:  0.7,
}

// shadowCheck reports a tool that imitates another server's, and text that changes how another server's tools are
// used. Tools of the same server may mention each other, and names that many servers share identify none.
type shadowCheck struct{}

// ID returns the name of the check.
func (shadowCheck) ID() string { return idShadowing }

// Inspect runs the check.
func (c shadowCheck) Inspect(tool *ToolView, reg *RegistryView) []Signal {
	return c.beside(tool, c.alone(tool), reg)
}

// shadow is what a definition says about other tools.
type shadow struct {
	told   []Signal
	steers []steer
}

// alone determines what a definition says about other tools.
func (shadowCheck) alone(tool *ToolView) shadow {
	return shadow{tool.read().told(steerGroup), steersIn(tool)}
}

// beside reports what a definition says about tools that exist on other servers.
func (shadowCheck) beside(tool *ToolView, s shadow, reg *RegistryView) []Signal {
	out := slices.Clone(s.told)
	if tool.kind() == KindTool {
		if s, ok := imitates(tool, reg); ok {
			out = append(out, s)
		} else if s, ok := twin(tool, reg); ok {
			out = append(out, s)
		}
	}
	for _, st := range s.steers {
		if reg.foreign(tool.Server, st.name) {
			out = append(out, st.signal)
		}
	}
	return out
}

// imitates reports a tool that is nearly the same as another server's.
func imitates(tool *ToolView, reg *RegistryView) (Signal, bool) {
	if reg.Established != nil && reg.Established(tool.Server, tool.Name) {
		return Signal{}, false
	}
	if !reg.lookalike(tool) {
		return Signal{}, false
	}
	own := tool.print()
	twins := reg.near(tool, own, nearShare, 1)
	if len(twins) == 0 {
		return Signal{}, false
	}
	other := &reg.Tools[twins[0]]
	s := Signal{
		Tier:       scan.TierHard,
		ThreatType: threatPoisoning,
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.9,
		Path:       "name",
		Evidence:   fmt.Sprintf("%s/%s and %s/%s", tool.Server, tool.Name, other.Server, other.Name),
		Detail:     "The tool is nearly the same as another server's: one may pass for the other.",
	}
	if reg.servers(twins) > 1 { // a tool that many servers have does not identify one
		return Signal{}, false
	}
	if reg.copies(tool.Server, other.Server) && ordinary(tool.Name) {
		return Signal{}, false
	}
	if reg.copies(tool.Server, other.Server) { // possibly two instances or releases of one program
		s.Tier = scan.TierSoft
		s.Severity = mcpproxy.SeverityLow
		s.Confidence = 0.3
		s.Detail = "The server repeats several tools of another one: it may be a copy of it, or pass for it."
	}
	return s, true
}

// steering are words near a tool's name that change how the tool is used.
var steering = map[string]int{
	"instead":     1,
	"rather":      1,
	"never":       1,
	"deprecated":  1,
	"unsafe":      1,
	"broken":      1,
	"insecure":    1,
	"compromised": 2,
	"outdated":    1,
	"replaces":    1,
	"replace":     1,
	"override":    2,
	"overrides":   2,
	"redirect":    2,
	"redirects":   2,
	"reroute":     2,
	"intercept":   2,
	"intercepts":  2,
	"bcc":         2,
	"hijack":      2,
	"supersedes":  1,
	"whenever":    1,
	"before":      1,
	"after":       1,
	"must":        1,
	"always":      1,
	"first":       1,
	"behavior":    1,
	"behaviour":   1,
	"ignore":      1,
	"avoid":       1,
	"stop":        1,
	"not":         1,
	"silently":    2,
	"secretly":    2,
	"modify":      1,
	"modifies":    1,
	"alter":       1,
	"alters":      1,
	"change":      1,
	"changes":     1,
	"recipient":   1,
	"append":      1,
	"include":     1,
	"immer":       1,
	"bevor":       1,
	"statt":       1,
	"niemals":     1,
	"umleiten":    2,
	"toujours":    1,
	"avant":       1,
	"jamais":      1,
	"siempre":     1,
	"antes":       1,
	"nunca":       1,
	"sempre":      1,
	"prima":       1,
	"prior":       1,
	"call":        1,
	"calls":       1,
	"called":      1,
	"calling":     1,
	"invoke":      1,
	"invoked":     1,
	"invoking":    1,
	"run":         1,
	"also":        1,
	"then":        1,
	"pass":        1,
	"send":        1,
	"forward":     1,
	"copy":        1,
	"better":      1,
	"faster":      1,
	"prefer":      1,
	"trusted":     1,
	"output":      1,
	"result":      1,
	"wraps":       1,
	"once":        1,
	"when":        1,
	"every":       1,
	"all":         1,
	"over":        1,
	"skip":        1,
	"disable":     1,
	"use":         1,
	"using":       1,
	"перед":       1,
	"всегда":      1,
	"вместо":      1,
}

// Steering words count if they are at most steerReach bytes away from a name. If they have at least steerHint points,
// a person should look.
const (
	steerReach = 90
	steerHint  = 2

	// steerOffered is the minimum number of points for a threat if the text only offers the tool, as an example or on
	// condition that it exists. With fewer points, a person should look.
	steerOffered = 3
)

// steer is a use of steering words for a name.
type steer struct {
	name   string
	signal Signal
}

// steersIn returns the places of a definition that steer the use of a tool with a distinctive name. The caller reports
// those whose name is a tool of another server.
func steersIn(tool *ToolView) []steer {
	r := tool.read()
	var out []steer
	told := map[string]scan.Tier{}
	for i := range r.doc.Parts {
		p := &r.doc.Parts[i]
		if p.Opened() || p.Kind != text.Value || len(p.Text) < 12 {
			continue
		}
		names(p.Text, func(start, end int) {
			name := p.Text[start:end]
			if told[name] == scan.TierHard || !distinctive(name) {
				return
			}
			path := r.path(*p)
			if placeOf(path, p.Kind) != prose || positionOf(p.Text, start) == reported {
				return
			}
			tier := steered(p.Text, overlapping(r.sentences(i), start, end), start, end, isField(path))
			if points, _ := steerPoints(p.Text, start, end); points < steerOffered && tier == scan.TierHard &&
				offered(p.Text, start, end) {
				tier = scan.TierSoft
			}
			if tier == "" || tier == told[name] {
				return
			}
			s := Signal{
				Tier:       tier,
				ThreatType: threatPoisoning,
				Severity:   mcpproxy.SeverityHigh,
				Confidence: 0.8,
				Evidence:   around(p.Text, start, end),
				Detail:     "The text steers " + name + ", a tool of another server.",
				Path:       path,
			}
			if tier == scan.TierSoft {
				s.Severity = mcpproxy.SeverityMedium
				s.Confidence = 0.4
			}
			told[name] = tier
			out = append(out, steer{name, s})
		})
	}
	return out
}

// steered returns how the sentence that contains the name s[start:end] affects the tool of that name. The tier is
// hard if the sentence makes the use of that tool depend on this one, changes its input or output, or argues against
// it. The tier is "" if the sentence only mentions or offers the tool.
func steered(s string, all []sentence, start, end int, field bool) scan.Tier {
	tier := scan.Tier("")
	for i := range all {
		x := &all[i]
		word := slices.IndexFunc(x.words, func(w lexeme) bool { return w.start <= start && end <= w.end })
		if word < 0 {
			continue // it is part of the address of a link, or of a longer name
		}
		if !x.isEnglish {
			if _, orders := steerPoints(s[x.start:x.end], start-x.start, end-x.start); orders > 0 && !field {
				return scan.TierHard
			}
			continue
		}
		switch {
		case x.words[word].covered &&
			x.any(func(d *mention) bool { return d.asks() && d.class&^(actAsk|actTell) != 0 }),
			x.class&firm != 0 && !field,
			word > 0 && x.class&condition != 0 && x.words[word-1].calls():
			return scan.TierHard
		case x.class&(spoilt|insteadOf) != 0 && !field, x.has(shapeURL) && x.class&(figures|toolData) != 0 && !field:
			return scan.TierHard
		}
		for k := range x.mentions {
			if d := &x.mentions[k]; x.turns(d, word) {
				return scan.TierHard
			}
		}
		if points, orders := steerPoints(s[x.start:x.end], start-x.start, end-x.start); points >= steerHint &&
			orders > 0 && !field {
			tier = scan.TierSoft
		}
	}
	return tier
}

// any reports whether fits holds for an act of the sentence.
func (s *sentence) any(fits func(*mention) bool) bool {
	for i := range s.mentions {
		if fits(&s.mentions[i]) {
			return true
		}
	}
	return false
}

// turns reports whether an act changes the use of the tool at word: it is to be called for this tool, its data go
// elsewhere, or its behaviour is changed.
func (s *sentence) turns(d *mention, word int) bool {
	if d.negated && d.class&(actCall|actRun) != 0 && d.mood == ordered {
		return d.has(shapeName)
	}
	if d.negated || d.mood != ordered && d.mood != stated {
		return false
	}
	direct := word > d.word && word-d.word <= 3 // the object of the call, not its arguments
	switch {
	case d.class&actChange != 0 && (d.what&(figures|toolData) != 0 || d.has(shapeName)),
		d.class&actHide != 0,
		d.class&(gives|actCall) != 0 && d.what&(own|outside) != 0,
		d.class&gives != 0 && d.what&figures != 0 && d.has(shapeURL):
		return true
	case d.class&actCall != 0 && d.mood == ordered && direct && !s.words[d.word].uses:
		return s.class&(modal|condition) != 0
	}
	return false
}

// offered reports whether the name between start and end is an example, as in "a mail tool such as send_email", or is
// only used if it exists.
func offered(s string, start, end int) bool {
	before, after := strings.ToLower(s[max(0, start-16):start]), strings.ToLower(s[end:min(len(s), end+48)])
	for _, lead := range [...]string{"such as ", "e.g. ", "like ", "for example ", "for instance "} {
		if strings.HasSuffix(strings.TrimRight(before, "\"'`"), lead) {
			return true
		}
	}
	after, _, _ = strings.Cut(after, ".")
	for _, tail := range [...]string{"if available", "if one is", "if it is", "if connected", "if installed",
		"where available", "when available", "if you have"} {
		if strings.Contains(after, tail) {
			return true
		}
	}
	return false
}

// offers are steering words that also occur when a text offers a tool.
var offers = wordSet(
	`use using send forward call calls called calling invoke run when once all every also then before after result output copy over first`,
)

// steerPoints returns the sum of the points of the steering words around a name, and the part of this sum that comes
// from words that are not in offers.
func steerPoints(s string, start, end int) (points, orders int) {
	seen := make([]string, 0, steerReach) // they are few, so a map would cost more
	window := strings.ToLower(s[max(0, start-steerReach):start] + " " + s[end:min(len(s), end+steerReach)])
	for w := range strings.FieldsFuncSeq(window, func(r rune) bool { return r <= '@' && r != '\'' }) {
		if steering[w] > 0 && !slices.Contains(seen, w) {
			seen = append(seen, w)
			points += steering[w]
			if !offers()[w] {
				orders += steering[w]
			}
		}
	}
	return points, orders
}
