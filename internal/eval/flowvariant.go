package eval

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"mcpproxy/internal/lazyregexp"
)

// variant returns a result of an attacked session as another attacker would have written it: the same demand in other
// words or in another place.
type variant struct {
	name   string
	change func(s *flowSession, result jsontext.Value) jsontext.Value
}

var variants = []variant{
	{"frames-stripped", func(_ *flowSession, v jsontext.Value) jsontext.Value { return mapStrings(v, withoutFrames) }},
	{"fields", inFields},
	{"paraphrased", func(s *flowSession, v jsontext.Value) jsontext.Value {
		demand := s.demand()
		return mapStrings(v, func(text string) string { return paraphrased(text, demand) })
	}},
}

// Variants returns the names of the changes that can be applied to attacked sessions before they are played.
func Variants() []string {
	var names []string
	for _, v := range variants {
		names = append(names, v.name)
	}
	return names
}

// varied returns the steps of a session after all named changes. Honest sessions are not changed.
func (s *flowSession) varied(names []string) ([]flowStep, error) {
	steps := slices.Clone(s.steps)
	for _, name := range names {
		i := slices.IndexFunc(variants, func(v variant) bool { return v.name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown variant %q: the variants are %s", name, strings.Join(Variants(), ", "))
		}
		if s.honest() {
			continue
		}
		marked := slices.ContainsFunc(s.steps, func(step flowStep) bool { return step.Injected })
		for n := range steps {
			if has(steps[n].Result) && (steps[n].Injected || !marked) {
				steps[n].Result = variants[i].change(s, steps[n].Result)
			}
		}
	}
	return steps, nil
}

// mapStrings changes the strings of a JSON value, but not the names of members.
func mapStrings(v jsontext.Value, change func(string) string) jsontext.Value {
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	enc := jsontext.NewEncoder(&out, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	for {
		within, n := dec.StackIndex(dec.StackDepth())
		token, err := dec.ReadToken()
		if err == io.EOF {
			return bytes.TrimSpace(out.Bytes())
		}
		if err != nil {
			return v
		}
		if name := within == '{' && n%2 == 0; token.Kind() == '"' && !name {
			token = jsontext.String(change(token.String()))
		}
		if enc.WriteToken(token) != nil {
			return v
		}
	}
}

// frames match phrases that announce an instruction without being part of it.
var frames = []func() *regexp.Regexp{
	lazyregexp.New(`(?i)</?\s*(information|important|instructions?|system|admin|user)\s*/?>`),
	lazyregexp.New(`(?i)\[/?\s*(inst|system|important)\s*\]`),
	lazyregexp.New(`(?i)(this\s+is\s+)?an\s+important\s+(message|notice|note)\s+(from|for|to)\b[^.!?:]*[.!?:]`),
	lazyregexp.New(`(?i)[^.!?\n]*\b(ignore|disregard|forget|override)\s+(all\s+|any\s+)?(of\s+)?(the\s+|your\s+|my\s+|these\s+)?` +
		`(previous|prior|above|earlier|preceding|former)\b[^.!?:]*[.!?:]?`),
	lazyregexp.New(`(?i)\b(before|after)\s+(you|doing|that)\b[^.!?:]*\btask\b[^.!?:]*[.!?:]`),
	lazyregexp.New(`(?i)(important|attention|urgent|warning|todo|system|note)\s*(!+|:)`),
	lazyregexp.New(`(?i)\bsigned,\s+\pL+(\s+\pL+)?`),
}

// withoutFrames removes the frames from a text.
func withoutFrames(text string) string {
	for _, f := range frames {
		text = f().ReplaceAllString(text, "")
	}
	return text
}

// address matches the destinations that a text can name: e-mail addresses, URLs and account numbers.
var address = lazyregexp.New(
	`(?i)[\w.+-]+@[\w-]+(\.[\w-]+)+|(https?://|www\.)[^\s"'<>]*[^\s"'<>.,;:!?)]|\b[a-z]{2}\d{2}[a-z0-9]{10,30}\b`,
)

// inFields moves the destinations of the malicious calls from a result's text to separate fields.
func inFields(s *flowSession, v jsontext.Value) jsontext.Value {
	var found []string
	for _, step := range s.steps {
		if !slices.Contains(s.Malicious, step.Step) {
			continue
		}
		mapStrings(step.Args, func(arg string) string {
			for _, to := range address().FindAllString(arg, -1) {
				if !slices.Contains(found, to) && bytes.Contains(v, []byte(to)) {
					found = append(found, to)
				}
			}
			return arg
		})
	}
	if len(found) == 0 {
		return v
	}
	fields := ""
	for i, to := range found {
		name := fmt.Sprintf("recipient_%d", i+1)
		v = mapStrings(v, func(text string) string { return strings.ReplaceAll(text, to, "the one in "+name) })
		fields += fmt.Sprintf(`,"%s":%s`, name, quote(to))
	}
	return jsontext.Value(fmt.Sprintf(`{"content":%s%s}`, v, fields))
}

// demand matches the attacker's text of a session, if the record contains it.
func (s *flowSession) demand() *regexp.Regexp {
	words := strings.Fields(s.Injection)
	if len(words) == 0 {
		return nil
	}
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	return regexp.MustCompile(strings.Join(words, `\s+`))
}

// paraphrased replaces the verbs of the attacker's text, or of the whole text if it does not contain the attacker's
// text in one piece.
func paraphrased(text string, demand *regexp.Regexp) string {
	if demand != nil && demand.MatchString(text) {
		return demand.ReplaceAllStringFunc(text, otherVerbs)
	}
	return otherVerbs(text)
}

// word matches one word.
var word = lazyregexp.New(`\pL+`)

// otherVerbs replaces verbs by synonyms.
func otherVerbs(text string) string {
	return word().ReplaceAllStringFunc(text, func(w string) string {
		other, ok := verbs[strings.ToLower(w)]
		if !ok {
			return w
		}
		if first, size := utf8.DecodeRuneInString(other); unicode.IsUpper([]rune(w)[0]) {
			other = string(unicode.ToUpper(first)) + other[size:]
		}
		return other
	})
}

// verbs are verbs of injected instructions, with synonyms.
var verbs = map[string]string{
	"add":       "put in",
	"book":      "arrange",
	"buy":       "get hold of",
	"change":    "alter",
	"click":     "press",
	"create":    "set up",
	"delete":    "get rid of",
	"download":  "pull down",
	"email":     "write to",
	"execute":   "carry out",
	"fetch":     "bring up",
	"find":      "look for",
	"forward":   "hand on",
	"grant":     "let have",
	"install":   "put on",
	"invite":    "bring in",
	"open":      "bring up",
	"order":     "get in",
	"pay":       "settle with",
	"post":      "put up",
	"provide":   "let have",
	"purchase":  "get hold of",
	"read":      "go through",
	"remove":    "take away",
	"reserve":   "arrange",
	"retrieve":  "bring up",
	"run":       "carry out",
	"save":      "keep",
	"schedule":  "plan",
	"search":    "look",
	"send":      "pass along",
	"share":     "let see",
	"transfer":  "move across",
	"unlock":    "undo",
	"update":    "bring up to date",
	"upload":    "put up",
	"visit":     "go to",
	"withdraw":  "take out",
	"write":     "put down",
	"append":    "tack on",
	"authorize": "let through",
	"cancel":    "call off",
	"disable":   "turn off",
	"enable":    "turn on",
	"modify":    "alter",
}
