package classify

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/intent"
)

// Subject is a tool as its name and its definition describe it: what follows from
// these, whatever it is called with. It is worked out once and may be asked by many
// at the same time. It stands for the definition that it was made of alone, which
// must not change.
type Subject struct {
	Words []string           // of the name, see [Tokens]
	Name  mcpproxy.Operation // what the name alone tells, see [ByName]
	// PlainWrite reports whether the name says explicitly that the tool writes;
	// see [PlainWrite].
	PlainWrite bool

	def       *mcpproxy.Tool      // nil when the server has not described the tool
	operation mcpproxy.Operation  // what the name and the annotations tell
	params    []string            // names of parameters
	split     map[string][]string // them as words
	described bool                // they are known
	reach     reach
	effect    mcpproxy.Effect // what the name and the definition tell
	claimed   bool            // no word tells it
}

// Describe reads the name and the definition of a tool, which may be nil.
func Describe(tool string, def *mcpproxy.Tool) *Subject {
	s := subject(tool, def)
	s.PlainWrite = plainWrite(unglued(s.Words))
	return s
}

// subject is Describe, without what only claims about a call are compared with.
func subject(tool string, def *mcpproxy.Tool) *Subject {
	s := &Subject{Words: Tokens(tool), def: def}
	s.Name = byName(unglued(s.Words))
	known := byVerbs(unglued(s.Words)) != "" || intent.Mentions(strings.Join(s.Words, " ")).Gravest() != ""
	s.operation = annotated(s.Name, known, def)
	s.params, s.described = parameters(def)
	s.split = make(map[string][]string, len(s.params))
	for _, p := range s.params {
		s.split[p] = Tokens(p)
	}
	s.reach = s.reachOf()
	s.effect = s.effectOf()
	return s
}

// Operation says what a call of the tool does, see [Classifier.Operation]; args may
// be nil.
func (s *Subject) Operation(args *Arguments) mcpproxy.Operation {
	return withArguments(s.operation, args)
}

// reachOf reads a tool's name, what it does, and the names of its parameters.
func (s *Subject) reachOf() reach {
	tokens, op := s.Words, s.operation
	addressed := slices.ContainsFunc(s.params, func(p string) bool { return addresses.has(strings.ToLower(p)) })
	r := reach{open: s.def != nil && s.def.OpenWorld != nil && *s.def.OpenWorld,
		exposes: addressed || s.names(hooked)}
	if hands(tokens) && !onlyReads(tokens) {
		r.sends = !s.described || s.names(recipients)
	}
	if op == mcpproxy.Write || op == mcpproxy.UnknownOperation {
		r.sends = r.sends || s.names(invited) || addressed && slices.Contains(tokens, "http")
		r.exposes = r.exposes || admittingWords.in(tokens) && admitted.in(tokens)
	}
	if op == mcpproxy.Read || op == mcpproxy.UnknownOperation {
		r.fetches = reachesOut(tokens) || addressed && (op == mcpproxy.UnknownOperation || fetchWords.in(tokens))
		r.strangers = op == mcpproxy.Read && correspondence.in(tokens)
	}
	return r
}

// names reports whether one of the parameters is called one of the words, or has it
// in its name.
func (s *Subject) names(words *set) bool {
	return slices.ContainsFunc(s.params, func(p string) bool {
		return words.in(s.split[p]) || words.has(strings.ToLower(p))
	})
}
