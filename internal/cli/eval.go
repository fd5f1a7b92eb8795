package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/cli/term"
	"mcpproxy/internal/detect"
	"mcpproxy/internal/eval"
	"mcpproxy/internal/exit"
)

func evalCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Measure detection on labelled texts, tools and calls",
		Args:  noSuchVerb,
		RunE:  help,
	}
	cmd.AddCommand(
		evalVerb(
			g,
			"sensitive",
			"Measure the detection of secrets and personal data",
			`Reads JSON Lines of {"text", "label", "value", "values", "positive", "kind"} and prints how many of the positive
texts are found, and how many of the others cause a false alarm, in all and by label.`,
			func(o eval.Options) (*eval.Report, error) { return eval.Sensitive(o, detect.New(detect.Rules())) },
		),
		evalVerb(
			g,
			"content",
			"Measure the detection of injected instructions",
			`Reads JSON Lines of {"text", "label": "injection" or "benign", "kind", "category"} and prints how many of the injections
are found, and how many of the others cause a false alarm, in all and by category.`,
			eval.Content,
		),
		evalTools(g),
		evalChanges(g),
		evalContradiction(g),
		evalClassification(g),
		evalFlow(g),
	)
	return cmd
}

// evalFlags are the flags of every kind of measurement.
type evalFlags struct {
	eval.Options
	minRecall, maxFPR float64
	show              []string
	by                string
	shown             map[string]int // numbers of printed examples
}

// measure reads the input and computes the results.
type measure func(eval.Options) (*eval.Report, error)

func evalVerb(g *globals, name, short, long string, run measure) *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   name + " --input FILE|DIR [--show misses|false-positives [N]]",
		Short: short,
		Long:  long,
		Args:  cobra.ArbitraryArgs,
		Example: "  mcpproxy eval " + name + " --input texts.jsonl\n" +
			"  mcpproxy eval " + name + " --input corpus/ --min-recall 0.95 --max-fpr 0.01\n" +
			"  mcpproxy eval " + name + " --input texts.jsonl --show misses 5",
		RunE: func(cmd *cobra.Command, args []string) error {
			gate, err := f.check(cmd, args)
			if err != nil {
				return err
			}
			return evaluate(cmd, g, f, gate, run)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(
		&f.Inputs,
		"input",
		nil,
		"a file of JSON Lines, a folder of *.jsonl files, or - for standard input; may be repeated",
	)
	flags.StringSliceVar(&f.Kinds, "kind", nil, "only texts of this kind; may be repeated")
	flags.IntVar(&f.Limit, "limit", 0, "at most this number of texts")
	flags.Float64Var(&f.minRecall, "min-recall", 0, "exit with code 6 when recall is below this, 0 to 1")
	flags.Float64Var(&f.maxFPR, "max-fpr", 0, "exit with code 6 when the false-positive rate is above this, 0 to 1")
	flags.StringArrayVar(
		&f.show,
		"show",
		nil,
		"show the first N (20) "+strings.Join(shows(name), " or ")+" with their text",
	)
	if name != "flow" { // sessions can also be grouped by suite
		flags.StringVar(&f.by, "by", byLabel, "what is counted together: label (or category), source or file")
	}
	if name == "sensitive" {
		flags.BoolVar(&f.Weak, "include-weak", false, "count the texts whose label is marked as weak")
	}
	return cmd
}

// check refuses contradictory and impossible flags.
func (f *evalFlags) check(cmd *cobra.Command, args []string) (eval.Gate, error) {
	var gate eval.Gate
	if err := f.count(cmd.Name(), args); err != nil {
		return gate, err
	}
	if f.By = eval.By(f.by); f.by == byLabel {
		f.By = eval.ByLabel
	}
	if f.By != eval.ByLabel && f.By != eval.BySource && f.By != eval.ByFile {
		return gate, fmt.Errorf("invalid --by %q: must be label, source or file", f.by)
	}
	if len(f.Inputs) == 0 && !eval.BringsRows(cmd.Name()) {
		return gate, errors.New("nothing to measure: name a file or folder with --input")
	}
	for _, bound := range []struct {
		name  string
		value *float64
		into  **float64
	}{{"min-recall", &f.minRecall, &gate.MinRecall}, {"max-fpr", &f.maxFPR, &gate.MaxFPR}} {
		if !cmd.Flags().Changed(bound.name) {
			continue
		}
		if !(*bound.value >= 0 && *bound.value <= 1) {
			return gate, fmt.Errorf("--%s: %v is not between 0 and 1", bound.name, *bound.value)
		}
		*bound.into = bound.value
	}
	if cmd.Flags().Changed("limit") && f.Limit < 1 {
		return gate, errors.New("--limit: must be at least 1")
	}
	return gate, nil
}

// count determines how many mistakes of each kind are printed: args are one number for all kinds,
// or one for each kind in the order of the flags.
func (f *evalFlags) count(verb string, args []string) error {
	for _, s := range f.show {
		if !slices.Contains(shows(verb), s) {
			return fmt.Errorf("invalid --show %q: must be one of %s", s, strings.Join(shows(verb), ", "))
		}
	}
	if len(args) > 1 && len(args) != len(f.show) {
		return fmt.Errorf(
			"%d numbers for %d --show: give one number for all of them, or one after each", len(args), len(f.show))
	}
	f.shown = map[string]int{}
	for i, s := range f.show {
		f.shown[s] = 20
		if len(args) > 0 {
			f.shown[s], _ = strconv.Atoi(args[min(i, len(args)-1)])
		}
	}
	for _, arg := range args {
		if n, err := strconv.Atoi(arg); err != nil || n < 1 || len(f.show) == 0 {
			return fmt.Errorf(
				"unexpected argument %q: name files with --input, and how many to show after --show misses or --show false-positives",
				arg,
			)
		}
	}
	return nil
}

// shows returns the kinds of mistakes that a measurement can print.
func shows(verb string) []string {
	if verb == "tools" {
		return []string{"misses", "false-positives", "reviews"}
	}
	return []string{"misses", "false-positives"}
}

func evaluate(cmd *cobra.Command, g *globals, f evalFlags, gate eval.Gate, run measure) error {
	f.Stdin = cmd.InOrStdin()
	stop := f.progress(cmd.ErrOrStderr())
	report, err := run(f.Options)
	stop()
	if err != nil {
		return err
	}
	f.hide(report)
	if err := g.print(cmd.OutOrStdout(), report, metricsTable(report)); err != nil {
		return err
	}
	if g.output == "table" {
		printRest(cmd.OutOrStdout(), report)
	}
	if missed := gate.Missed(report.Metrics); len(missed) > 0 {
		return exit.With(exit.Eval, errors.New(strings.Join(missed, "; ")))
	}
	return nil
}

// progress shows the number of processed texts on a terminal; stop removes it.
func (f *evalFlags) progress(w io.Writer) (stop func()) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(file) {
		return func() {}
	}
	f.Progress = func(done, total int) { fmt.Fprintf(file, "\r%d of %d", done, total) }
	return func() { fmt.Fprint(file, "\r\x1b[K") }
}
