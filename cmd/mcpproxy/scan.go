package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/eval"
	"mcpproxy/internal/scan/definition"
)

// formatSARIF is a format that scan has beside the others.
const formatSARIF = "sarif"

// severities are the thresholds, mildest first; none never fails.
var severities = []mcpproxy.Severity{mcpproxy.SeverityLow, mcpproxy.SeverityMedium, mcpproxy.SeverityHigh, mcpproxy.SeverityCritical}

const noThreshold = "none"

func scanCommand(g *globals) *cobra.Command {
	var inputs []string
	var threshold, server string
	cmd := &cobra.Command{
		Use: "scan [SERVER|FILE.json]", Short: "Look for attacks in what servers say about their tools",
		Long: `Reads the definitions of tools, prompts and servers' instructions, and says which of them try to steer the agent, hide
something, or imitate another server's tool. It calls no tool, and sends nothing anywhere.

Without an argument all servers of the running mcpproxy are scanned, with the name of one that server. A FILE.json holds the
answer to tools/list, a list of tools, or one tool. --input reads JSON Lines as mcpproxy eval tools does.

The exit code is 1 when a definition has a finding of the threshold or above, or could not be scanned.`,
		Example: "  mcpproxy scan\n  mcpproxy scan github\n  mcpproxy scan tools.json --threshold medium\n  mcpproxy scan tools.json -o sarif > tools.sarif",
		Args:    cobra.MaximumNArgs(1),
		Annotations: map[string]string{
			moreFormats: formatSARIF,
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if threshold != noThreshold && !slices.Contains(severities, mcpproxy.Severity(threshold)) {
				return fmt.Errorf("--threshold: %q is none of low, medium, high, critical, none", threshold)
			}
			subjects, err := subjectsOf(cmd, g, args, inputs, server)
			if err != nil {
				return err
			}
			r := scanSubjects(subjects, definition.Scanner{Secrets: detect.New(detect.Rules()).Secrets})
			if err := g.printScan(cmd, r, threshold); err != nil {
				return err
			}
			return r.verdict(threshold)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&inputs, "input", nil, "a file of JSON Lines, a folder of *.jsonl files, or - for standard input; may be repeated")
	flags.StringVar(&threshold, "threshold", string(mcpproxy.SeverityHigh), "exit with code 1 from this severity: low, medium, high, critical; none never does")
	flags.StringVar(&server, "server", "", "name of the server whose tools a FILE.json holds; the file's name without this")
	return cmd
}

// subjectsOf finds what is to be scanned.
func subjectsOf(cmd *cobra.Command, g *globals, args, inputs []string, server string) ([]subject, error) {
	switch {
	case len(args) > 0 && len(inputs) > 0:
		return nil, fmt.Errorf("%q and --input: scan one or the other", args[0])
	case len(inputs) > 0:
		rows, err := eval.Definitions(eval.Options{Inputs: inputs, Stdin: cmd.InOrStdin()})
		return rowSubjects(rows), err
	case len(args) == 0:
		return daemonSubjects(cmd, g, "")
	}
	if looksLikeFile(args[0]) {
		return fileSubjects(args[0], server)
	}
	return daemonSubjects(cmd, g, args[0])
}

// looksLikeFile reports whether a word is the name of a file rather than that of
// a server.
func looksLikeFile(word string) bool {
	if strings.HasSuffix(word, ".json") || strings.HasSuffix(word, ".jsonl") || strings.ContainsAny(word, `/\`) {
		return true
	}
	info, err := os.Stat(word)
	return err == nil && info.Mode().IsRegular()
}

// scanned is what a scan found, and where.
type scanned struct {
	Findings    []located           `json:"findings"`
	RiskScore   int                 `json:"risk_score"` // of all together; of --input, the highest of a row
	Coverage    definition.Coverage `json:"coverage"`
	Definitions int                 `json:"definitions"`
}

// located is a finding and where its definition stands.
type located struct {
	definition.Finding
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Pointer string `json:"pointer,omitempty"` // of the definition, in the file

	from *subject
}

// unreadable is the name under which a definition is reported that no client can
// be trusted to read as we do.
const unreadable = "definition.unreadable"

// scanSubjects scans. Subjects of one group are seen beside each other.
func scanSubjects(subjects []subject, s definition.Scanner) scanned {
	r := scanned{Findings: []located{}, Definitions: len(subjects), Coverage: definition.Coverage{ChecksRun: len(s.Checks())}}
	for from := 0; from < len(subjects); {
		to := from + 1
		for to < len(subjects) && subjects[to].group == subjects[from].group {
			to++
		}
		r.scanGroup(subjects[from:to], s)
		from = to
	}
	r.Coverage.ChecksFailed = len(r.Coverage.FailedCheckIDs)
	return r
}

func (r *scanned) scanGroup(group []subject, s definition.Scanner) {
	var views, all []definition.ToolView
	var of []int // index in group of each view
	found := make([]*definition.Finding, len(group))
	for i := range group {
		sub := &group[i]
		all = append(all, sub.peers...)
		if sub.beside {
			r.Definitions--
		}
		switch {
		case sub.err == nil:
			all = append(all, sub.view)
			if !sub.beside {
				views, of = append(views, sub.view), append(of, i)
			}
		case !sub.beside:
			f := unreadableFinding(sub)
			found[i] = &f
			r.RiskScore = max(r.RiskScore, unreadableRisk)
		}
	}
	registry := definition.NewRegistry(all)
	out := s.Scan(views, registry)
	r.RiskScore = max(r.RiskScore, out.RiskScore)
	r.cover(out.Coverage)
	next := 0 // findings come in the order of the views, at most one for each
	for n := range out.Findings {
		for ; next < len(views); next++ {
			if about(&out.Findings[n], views[next], registry, s) {
				found[of[next]] = &out.Findings[n]
				next++
				break
			}
		}
	}
	for i, f := range found {
		if f != nil {
			sub := &group[i]
			r.Findings = append(r.Findings, located{Finding: *f, File: sub.file, Line: sub.line(""), Pointer: sub.pointer, from: sub})
		}
	}
}

// about reports whether a finding is about a view. Where a name is there twice,
// a scan of the view alone tells.
func about(f *definition.Finding, v definition.ToolView, registry *definition.RegistryView, s definition.Scanner) bool {
	if v.Server != f.Server || v.Name != f.Tool || cmp.Or(v.Kind, definition.KindTool) != f.Kind {
		return false
	}
	return len(registry.ToolsByName[v.Name]) < 2 || len(s.Scan([]definition.ToolView{v}, registry).Findings) > 0
}

// cover adds what was done for a group.
func (r *scanned) cover(c definition.Coverage) {
	r.Coverage.Unread = append(r.Coverage.Unread, c.Unread...)
	for _, id := range c.FailedCheckIDs {
		if !slices.Contains(r.Coverage.FailedCheckIDs, id) {
			r.Coverage.FailedCheckIDs = append(r.Coverage.FailedCheckIDs, id)
		}
	}
}

// verdict is an error when something reaches the threshold.
func (r *scanned) verdict(threshold string) error {
	if threshold == noThreshold {
		return nil
	}
	least, bad := slices.Index(severities, mcpproxy.Severity(threshold)), 0
	for _, f := range r.Findings {
		if slices.Index(severities, f.Severity) >= least {
			bad++
		}
	}
	switch {
	case bad == 1:
		return errors.New("one definition has a finding of severity " + threshold + " or above")
	case bad > 1:
		return fmt.Errorf("%d definitions have findings of severity %s or above", bad, threshold)
	case r.Coverage.ChecksFailed > 0:
		return fmt.Errorf("not everything could be scanned: %s failed", strings.Join(r.Coverage.FailedCheckIDs, ", "))
	}
	return nil
}
