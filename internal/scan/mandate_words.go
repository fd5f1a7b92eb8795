package scan

import (
	"embed"
	"fmt"
	"math/bits"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// role is a set of roles that a word can have in a mandate, as bits.
type role uint64

// The roles of words. The names in the files of roles/ are in roleNames.
const (
	roleAI        role = 1 << iota // always a machine: AI, chatbot
	roleHelper                     // a machine or a person: assistant, agent
	roleAutomatic                  // automated, automation
	roleReads                      // reads, processes, answers: what a reader does with a text
	roleHere                       // this, these
	rolePaper                      // page, form, message: what a reader reads
	roleMust
	roleMay // can, often: describes
	roleIs  // is, are
	roleOurs
	roleNot
	roleWithout
	roleTo
	roleNote // hint, remark: a label

	// The acts.
	roleSend
	roleErase
	rolePay
	roleGrant
	roleOff
	roleApprove
	roleClaim
	roleHide
	roleChange
	roleRun
	roleFetch
	roleTell

	// The objects.
	roleCred
	roleKey // may be a thing of everyday life
	rolePriv
	roleFund
	rolePower
	roleGuard
	roleUser
	roleConsent
	roleOthers
	roleAddress // an address on the web or for mail

	roleMachine = roleAI | roleHelper | roleAutomatic
	roleActs    = roleSend | roleErase | rolePay | roleGrant | roleOff | roleApprove |
		roleClaim | roleHide | roleChange | roleRun | roleFetch | roleTell
)

// roleNames are the roles that the files of roles/ name.
var roleNames = map[string]role{
	"ai":        roleAI,
	"helper":    roleHelper,
	"automatic": roleAutomatic,
	"reads":     roleReads,
	"here":      roleHere,
	"paper":     rolePaper,
	"must":      roleMust,
	"may":       roleMay,
	"is":        roleIs,
	"ours":      roleOurs,
	"not":       roleNot,
	"without":   roleWithout,
	"to":        roleTo,
	"note":      roleNote,
	"send":      roleSend,
	"erase":     roleErase,
	"pay":       rolePay,
	"grant":     roleGrant,
	"off":       roleOff,
	"approve":   roleApprove,
	"claim":     roleClaim,
	"hide":      roleHide,
	"change":    roleChange,
	"run":       roleRun,
	"fetch":     roleFetch,
	"tell":      roleTell,
	"cred":      roleCred,
	"key":       roleKey,
	"priv":      rolePriv,
	"fund":      roleFund,
	"power":     rolePower,
	"guard":     roleGuard,
	"user":      roleUser,
	"consent":   roleConsent,
	"others":    roleOthers,
}

//go:embed roles/*.txt
var roleFiles embed.FS

// roleWords are the words of all languages with their roles.
type roleWords struct {
	common  map[string]uint32 // small words, with the languages that have them
	all     language          // words of scripts that tell the language, and names of machines
	each    []language        // the languages of the Latin script
	english int               // index of English in each
	chars   map[string]role   // words of scripts without spaces
	longest int               // length of the longest of chars, in characters
}

// language is one language's words.
type language struct {
	whole  map[string]role // words, and phrases of up to three words joined by spaces
	stems  map[string]role // beginnings of words
	firsts map[string]bool // first words of phrases
	sizes  [256]uint64     // for each first byte, the lengths of its stems as bits
}

func newLanguage() language {
	return language{whole: map[string]role{}, stems: map[string]role{}, firsts: map[string]bool{}}
}

// maxRoleStem is the maximum length of a stem, in bytes.
const maxRoleStem = 60

// allRoles reads the files of roles/. A line is a role and its words: "*" ends a stem, and "_" joins a phrase. The
// line "common" has small words by which a language of the Latin script is recognised.
var allRoles = sync.OnceValue(func() *roleWords {
	w := &roleWords{common: map[string]uint32{}, all: newLanguage(), chars: map[string]role{}}
	files, err := roleFiles.ReadDir("roles")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		data, err := roleFiles.ReadFile("roles/" + f.Name())
		if err != nil {
			panic(err)
		}
		w.read(f.Name(), string(data))
	}
	return w
})

// read reads one file.
func (w *roleWords) read(file, data string) {
	l := &w.all
	for line := range strings.Lines(data) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "common" {
			w.each = append(w.each, newLanguage())
			l = &w.each[len(w.each)-1]
			for word := range strings.FieldsSeq(list) {
				w.common[foldRole(word)] |= 1 << (len(w.each) - 1)
			}
			if file == "en.txt" {
				w.english = len(w.each) - 1
			}
			continue
		}
		r := roleNames[name]
		if r == 0 {
			panic(fmt.Sprintf("scan: roles/%s names an unknown role: %q", file, name))
		}
		for word := range strings.FieldsSeq(list) {
			if c, _ := utf8.DecodeRuneInString(word); isIdeograph(c) {
				w.chars[word] |= r
				w.longest = max(w.longest, utf8.RuneCountInString(word))
				continue
			}
			l.add(word, r)
		}
	}
}

// add adds a word, a stem or a phrase.
func (l *language) add(word string, r role) {
	if stem, ok := strings.CutSuffix(word, "*"); ok {
		stem = foldRole(stem)
		l.stems[stem] |= r
		l.sizes[stem[0]] |= 1 << min(len(stem), maxRoleStem)
		return
	}
	parts := strings.Split(word, "_")
	for i := range parts {
		parts[i] = foldRole(parts[i])
	}
	if len(parts) > 1 {
		l.firsts[parts[0]] = true
	}
	l.whole[strings.Join(parts, " ")] |= r
}

// of returns the roles of a folded word: those of the word and those of its longest stem.
func (l *language) of(word string) role {
	if word == "" {
		return 0
	}
	r := l.whole[word]
	fits := l.sizes[word[0]] & (1<<(min(len(word), maxRoleStem)+1) - 1)
	for fits != 0 {
		n := bits.Len64(fits) - 1
		if stem, ok := l.stems[word[:n]]; ok {
			return r | stem
		}
		fits &^= 1 << n
	}
	return r
}

// joined gives the last word the roles of a phrase that ends with it.
func (l *language) joined(tokens []roleToken, words []string) {
	n := len(words) - 1
	for k := 1; k <= 2 && n-k >= 0; k++ {
		if !l.firsts[words[n-k]] {
			continue
		}
		if r, ok := l.whole[strings.Join(words[n-k:], " ")]; ok {
			tokens[n].role = r
			tokens[n-k].role = 0
		}
	}
}

// owns reports whether a word means "our" in any language.
func (w *roleWords) owns(word string) bool {
	folded := foldRole(word)
	for i := range w.each {
		if (w.each[i].of(folded)|w.all.of(folded))&roleOurs != 0 {
			return true
		}
	}
	return false
}

// addresses returns the weight of the name of a member as a label for a machine, in any language: note_for_agent,
// para_el_modelo. It is 0 if the name is no such label.
func (w *roleWords) addresses(name string) float64 {
	if len(name) > longestField {
		return 0
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) < 2 {
		return 0
	}
	for i := range words {
		words[i] = foldRole(words[i])
	}
	for i := range w.each {
		var is role
		for _, word := range words {
			is |= (w.each[i].of(word) | w.all.of(word)) & (roleAI | roleHelper | roleTo | roleNote)
		}
		switch {
		case is&(roleAI|roleHelper) == 0 || is&(roleTo|roleNote) == 0:
		case is&(roleAI|roleTo) != 0:
			return mandateNote
		default: // an agent can be a person
			return mandateNote - mandateVague
		}
	}
	return 0
}

// language returns the language of the Latin script with the most small words among words. It is English if no other
// language has more.
func (w *roleWords) language(words []string) *language {
	counts := make([]int, len(w.each))
	for _, word := range words {
		for in := w.common[word]; in != 0; in &= in - 1 {
			counts[bits.TrailingZeros32(in)]++
		}
	}
	best := w.english
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	return &w.each[best]
}

// foldRole returns a word in small letters without accents, as the reader folds words.
func foldRole(word string) string {
	for i := 0; i < len(word); i++ {
		if k := kinds[word[i]]; k != letter && k != digit {
			return foldWord(strings.ToLower(word))
		}
	}
	return strings.ToLower(word)
}
