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

// Level says how SARIF displays a finding.
type Level string

// The levels of SARIF for findings.
const (
	LevelError   Level = "error"
	LevelWarning Level = "warning"
	LevelNote    Level = "note"
)

// Run is one run of a program that searched for problems.
type Run struct {
	Program    string // name of the program
	Version    string
	URL        string // address of its documentation
	Rules      []Rule // what it searched for, in the order of the listing
	Findings   []Finding
	Failed     []string       // errors of the run, in plain sentences; empty if the run is complete
	Properties map[string]any // further values; they must be encodable as JSON
}

// Rule is one kind of problem that the program searched for.
type Rule struct {
	ID      string
	Name    string // one word
	Summary string // one sentence
	Help    string // how to fix the problem; Markdown
	Level   Level  // level of most of its findings
	Score   float64
	Tags    []string
}

// Finding is one problem that was found.
type Finding struct {
	Rule     string // id of a rule, which must be one of the run's
	Level    Level
	Message  string // plain text, shown as it is
	File     string // path with slashes, or a URI; may be empty
	Line     int    // the first line is 1; 0 means no line
	Pointer  string // JSON pointer into the file
	Object   string // the object of the finding, such as "server:tool"
	Kind     string // kind of that object: function, resource, …
	Score    float64
	Evidence string
	Identity []string // identifies the finding in later runs; if empty, Rule, Object and Pointer do
}

// The SARIF schema.
const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// WriteSARIF writes one run. Findings keep their order. It returns an error if writing fails, if a finding refers to a
// rule that the run does not contain, or if a property cannot be encoded as JSON. In the last two cases it writes
// nothing.
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
			return fmt.Errorf("the finding names the unknown rule %q", f.Rule)
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

// message returns plain text as a SARIF message. It escapes braces, which would be placeholders, and brackets, which
// would be links.
func message(s string) sarifText {
	return sarifText{Text: strings.NewReplacer("{", "{{", "}", "}}", "[", `\[`, "]", `\]`).Replace(valid(s))}
}

func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// score returns a severity between 0 and 10, in the form that code-hosting sites read.
func score(s float64) string { return fmt.Sprintf("%.1f", min(max(s, 0), 10)) }

// fingerprint returns a hash of words. It hashes each word with its length, so that different lists have different
// hashes.
func fingerprint(words []string) string {
	h := sha256.New()
	for _, w := range words {
		fmt.Fprintf(h, "%d:%s", len(w), w)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
