package shell

import (
	"slices"
	"strings"
	"sync"
)

// maxSources is the maximum number of sources of one value. maxReads is the maximum number of elements of
// Command.Reads.
const (
	maxSources = 32
	maxReads   = 256
)

// value is the content of a word, a variable, a file or a pipe.
type value struct {
	text  string   // the known part of the text
	known bool     // text is complete
	data  []Source // where the text may come from; empty for text of the command line
}

func literal(s string) value { return value{text: s, known: true} }

// from returns a value with unknown text and one source.
func from(s Source) value { return value{data: []Source{s}} }

// with returns v with the sources of more added.
func (v value) with(more []Source) value {
	v.data = union(v.data, more)
	return v
}

// then returns v followed by w.
func (v value) then(w value) value {
	if v.text == "" && len(v.data) == 0 {
		return w
	}
	data := union(v.data, w.data)
	if len(v.text)+len(w.text) > maxText {
		return value{text: v.text, data: data}
	}
	return value{text: v.text + w.text, known: v.known && w.known, data: data}
}

// changed returns the value that v becomes after a program has transformed its text.
func (v value) changed() value { return value{data: v.data} }

// carries reports whether v is not empty.
func (v value) carries() bool { return v.text != "" || len(v.data) > 0 }

func union(a, b []Source) []Source {
	for _, s := range b {
		if len(a) < maxSources && !slices.Contains(a, s) {
			a = append(a[:len(a):len(a)], s)
		}
	}
	return a
}

// local returns the sources that are on this machine.
func local(data []Source) []Source {
	return slices.DeleteFunc(slices.Clone(data), func(s Source) bool { return s.Kind == remote })
}

// words returns the words of a list as a set, which is built on first use.
func words(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			set[w] = true
		}
		return set
	})
}
