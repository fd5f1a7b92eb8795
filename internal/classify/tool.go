package classify

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"mcpproxy"
)

// Classifier holds what configuration says about servers and tools.
type Classifier struct {
	DefaultUnknown  mcpproxy.Side            // side of what no rule knows
	ServerOverrides map[string]mcpproxy.Side // by server name
	ToolOverrides   map[string]mcpproxy.Side // by "server:tool", or an agent tool's name
}

// Words of tool names and parameters that say which way data goes.
var (
	sendingWords = words("send post publish share upload push email mail notify message tweet reply forward broadcast invite submit webhook export transfer pay")
	recipients   = words("to recipient recipients channel webhook url uri endpoint cc bcc email address chat_id phone")
)

// Tool classifies one tool of a server. A nil definition means that the server
// has not described it.
func (c *Classifier) Tool(server, tool string, def *mcpproxy.Tool) mcpproxy.Class {
	if side, ok := c.ToolOverrides[server+":"+tool]; ok {
		return class(side, 1, mcpproxy.ByConfig)
	}
	base := c.Server(server)
	if base.Method == mcpproxy.ByConfig {
		return base
	}
	tokens := Tokens(tool)
	sends := c.sends(tokens, def)
	op := c.Operation(tool, def, nil)
	switch base.Side {
	case mcpproxy.External:
		if mailbox(server) && op == mcpproxy.Read {
			// A mailbox is private data that strangers wrote.
			k := class(mcpproxy.Internal, 0.7, mcpproxy.ByHeuristic)
			k.ReturnsUntrusted = true
			return k
		}
	case mcpproxy.Unknown:
		if sends {
			return class(mcpproxy.External, 0.7, mcpproxy.ByHeuristic)
		}
		if def != nil && def.OpenWorld != nil && *def.OpenWorld && op != mcpproxy.Read {
			return class(mcpproxy.External, 0.6, mcpproxy.ByAnnotation)
		}
	}
	base = c.known(base)
	base.CanExfiltrate = base.CanExfiltrate || sends
	return base
}

// known replaces an unknown side by the configured default.
func (c *Classifier) known(k mcpproxy.Class) mcpproxy.Class {
	if k.Side != mcpproxy.Unknown {
		return k
	}
	side := c.DefaultUnknown
	if side == "" {
		side = mcpproxy.Internal
	}
	d := class(side, 0.3, k.Method)
	return d
}

// mailbox reports whether a server holds people's own messages.
func mailbox(server string) bool {
	_, ok := words("email mail gmail outlook imap").any(Tokens(server))
	return ok
}

// sends reports whether a tool looks like one that hands data to somebody: a
// sending verb together with a parameter that names a recipient.
func (c *Classifier) sends(tokens []string, def *mcpproxy.Tool) bool {
	if _, ok := sendingWords.any(tokens); !ok {
		return false
	}
	if def == nil || len(def.InputSchema) == 0 {
		return true
	}
	var schema struct {
		Properties map[string]any `json:"properties"`
	}
	if json.Unmarshal(def.InputSchema, &schema) != nil {
		return true
	}
	for name := range schema.Properties {
		if recipients.has(strings.ToLower(name)) {
			return true
		}
		if _, ok := recipients.any(Tokens(name)); ok {
			return true
		}
	}
	return false
}

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
