package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"

	"mcpproxy"
	"mcpproxy/internal/policy"
)

// Rule is one of the user's own rules (security.policies[]).
type Rule struct {
	Name   string
	When   string // the condition, in CEL
	Then   mcpproxy.Decision
	Reason string // shown with the decision; may be empty
}

// Known holds the names that rules may use, to detect misspelt names. An empty list means that the names are not
// known, and every name is accepted.
type Known struct {
	Servers []string
	Tools   []string // in the form of call.tool
}

// Problem is an error or a warning about a rule.
type Problem struct {
	Index   int // index of the rule in the list
	Line    int // line of the expression, from 1; 0 if the problem has no single position
	Column  int // column of that line, from 1
	Warning bool
	Message string
}

// The limits of rules.
const (
	maxExpression = 10_000  // characters of a condition
	maxCost       = 200_000 // of one evaluation, in CEL's units of some tens of nanoseconds
)

// Set is a list of compiled rules. It is safe for concurrent use.
type Set struct {
	types *provider
	rules []compiled
	args  bool
}

type compiled struct {
	Rule
	program cel.Program
	first   []quick // checked before the program
}

// Compile checks and compiles rules. The problems are in the order of the rules. If one of them is an error, not only
// a warning, the set is nil.
func Compile(list []Rule, known Known) (*Set, []Problem) {
	if len(list) == 0 {
		return &Set{}, nil
	}
	types, err := newProvider()
	if err != nil {
		return nil, []Problem{{Message: err.Error()}}
	}
	env, err := cel.NewEnv(types.options()...)
	if err != nil {
		return nil, []Problem{{Message: err.Error()}}
	}
	c := &compiler{env: env, types: types, known: known}
	set := &Set{types: types}
	for i, r := range list {
		if program := c.compile(i, r); program != nil {
			set.rules = append(set.rules, compiled{r, program, c.first})
		}
		set.args = set.args || strings.Contains(r.When, "args")
	}
	for _, p := range c.problems {
		if !p.Warning {
			return nil, c.problems
		}
	}
	return set, c.problems
}

// compiler compiles the rules of one list and compares each with those before it.
type compiler struct {
	env      *cel.Env
	types    *provider
	known    Known
	earlier  []meaning
	first    []quick // of the last compiled rule
	problems []Problem
}

// meaning is what a rule's condition demands.
type meaning struct {
	index   int
	name    string
	demands []string // the texts of its conjuncts; empty if it is always true
	exprs   []ast.Expr
}

func (c *compiler) mistake(index int, format string, args ...any) {
	c.problems = append(c.problems, Problem{Index: index, Message: fmt.Sprintf(format, args...)})
}

// compile compiles one rule. It returns nil if the rule has an error.
func (c *compiler) compile(index int, r Rule) cel.Program {
	if len(r.When) > maxExpression {
		c.mistake(index, "the condition is longer than %d characters", maxExpression)
		return nil
	}
	checked, issues := c.env.Compile(r.When)
	if issues.Err() != nil {
		for _, e := range issues.Errors() {
			c.problems = append(c.problems, Problem{
				Index:   index,
				Line:    e.Location.Line(),
				Column:  e.Location.Column() + 1,
				Message: e.Message,
			})
		}
		return nil
	}
	if t := checked.OutputType(); !t.IsExactType(cel.BoolType) && !t.IsExactType(cel.DynType) {
		c.mistake(index, "the condition is a %s, and must be true or false", t)
		return nil
	}
	before := len(c.problems)
	c.judge(index, r, checked)
	for _, p := range c.problems[before:] {
		if !p.Warning {
			return nil
		}
	}
	expr := checked.NativeRep().Expr()
	c.first = quickDemands(expr, c.types)
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	if costly(expr, false) { // tracking the cost doubles the time
		options = append(options, cel.CostLimit(maxCost))
	}
	program, err := c.env.Program(checked, options...)
	if err != nil {
		c.mistake(index, "%v", err)
		return nil
	}
	return program
}

// Len returns the number of rules.
func (s *Set) Len() int { return len(s.rules) }

// Names returns the names of the rules, in order.
func (s *Set) Names() []string {
	out := make([]string, len(s.rules))
	for i, r := range s.rules {
		out[i] = r.Name
	}
	return out
}

// LooksAtArguments reports whether a rule reads the arguments of calls.
func (s *Set) LooksAtArguments() bool { return s.args }

// First implements [policy.Rules].
func (s *Set) First(f policy.Facts, skip func(rule string) bool) (policy.Ruling, bool) {
	if len(s.rules) == 0 {
		return policy.Ruling{}, false
	}
	v := &view{facts: &f, types: s.types}
	var unsure policy.Ruling // the first rule that could not be evaluated
	for i := range s.rules {
		r := &s.rules[i]
		name := policy.RuleUser + r.Name
		if skip(name) || slices.ContainsFunc(r.first, func(q quick) bool { return !q.met(v) }) {
			continue
		}
		holds, err := r.holds(v)
		if err != nil && unsure.Rule == "" {
			unsure = policy.Ruling{Decision: mcpproxy.Ask, Rule: name, Reason: failed(r.Name, err)}
		}
		if !holds {
			continue
		}
		reason := r.Reason
		if reason == "" {
			reason = fmt.Sprintf("Your rule %q says %s.", r.Name, r.Then)
		}
		return policy.Stricter(policy.Ruling{Decision: r.Then, Rule: name, Reason: reason}, unsure), true
	}
	return unsure, false
}

// holds reports whether the rule's condition is true for a call.
func (r *compiled) holds(v *view) (bool, error) {
	out, _, err := r.program.Eval(v)
	if err != nil {
		return false, err
	}
	holds, ok := out.Value().(bool)
	if !ok {
		return false, errNoAnswer
	}
	return holds, nil
}

// errNoAnswer reports that a condition is neither true nor false.
var errNoAnswer = errors.New("it is neither true nor false")

// maxError is the maximum length of an error's text that is shown.
const maxError = 200

// failed says why a rule could not be evaluated and what to do.
func failed(name string, err error) string {
	message := err.Error()
	if errors.Is(err, errTooLong) {
		message = errTooLong.Error()
	}
	if r := []rune(message); len(r) > maxError {
		message = string(r[:maxError]) + "…"
	}
	return fmt.Sprintf(
		"Your rule %q could not be evaluated (%s), so somebody must look. has(call.args.x) asks whether an argument is there.",
		name,
		message,
	)
}
