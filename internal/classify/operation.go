package classify

import (
	"slices"
	"strings"

	"mcpproxy"
)

// Words of tool names that say what a call does (RFC-004, phase 4a).
var (
	destructiveWords = words(
		"delete remove drop destroy purge terminate kill wipe erase truncate revoke uninstall rm unlink reset clear shutdown",
		"expunge obliterate flushall flushdb dropdatabase deprovision",
	)
	writeWords = words(
		"create update post send upload push write insert add set edit move rename append put patch save publish merge commit transfer pay invite reply execute run start stop exec modify replace make mkdir copy import install",
		"overwrite upsert activate deactivate enable disable approve reject restore assign unassign cancel reschedule subscribe unsubscribe",
		"unlock toggle dismiss upgrade enqueue deploy",
	)
	leadingWrites = words("schedule reserve book mark archive") // count as verbs only at the beginning of a name
	conjunctions  = words("and then or")
	readWords     = words(
		"get read fetch query search list find view show describe count check lookup download ls cat head tail stat status inspect browse open echo ping help info explain diff tree glob grep retrieve",
		"filter calculate compute estimate preview simulate",
	)
	// readNouns are reading verbs that are also nouns: status_reset resets the status.
	readNouns = words("list status head tail info count query view check stat tree diff help search")

	// plainWrites are writing verbs that mean neither an object nor a calculation. If a server declares a tool with
	// such a verb read-only, the claim is false.
	plainWrites = words(
		"create update post send upload push write overwrite insert upsert edit move rename put patch publish commit transfer pay invite reply modify install",
	)

	// Verbs and nouns that tool names join without a separator, such as "deletefile".
	gluedVerbs = strings.Fields(
		"delete remove drop destroy purge truncate erase create update send upload write insert read list fetch download search rename move",
	)
	gluedNouns = words(
		"file files folder folders directory user users record records row rows table tables database databases db collection index",
		"document documents doc docs message messages email emails mail item items issue issues branch repo repository bucket object objects",
		"event events account accounts contact contacts post posts comment comments task tasks page pages note notes data all",
	)
)

// Operation returns the operation of a call of tool. The verbs of the name decide; annotations and arguments can make
// the operation more dangerous, never less. args may be nil.
func (c *Classifier) Operation(tool string, def *mcpproxy.Tool, args *Arguments) mcpproxy.Operation {
	return withArguments(subject(tool, def).operation, args)
}

// annotated returns the operation after applying the tool's annotations to op, the operation that the name indicates.
// If known is set, the name tells what the tool does, even if op is unknown.
func annotated(op mcpproxy.Operation, known bool, def *mcpproxy.Tool) mcpproxy.Operation {
	if def != nil {
		switch {
		case def.Destructive != nil && *def.Destructive && (def.ReadOnly == nil || !*def.ReadOnly) &&
			op != mcpproxy.Read && op != mcpproxy.Write && !known:
			// The MCP default of this hint is true, so the hint decides only if the name does not tell what the tool
			// does.
			op = mcpproxy.Destructive
		case def.ReadOnly != nil && *def.ReadOnly && op == mcpproxy.UnknownOperation:
			op = mcpproxy.Read
		}
	}
	return op
}

// withArguments returns op after applying args, which may be nil.
func withArguments(op mcpproxy.Operation, args *Arguments) mcpproxy.Operation {
	if args != nil && len(args.Destructive) > 0 {
		return mcpproxy.Destructive
	}
	return op
}

// ByName returns the operation that the name of a tool alone suggests.
func ByName(tool string) mcpproxy.Operation { return byName(unglued(Tokens(tool))) }

// PlainWrite reports whether the first verb of a name always means writing.
func PlainWrite(tool string) bool { return plainWrite(unglued(Tokens(tool))) }

func plainWrite(tokens []string) bool {
	for _, t := range tokens {
		if plainWrites.has(t) {
			return byName(tokens) == mcpproxy.Write
		}
		if readWords.has(t) || writeWords.has(t) || destructiveWords.has(t) {
			return false
		}
	}
	return false
}

// unglued splits words such as "deletefile" into a verb and its object if the word has no other meaning.
func unglued(tokens []string) []string {
	out := make([]string, 0, len(tokens))
	for _, t := range tokens {
		i := slices.IndexFunc(gluedVerbs, func(verb string) bool {
			rest, ok := strings.CutPrefix(t, verb)
			return ok && gluedNouns.has(rest)
		})
		if i >= 0 {
			out = append(out, gluedVerbs[i], strings.TrimPrefix(t, gluedVerbs[i]))
		} else {
			out = append(out, t)
		}
	}
	return out
}

// byName returns the most dangerous operation among the verbs of a name. If the name starts with a reading verb
// ("list_deleted_items"), that verb decides.
func byName(tokens []string) mcpproxy.Operation {
	if len(tokens) == 2 && readNouns.has(tokens[0]) && destructiveWords.has(tokens[1]) {
		return mcpproxy.Destructive
	}
	if len(tokens) > 0 && readWords.has(tokens[0]) {
		if i := slices.IndexFunc(tokens, conjunctions.has); i > 0 {
			if op := byName(tokens[i+1:]); op != mcpproxy.UnknownOperation {
				return op // find_and_replace
			}
		}
		return mcpproxy.Read
	}
	if destructiveWords.in(tokens) {
		return mcpproxy.Destructive
	}
	if writeWords.in(tokens) || len(tokens) > 1 && leadingWrites.has(tokens[0]) {
		return mcpproxy.Write
	}
	if readWords.in(tokens) {
		return mcpproxy.Read
	}
	return mcpproxy.UnknownOperation
}
