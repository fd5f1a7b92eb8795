package validate

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/evanw/esbuild/pkg/api"
)

// MaxNesting is the maximum nesting of a script's constructs.
const MaxNesting = 256

// Error says why a script is refused. It is addressed to the agent that wrote the script.
type Error struct {
	Line    int // line of the script; 0 if the error has no line
	Message string
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Message)
	}
	return e.Message
}

func refuse(format string, args ...any) error { return &Error{Message: fmt.Sprintf(format, args...)} }

// strict begins every program. It is placed on the script's first line, so that line numbers stay
// the same.
const strict = `"use strict";`

// Check returns the text that is run for a script: a program whose value is one function without
// parameters. The error is an [*Error].
func Check(source string, limit int) (string, error) {
	if err := surface(source, limit); err != nil {
		return "", err
	}
	body := strings.TrimPrefix(strings.TrimSpace(source), "export default ")
	body = strings.TrimRight(body, "; \t\r\n")
	text, err := lower(strict + "(" + body + "\n)")
	if err == nil {
		err = inspect(text, isFunction)
	}
	if err == nil {
		return text, nil
	}
	if b, ok := errors.AsType[*ban](err); ok {
		return "", b.why
	}
	if text, err = lower(strict + "(async () => {" + source + "\n})"); err == nil {
		err = inspect(text, isBody)
	}
	if b, ok := errors.AsType[*ban](err); ok {
		return "", b.why
	}
	if err != nil {
		return "", err
	}
	return text, nil
}

// surface checks the text of a script before it is parsed: its length, its encoding, and that no character changes
// how the text is displayed.
func surface(source string, limit int) error {
	switch {
	case strings.TrimSpace(source) == "":
		return refuse("the script is empty: give a function, such as async () => { … }")
	case len(source) > limit:
		return refuse("the script has %d bytes, %d are allowed", len(source), limit)
	case !utf8.ValidString(source):
		return refuse("the script is not valid UTF-8")
	case strings.ContainsRune(source, 0):
		return refuse("the script holds a NUL character")
	}
	for i, r := range source {
		if deceives(r) {
			return &Error{
				1 + strings.Count(source[:i], "\n"),
				fmt.Sprintf(
					"the character U+%04X makes text look other than it is: leave it out, or write \\u%04x in a string",
					r,
					r,
				),
			}
		}
	}
	return nil
}

// deceives reports characters that change the displayed order of text.
func deceives(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x200E || r == 0x200F || r == 0x061C
}

// lower strips types and lowers the program to the form that is run.
func lower(program string) (string, error) {
	result := api.Transform(program, api.TransformOptions{
		Loader:        api.LoaderTS,
		Target:        api.ES2017,
		Charset:       api.CharsetUTF8,
		LogLevel:      api.LogLevelSilent,
		TreeShaking:   api.TreeShakingFalse,
		LegalComments: api.LegalCommentsNone,
	})
	if len(result.Errors) == 0 {
		return string(result.Code), nil
	}
	m := result.Errors[0]
	e := &Error{Message: m.Text}
	if m.Location != nil {
		e.Line = m.Location.Line
	}
	return "", e
}

// inspect checks the text that would be run.
func inspect(program string, fits func(ast.Expression) bool) error {
	tree, err := parser.ParseFile(nil, "", program, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return refuse(
			"the script uses a form of JavaScript that is not run here (import() and import.meta are not, for one): %s",
			firstError(err),
		)
	}
	main := -1
	for i, s := range tree.Body {
		e, ok := s.(*ast.ExpressionStatement)
		switch {
		case ok && isDirective(e):
		case ok && main < 0 && i == len(tree.Body)-1 && fits(e.Expression):
			main = i
		case !ok && isHelper(s):
		default:
			return refuse("the script must be one function, or the body of one")
		}
	}
	if main < 0 {
		return refuse("the script must be one function, or the body of one")
	}
	return walk(reflect.ValueOf(tree.Body), MaxNesting)
}

// firstError returns a parser's first message without its position, which refers to the lowered
// text.
func firstError(err error) string {
	if list, ok := errors.AsType[parser.ErrorList](err); ok && len(list) > 0 {
		return list[0].Message
	}
	s, _, _ := strings.Cut(err.Error(), "\n")
	return s
}

func isDirective(e *ast.ExpressionStatement) bool {
	_, ok := e.Expression.(*ast.StringLiteral)
	return ok
}

// isFunction reports whether a script is a function.
func isFunction(e ast.Expression) bool {
	switch f := e.(type) {
	case *ast.ArrowFunctionLiteral:
		return true
	case *ast.FunctionLiteral:
		return !f.Generator
	}
	return false
}

// isBody is isFunction for a script that is the body of a function.
func isBody(e ast.Expression) bool {
	_, ok := e.(*ast.ArrowFunctionLiteral)
	return ok
}

// isHelper reports whether a statement is one that esbuild puts before a program: variables whose
// names begin with two underscores.
func isHelper(s ast.Statement) bool {
	v, ok := s.(*ast.VariableStatement)
	if !ok {
		return false
	}
	for _, b := range v.List {
		name, ok := b.Target.(*ast.Identifier)
		if !ok || !strings.HasPrefix(name.Name.String(), "__") {
			return false
		}
	}
	return true
}
