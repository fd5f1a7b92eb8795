package classify

import (
	"regexp"
	"slices"
	"strings"

	"mcpproxy"
)

// Words of tool names that say what a call does (RFC-004, phase 4a).
var (
	destructiveWords = words("delete remove drop destroy purge terminate kill wipe erase truncate revoke uninstall rm unlink reset clear shutdown")
	writeWords       = words("create update post send upload push write insert add set edit move rename append put patch save publish merge commit transfer pay invite reply execute run start stop exec modify replace make mkdir copy import install")
	conjunctions     = words("and then")
	readWords        = words("get read fetch query search list find view show describe count check lookup download ls cat head tail stat status inspect browse open echo ping help info explain diff tree glob grep")
)

// Operation says what a call of tool does: by the verbs in its name, tightened
// by annotations and by arguments. An annotation can make a call more
// dangerous than its name, never less.
func (c *Classifier) Operation(tool string, def *mcpproxy.Tool, args map[string]any) mcpproxy.Operation {
	op := byName(Tokens(tool))
	if def != nil {
		switch {
		case def.Destructive != nil && *def.Destructive && (def.ReadOnly == nil || !*def.ReadOnly) && op != mcpproxy.Read && op != mcpproxy.Write:
			// The MCP default for this hint is true, so it only settles names
			// that say nothing.
			op = mcpproxy.Destructive
		case def.ReadOnly != nil && *def.ReadOnly && op == mcpproxy.UnknownOperation:
			op = mcpproxy.Read
		}
	}
	if op != mcpproxy.Destructive && destroysSQL(args) {
		op = mcpproxy.Destructive
	}
	return op
}

// byName lets the most dangerous verb of a name decide, unless the name starts
// with a reading verb ("list_deleted_items").
func byName(tokens []string) mcpproxy.Operation {
	if len(tokens) > 0 && readWords.has(tokens[0]) {
		if i := slices.IndexFunc(tokens, conjunctions.has); i > 0 {
			if op := byName(tokens[i+1:]); op != mcpproxy.UnknownOperation {
				return op // find_and_replace
			}
		}
		return mcpproxy.Read
	}
	if _, ok := destructiveWords.any(tokens); ok {
		return mcpproxy.Destructive
	}
	if _, ok := writeWords.any(tokens); ok {
		return mcpproxy.Write
	}
	if _, ok := readWords.any(tokens); ok {
		return mcpproxy.Read
	}
	return mcpproxy.UnknownOperation
}

// destroysSQL reports whether an argument named like a query drops, truncates
// or deletes without a condition.
func destroysSQL(args map[string]any) bool {
	for name, v := range args {
		s, ok := v.(string)
		if !ok || !slices.Contains([]string{"sql", "query", "statement"}, strings.ToLower(name)) {
			continue
		}
		for _, statement := range strings.Split(sqlComment.ReplaceAllString(strings.ToLower(s), " "), ";") {
			if destroys(strings.Fields(statement)) {
				return true
			}
		}
	}
	return false
}

var sqlComment = regexp.MustCompile(`(?s)/\*.*?\*/|--[^\n]*`)

func destroys(fields []string) bool {
	for i, f := range fields {
		next := ""
		if i+1 < len(fields) {
			next = fields[i+1]
		}
		switch {
		case f == "drop" && slices.Contains([]string{"table", "database", "schema", "view", "index"}, next),
			f == "truncate",
			f == "delete" && next == "from" && !slices.Contains(fields, "where"):
			return true
		}
	}
	return false
}
