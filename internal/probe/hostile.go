package probe

import (
	"encoding/json"
	"fmt"
	"strings"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/probe/raw"
)

const helpHostile = "Check every argument against the tool's own schema before it is used, bound its size and depth, resolve paths and compare them with the folder that is allowed, pass values to databases as parameters and to programs as a list, " +
	"and answer with an error if an argument does not fit."

// hostile is one kind of invalid or harmful value for a property.
type hostile struct {
	name  string
	wants string // type that the property must accept; "" for a type that it must not accept
	value func(r *runner) any
	// harmed returns the harm that an answer shows, or "".
	harmed func(r *runner, a raw.Answer) string
}

// The product that injected expressions compute. It does not occur in what is sent, so if it comes
// back, the server has evaluated an expression.
const factor, product = 40961, "286727"

var passwd = lazyregexp.New(`\broot:[^:\s]*:0:0:`)

func evaluated(_ *runner, a raw.Answer) string {
	if a.OK() && strings.Contains(plainText(a.Result), product) || strings.Contains(errorText(a), product) {
		return "evaluated an expression that was hidden in a text"
	}
	return ""
}

func fileRead(_ *runner, a raw.Answer) string {
	if passwd().MatchString(plainText(a.Result)) || passwd().MatchString(errorText(a)) {
		return "read /etc/passwd, which no argument may reach"
	}
	return ""
}

// accepted reports that the server accepted a value that the tool's schema rules out.
func accepted(_ *runner, a raw.Answer) string {
	if a.OK() && !refusal(a) {
		return "accepted a value that its own schema rules out"
	}
	return ""
}

// hostiles lists texts for every property that accepts text, and values of wrong types. None of
// them changes anything if it is evaluated.
var hostiles = []hostile{
	{"shell metacharacters", "string", func(*runner) any {
		return fmt.Sprintf("; expr %d \\* 7; $(expr %d \\* 7) `expr %d \\* 7`", factor, factor, factor)
	}, evaluated},
	{"a shell pipe", "string", func(*runner) any { return fmt.Sprintf("x | echo $((%d*7)) #", factor) }, evaluated},
	{"a template expression", "string", func(*runner) any {
		return fmt.Sprintf("{{%d*7}}${%d*7}<%%= %d*7 %%>#{%d*7}", factor, factor, factor, factor)
	}, evaluated},
	{
		"SQL metacharacters",
		"string",
		func(*runner) any { return fmt.Sprintf("' UNION SELECT %d*7 -- ", factor) },
		evaluated,
	},
	{
		"a path out of its folder",
		"string",
		func(*runner) any { return strings.Repeat("../", 12) + "etc/passwd" },
		fileRead,
	},
	{"an absolute path", "string", func(*runner) any { return "file:///etc/passwd" }, fileRead},
	{
		"an encoded path",
		"string",
		func(*runner) any { return strings.Repeat("%2e%2e%2f", 12) + "etc%2fpasswd" },
		fileRead,
	},
	{
		"a path cut by a zero byte",
		"string",
		func(*runner) any { return strings.Repeat("../", 12) + "etc/passwd\x00.txt" },
		fileRead,
	},
	{
		"invisible and right-to-left characters",
		"string",
		func(r *runner) any { return "pro\u200bbe\u202e" + r.mark() + "\u2066\U000e0041\ufeff" },
		nil,
	},
	{"an empty text", "string", func(*runner) any { return "" }, nil},
	{"a text of 256 KB", "string", func(*runner) any { return strings.Repeat("A", 256<<10) }, nil},
	{"a very large number", "number", func(*runner) any { return 1e308 }, nil},
	{"a negative number", "number", func(*runner) any { return -1 }, nil},
	{"a value nested 500 deep", "object", func(*runner) any { return nested(500) }, nil},
	{"a number for another type", "", func(*runner) any { return 7.5 }, accepted},
	{"an object for another type", "", func(*runner) any { return map[string]any{"$gt": ""} }, accepted},
	{"an array for another type", "", func(*runner) any { return []any{"x"} }, accepted},
}

// nested returns a JSON object of that depth.
func nested(depth int) any {
	return json.RawMessage(strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth))
}

// Limits of T6.
const (
	maxHostileTools      = 6
	maxHostileProperties = 3 // for each tool
)

// testHostile calls tools with values that their schemas rule out, and with texts that would do
// harm if they were evaluated.
func testHostile(r *runner, out *Result) {
	tools := r.callable(len(r.surface.tools))
	made := 0
	for _, t := range tools {
		s := schemaOf(t.schema)
		names := s.properties()
		if len(names) == 0 || made >= maxHostileTools {
			continue
		}
		made++
		for _, property := range names[:min(len(names), maxHostileProperties)] {
			for _, h := range hostiles {
				if h.fits(s.property(property)) &&
					!r.callHostile(out, t, s.arguments(map[string]any{property: h.value(r)}), property, h) {
					return
				}
			}
		}
		if required := s.required(); len(required) > 0 {
			h := hostile{name: "nothing at all", harmed: accepted}
			if !r.callHostile(out, t, map[string]any{}, required[0], h) {
				return
			}
		}
	}
	switch {
	case made > 0:
	case len(tools) == 0:
		out.skip(r.noTool())
	default:
		out.skip("no tool that may be called takes arguments")
	}
}

// fits reports whether a value applies to a property.
func (h hostile) fits(s schema) bool {
	switch h.wants {
	case "":
		kind := map[string]string{"a number for another type": "number", "an object for another type": "object", "an array for another type": "array"}[h.name]
		return s.node != nil && !s.accepts(kind)
	case "string":
		return s.resolved().free()
	}
	k := s.resolved().kind()
	return k == h.wants || h.wants == "number" && k == "integer"
}

// callHostile makes one call and reports whether the server still answers.
func (r *runner) callHostile(out *Result, t tool, arguments map[string]any, property string, h hostile) bool {
	raw, err := json.Marshal(arguments)
	if err != nil { // a value that cannot be encoded as JSON
		return true
	}
	a := r.call(t.name, raw)
	about := fmt.Sprintf("%s, given %s in %s, ", shown(t.name), h.name, shown(property))
	if why := failedToAnswer(a); why != "" && !refusal(a) {
		out.fail(about + why)
		out.blame(a)
		if again, ok := r.alive(); !ok {
			out.fail("and then the server " + failedToAnswer(again))
			return false
		}
		return true
	}
	if h.harmed != nil && !r.options.DryRun {
		if harm := h.harmed(r, a); harm != "" {
			out.fail(about + harm)
			out.blame(a)
		}
	}
	return true
}
