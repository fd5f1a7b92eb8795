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
	leadingWrites = words("schedule reserve book mark archive") // nouns elsewhere
	conjunctions  = words("and then or")
	readWords     = words(
		"get read fetch query search list find view show describe count check lookup download ls cat head tail stat status inspect browse open echo ping help info explain diff tree glob grep retrieve",
		"filter calculate compute estimate preview simulate",
	)
	// readNouns are reading words that are nouns as well: in "status_reset" the
	// status is reset.
	readNouns = words("list status head tail info count query view check stat tree diff help search")

	// Writing words that are no noun and no sum: who says that such a tool only
	// reads does not say the truth.
	plainWrites = words(
		"create update post send upload push write overwrite insert upsert edit move rename put patch publish commit transfer pay invite reply modify install",
	)

	// Verbs and nouns that stand for a verb and its object when glued together.
	gluedVerbs = strings.Fields(
		"delete remove drop destroy purge truncate erase create update send upload write insert read list fetch download search rename move",
	)
	gluedNouns = words(
		"file files folder folders directory user users record records row rows table tables database databases db collection index",
		"document documents doc docs message messages email emails mail item items issue issues branch repo repository bucket object objects",
		"event events account accounts contact contacts post posts comment comments task tasks page pages note notes data all",
	)
)

// Operation says what a call of tool does: by the verbs in its name, tightened
// by annotations and by arguments, which may be nil. An annotation can make a
// call more dangerous than its name, never less.
func (c *Classifier) Operation(tool string, def *mcpproxy.Tool, args *Arguments) mcpproxy.Operation {
	return withArguments(subject(tool, def).operation, args)
}

// annotated is op, which a tool's name tells, as the tool's annotations tighten it. Known
// says that the name tells what the tool does although it is no operation by itself.
func annotated(op mcpproxy.Operation, known bool, def *mcpproxy.Tool) mcpproxy.Operation {
	if def != nil {
		switch {
		case def.Destructive != nil && *def.Destructive && (def.ReadOnly == nil || !*def.ReadOnly) &&
			op != mcpproxy.Read && op != mcpproxy.Write && !known:
			// The MCP default for this hint is true, so it only settles names
			// that say nothing.
			op = mcpproxy.Destructive
		case def.ReadOnly != nil && *def.ReadOnly && op == mcpproxy.UnknownOperation:
			op = mcpproxy.Read
		}
	}
	return op
}

// withArguments is op as arguments, which may be nil, tighten it.
func withArguments(op mcpproxy.Operation, args *Arguments) mcpproxy.Operation {
	if args != nil && len(args.Destructive) > 0 {
		return mcpproxy.Destructive
	}
	return op
}

// ByName returns the operation that the name of a tool alone suggests.
func ByName(tool string) mcpproxy.Operation { return byName(unglued(Tokens(tool))) }

// PlainWrite reports whether a name says explicitly that the tool writes:
// its first verb is one that nobody uses for reading.
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

// unglued takes words such as "deletefile" apart: a verb and what it is done to,
// where nothing else can be meant.
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

// byName lets the most dangerous verb of a name decide, unless the name starts
// with a reading verb ("list_deleted_items").
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
