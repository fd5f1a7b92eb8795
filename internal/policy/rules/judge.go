package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"

	"mcpproxy/internal/suggest"
)

// judge reports a rule that never decides: it can never match, or an earlier rule always matches when it does.
func (c *compiler) judge(index int, r Rule, checked *cel.Ast) {
	c.names(index, checked.NativeRep())
	expr := c.folded(checked)
	if why := never(expr, c.types); why != "" {
		c.mistake(index, "the condition can never be true: %s", why)
		return
	}
	if choosesPattern(expr) {
		c.mistake(
			index,
			"the pattern of matches must be a constant in the rule: otherwise the caller could choose a pattern of any cost",
		)
		return
	}
	m := meaning{index: index, name: r.Name, exprs: conjuncts(expr)}
	for _, e := range m.exprs {
		if isConst(e, true) {
			continue
		}
		m.demands = append(m.demands, written(e))
	}
	for _, before := range c.earlier {
		if before.covers(m) {
			// This is only a warning: the earlier rule may be suppressed for some tools.
			c.problems = append(c.problems, Problem{
				Index:   index,
				Warning: true,
				Message: fmt.Sprintf(
					"the rule never decides: the earlier rule %q holds for every call for which this one holds",
					before.name,
				),
			})
			break
		}
	}
	c.earlier = append(c.earlier, m)
}

// folded returns the condition after constant folding.
func (c *compiler) folded(checked *cel.Ast) ast.Expr {
	if fold, err := cel.NewConstantFoldingOptimizer(); err == nil {
		if optimizer, err := cel.NewStaticOptimizer(fold); err == nil {
			if out, issues := optimizer.Optimize(c.env, checked); issues.Err() == nil {
				return out.NativeRep().Expr()
			}
		}
	}
	return checked.NativeRep().Expr()
}

// conjuncts returns the parts of a condition that must all be true.
func conjuncts(e ast.Expr) []ast.Expr { return parts(e, operators.LogicalAnd) }

func parts(e ast.Expr, operator string) []ast.Expr {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operator {
		return []ast.Expr{e}
	}
	var out []ast.Expr
	for _, a := range e.AsCall().Args() {
		out = append(out, parts(a, operator)...)
	}
	return out
}

// never says why a condition can never be true, or returns "" if it can.
func never(e ast.Expr, p *provider) string {
	if isConst(e, false) {
		return "it is constant"
	}
	if either := parts(e, operators.LogicalOr); len(either) > 1 {
		why := ""
		for _, branch := range either {
			if why = never(branch, p); why == "" {
				return ""
			}
		}
		return why
	}
	all := conjuncts(e)
	room := map[string]*room{}
	for _, part := range all {
		if isConst(part, false) {
			return "a part of it is always false"
		}
		if len(all) > 1 && len(parts(part, operators.LogicalOr)) > 1 {
			if why := never(part, p); why != "" {
				return why
			}
		}
		d, ok := demandOf(part)
		if !ok {
			continue
		}
		if room[d.of] == nil {
			room[d.of] = roomOf(d.of, p)
		}
		if !room[d.of].demand(d) {
			return fmt.Sprintf("no value of %s can meet all parts of it", d.of)
		}
	}
	return ""
}

// covers reports whether m is true whenever the later rule's condition is.
func (m meaning) covers(later meaning) bool {
	for _, demand := range m.demands {
		if !slices.Contains(later.demands, demand) && !m.weaker(demand, later) {
			return false
		}
	}
	return true
}

// weaker reports whether a demand of the later rule implies the given demand of m, which may be a choice of
// alternatives or a list.
func (m meaning) weaker(demand string, later meaning) bool {
	var e ast.Expr
	for _, candidate := range m.exprs {
		if written(candidate) == demand {
			e = candidate
		}
	}
	if e == nil {
		return false
	}
	for _, branch := range parts(e, operators.LogicalOr) {
		if slices.Contains(later.demands, written(branch)) {
			return true
		}
	}
	d, ok := demandOf(e)
	if !ok || d.how != operators.In && d.how != operators.Equals {
		return false
	}
	for _, other := range later.exprs {
		o, ok := demandOf(other)
		if !ok || o.of != d.of || o.how != operators.In && o.how != operators.Equals {
			continue
		}
		if !slices.ContainsFunc(o.values, func(v any) bool { return !slices.Contains(d.values, v) }) {
			return true
		}
	}
	return false
}

// choosesPattern reports whether an expression uses matches with a pattern that is not a constant.
func choosesPattern(e ast.Expr) bool {
	all := children(e)
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == overloads.Matches &&
		all[len(all)-1].Kind() != ast.LiteralKind {
		return true
	}
	return slices.ContainsFunc(all, choosesPattern)
}

func isConst(e ast.Expr, want bool) bool {
	return e.Kind() == ast.LiteralKind && e.AsLiteral() == types.Bool(want)
}

// names reports values that a field never has, and unknown servers and tools.
func (c *compiler) names(index int, tree *ast.AST) {
	for _, e := range ast.MatchDescendants(ast.NavigateAST(tree), ast.KindMatcher(ast.CallKind)) {
		d, ok := demandOf(e)
		if !ok {
			continue
		}
		at := tree.SourceInfo().GetStartLocation(e.ID())
		for _, v := range d.values {
			s, ok := v.(string)
			if !ok {
				continue
			}
			warning, message := c.name(d.of, s, tree, e)
			if message != "" {
				c.problems = append(c.problems, Problem{index, at.Line(), at.Column() + 1, warning, message})
			}
		}
	}
}

// name reports what is wrong with a value with which a path is compared.
func (c *compiler) name(path, s string, tree *ast.AST, e ast.Expr) (warning bool, message string) {
	if known := c.valuesOf(path, tree, e); known != nil && !slices.Contains(known, s) {
		return false, fmt.Sprintf("%s is never %q: it is one of %s", path, s, strings.Join(known, ", "))
	}
	known := map[string][]string{"call.server": c.known.Servers, "call.tool": c.known.Tools}[path]
	if len(known) > 0 && s != "" && !slices.Contains(known, s) {
		message = fmt.Sprintf("there is no %s %q", strings.TrimPrefix(path, "call."), s)
		if near := suggest.Nearest(s, known); near != "" {
			message += fmt.Sprintf("; did you mean %q?", near)
		}
		return true, message
	}
	return false, ""
}

// valuesOf returns all values that the field at a path can have, or nil if they are not known. The path may begin
// with the variable of a comprehension.
func (c *compiler) valuesOf(path string, tree *ast.AST, e ast.Expr) []string {
	variable, name, ok := strings.Cut(path, ".")
	if !ok {
		return nil
	}
	if v := c.types.variables[variable]; v != nil && !v.list {
		if f := v.typ.byName[name]; f != nil {
			return f.values
		}
		return nil
	}
	for _, arg := range e.AsCall().Args() {
		if arg.Kind() != ast.SelectKind {
			continue
		}
		if o := c.types.objects[tree.GetType(arg.AsSelect().Operand().ID()).TypeName()]; o != nil {
			if f := o.byName[arg.AsSelect().FieldName()]; f != nil {
				return f.values
			}
		}
	}
	return nil
}
