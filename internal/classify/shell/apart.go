package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Apart returns the statement of a command line that contains a byte offset, if the statement can run on its own.
// Every statement of the line must be a program or a pipeline whose only link with the others is success (&& and ||).
// ok is false for a line that sets variables, functions or redirections for later statements.
func Apart(line string, at int) (statement string, ok bool) {
	list, ok := parse(line)
	if !ok || slices.ContainsFunc(list, governsOthers) {
		return "", false
	}
	for _, s := range list {
		if found := apart(s, at); found != nil && !expands(found) {
			return strings.TrimRight(line[found.Pos().Offset():found.End().Offset()], "; "), true
		}
	}
	return "", false
}

// apart returns the statement within a list of && and || that contains an offset. It returns nil if that statement is
// neither a program nor a pipeline.
func apart(s *syntax.Stmt, at int) *syntax.Stmt {
	if at < int(s.Pos().Offset()) || at >= int(s.End().Offset()) {
		return nil
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op != syntax.AndStmt && c.Op != syntax.OrStmt {
			break
		}
		if found := apart(c.X, at); found != nil {
			return found
		}
		return apart(c.Y, at)
	case *syntax.CallExpr:
	default:
		return nil
	}
	if slices.ContainsFunc(s.Redirs, keeps) || !isPipeline(s) {
		return nil
	}
	return s
}

// isPipeline reports whether a statement consists only of programs and pipes.
func isPipeline(s *syntax.Stmt) bool {
	if s == nil || s.Background || s.Coprocess || slices.ContainsFunc(s.Redirs, keeps) {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return len(c.Args) > 0
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe && isPipeline(c.X) && isPipeline(c.Y)
	}
	return false
}

// keeps reports whether a redirection may write a file that a later statement reads.
func keeps(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.WordHdoc, syntax.Hdoc, syntax.DashHdoc, syntax.DplIn:
		return false
	case syntax.DplOut: // >&1 and >&2 are descriptors, anything else is a file
		return r.Word == nil || r.Word.Lit() != "1" && r.Word.Lit() != "2"
	}
	return r.Word == nil || r.Word.Lit() != "/dev/null"
}

// governsOthers reports whether a statement contains something that changes what other statements do: an assignment, a
// function, or a builtin such as exec and alias.
func governsOthers(s *syntax.Stmt) bool {
	found := false
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign, *syntax.FuncDecl, *syntax.DeclClause:
			found = true
		case *syntax.ParamExp:
			found = found || n.Exp != nil // ${name:=value} sets the variable
		case *syntax.CallExpr:
			configures := func(w *syntax.Word) bool { return configuring()[w.Lit()] }
			found = found || len(n.Args) > 0 && (n.Args[0].Lit() == "" || governing()[n.Args[0].Lit()]) ||
				slices.ContainsFunc(n.Args, configures)
		}
		return !found
	})
	return found
}

// governing lists builtins that change what other statements do.
var governing = words("exec eval source . alias export trap enable hash read mapfile readarray builtin command shopt")

// configuring lists words of commands that set the address to which a program connects: "aws configure", "git remote
// set-url".
var configuring = words("config configure remote set-url login alias context use-context set-context profile")

// expands reports whether a statement uses a variable or the output of another command.
func expands(s *syntax.Stmt) bool {
	found := false
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp:
			found = true
		}
		return !found
	})
	return found
}
