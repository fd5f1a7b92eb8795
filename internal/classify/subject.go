package classify

import (
	"slices"
	"strings"

	"mcpproxy"
	"mcpproxy/internal/intent"
)

// Subject holds everything that follows from a tool's name and definition, whatever the arguments of a call are. It is
// computed once and is safe for concurrent use. The definition from which it was made must not change.
type Subject struct {
	Words []string           // the words of the name, see [Tokens]
	Name  mcpproxy.Operation // the operation by the name alone, see [ByName]
	// PlainWrite is the result of the function [PlainWrite] for the name: its first verb always means writing.
	PlainWrite bool

	def       *mcpproxy.Tool      // nil if the server has not described the tool
	operation mcpproxy.Operation  // by the name and the annotations
	params    []string            // the names of the parameters
	split     map[string][]string // the words of each name in params
	described bool                // whether the parameters are known
	reach     reach
	effect    mcpproxy.Effect // by the name and the definition
	claimed   bool            // effect comes from an annotation or is the default; no word indicates it
}

// Describe reads the name and the definition of a tool. The definition may be nil.
func Describe(tool string, def *mcpproxy.Tool) *Subject {
	s := subject(tool, def)
	s.PlainWrite = plainWrite(unglued(s.Words))
	return s
}

// subject is Describe without the exported fields, which are only needed to compare claims about a call.
func subject(tool string, def *mcpproxy.Tool) *Subject {
	s := &Subject{Words: Tokens(tool), def: def}
	s.Name = byName(unglued(s.Words))
	known := byVerbs(unglued(s.Words)) != "" || intent.Mentions(strings.Join(s.Words, " ")).MostSerious() != ""
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

// Operation returns the operation of a call of the tool; see [Classifier.Operation]. args may be nil.
func (s *Subject) Operation(args *Arguments) mcpproxy.Operation {
	return withArguments(s.operation, args)
}

// reachOf determines the reach of a tool from its name, its operation and the names of its parameters.
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

// names reports whether the name of a parameter is or contains one of the words.
func (s *Subject) names(words *set) bool {
	return slices.ContainsFunc(s.params, func(p string) bool {
		return words.in(s.split[p]) || words.has(strings.ToLower(p))
	})
}
