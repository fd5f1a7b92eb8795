package shell

import (
	"slices"
	"strings"
	"sync"
)

// maxSources bounds what one value is followed to, and maxReads what a command
// is said to read.
const (
	maxSources = 32
	maxReads   = 256
)

// value is what a word, a variable, a file or a pipe holds.
type value struct {
	text  string   // as far as it is known
	known bool     // the text is all of it
	data  []Source // where it may come from; none when the command line spells it out
}

func literal(s string) value { return value{text: s, known: true} }

// from is a value of which only the source is known.
func from(s Source) value { return value{data: []Source{s}} }

// with adds the sources of more.
func (v value) with(more []Source) value {
	v.data = union(v.data, more)
	return v
}

// then is v followed by w.
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

// changed is v as a program passes it on that changes its text.
func (v value) changed() value { return value{data: v.data} }

// carries reports whether there is anything in v.
func (v value) carries() bool { return v.text != "" || len(v.data) > 0 }

func union(a, b []Source) []Source {
	for _, s := range b {
		if len(a) < maxSources && !slices.Contains(a, s) {
			a = append(a[:len(a):len(a)], s)
		}
	}
	return a
}

// local are the sources on this machine.
func local(data []Source) []Source {
	return slices.DeleteFunc(slices.Clone(data), func(s Source) bool { return s.Kind == remote })
}

// words is the set of the words in a list, made when it is first needed.
func words(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			set[w] = true
		}
		return set
	})
}
