package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Level says how SARIF shows a finding.
type Level string

// The levels of SARIF that findings have.
const (
	LevelError   Level = "error"
	LevelWarning Level = "warning"
	LevelNote    Level = "note"
)

// Run is one run of a program that looked for something.
type Run struct {
	Program    string // its name
	Version    string
	URL        string // where to read about it
	Rules      []Rule // what it looked for, in the order in which they are listed
	Findings   []Finding
	Failed     []string       // what went wrong, in plain sentences; empty for a whole run
	Properties map[string]any // further figures; they must have a JSON form
}

// Rule is one thing that was looked for.
type Rule struct {
	ID      string
	Name    string // in one word
	Summary string // one sentence
	Help    string // what to do about it; Markdown
	Level   Level  // of most of its findings
	Score   float64
	Tags    []string
}

// Finding is one thing that was found.
type Finding struct {
	Rule     string // id of a rule; one that is not among the run's is an error
	Level    Level
	Message  string // plain text, shown as it is
	File     string // path with slashes, or a URI; empty for none
	Line     int    // first line is 1; 0 for none
	Pointer  string // JSON pointer within the file
	Object   string // what the finding is about, such as "server:tool"
	Kind     string // what sort of thing that is: function, resource, …
	Score    float64
	Evidence string
	Identity []string // what makes it the same finding in the next run; Rule, Object and Pointer when empty
}

// The scheme in which SARIF is written.
const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// WriteSARIF writes one run. Findings keep their order. An error means that w
// refused the bytes, that a finding names no rule of the run, or that a property
// has no JSON form; nothing is written in the latter cases.
func WriteSARIF(w io.Writer, r Run) error {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name:           r.Program,
			Version:        r.Version,
			InformationURI: r.URL,
			Rules:          []sarifRule{},
		}},
		Invocations: []sarifInvocation{{Successful: len(r.Failed) == 0}},
		Results:     []sarifResult{},
		ColumnKind:  "utf16CodeUnits",
		Properties:  r.Properties,
	}
	index := map[string]int{}
	for i, rule := range r.Rules {
		index[rule.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule.sarif())
	}
	for _, f := range r.Failed {
		run.Invocations[0].Notifications = append(
			run.Invocations[0].Notifications,
			sarifNotification{LevelError, message(f)},
		)
	}
	for _, f := range r.Findings {
		i, ok := index[f.Rule]
		if !ok {
			return fmt.Errorf("the finding names the rule %q, which the run has not", f.Rule)
		}
		run.Results = append(run.Results, f.sarif(i))
	}
	raw, err := json.Marshal(sarifLog{sarifSchema, sarifVersion, []sarifRun{run}})
	if err != nil {
		return err
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(json.RawMessage(raw)); err != nil {
		return err
	}
	_, err = io.WriteString(w, out.String())
	return err
}

func (r Rule) sarif() sarifRule {
	return sarifRule{
		ID:         r.ID,
		Name:       r.Name,
		Short:      sarifText{Text: r.Summary},
		Full:       sarifText{Text: r.Summary},
		Help:       sarifText{Text: r.Help, Markdown: r.Help},
		Default:    sarifDefault{r.Level},
		Properties: ruleProperties{score(r.Score), r.Tags},
	}
}

func (f Finding) sarif(rule int) sarifResult {
	identity := f.Identity
	if len(identity) == 0 {
		identity = []string{f.Rule, f.Object, f.Pointer}
	}
	out := sarifResult{
		RuleID:       f.Rule,
		RuleIndex:    rule,
		Level:        f.Level,
		Message:      message(f.Message),
		Fingerprints: map[string]string{"mcpproxy/v1": fingerprint(identity)},
		Properties:   resultProperties{score(f.Score), valid(f.Evidence)},
	}
	var at sarifLocation
	if f.File != "" {
		at.Physical = &sarifPhysical{Artifact: sarifArtifact{URI: f.File}}
		if f.Line > 0 {
			at.Physical.Region = &sarifRegion{f.Line}
		}
	}
	if f.Object != "" {
		at.Logical = []sarifLogical{{valid(f.Object), valid(f.Object) + valid(f.Pointer), f.Kind}}
	}
	if at.Physical != nil || at.Logical != nil {
		out.Locations = []sarifLocation{at}
	}
	return out
}

// message returns plain text as SARIF wants it: braces would stand for arguments, and
// brackets for links.
func message(s string) sarifText {
	return sarifText{Text: strings.NewReplacer("{", "{{", "}", "}}", "[", `\[`, "]", `\]`).Replace(valid(s))}
}

func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// score returns a severity between 0 and 10, as code-hosting sites read it.
func score(s float64) string { return fmt.Sprintf("%.1f", min(max(s, 0), 10)) }

// fingerprint returns the same for the same words. Each is told with its length, so
// that no two lists run into one.
func fingerprint(words []string) string {
	h := sha256.New()
	for _, w := range words {
		fmt.Fprintf(h, "%d:%s", len(w), w)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
