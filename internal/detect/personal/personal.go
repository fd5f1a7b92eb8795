package personal

import (
	"slices"
	"strings"
	"sync"

	"mcpproxy"
)

// leastConfidence is the minimum confidence of a finding of personal data.
const leastConfidence = 0.4

// The categories of personal data.
const (
	ofCard         = "credit_card"
	ofBank         = "bank_account"
	ofGovernment   = "government_id"
	ofHealth       = "health"
	ofContact      = "contact"
	ofNetwork      = "network_address"
	ofCrypto       = "crypto_address"
	ofBirth        = "birth_date"
	ofVehicle      = "vehicle"
	ofOrganisation = "organisation_id"
)

// Rule describes one kind of personal data.
type Rule struct {
	ID         string
	Category   string
	Severity   mcpproxy.Severity
	Confidence float64 // of a value that surrounding words announce, 0 to 1
}

// Hit is one piece of personal data: text[Start:End]. Its severity and confidence depend on the context and replace
// those of the rule.
type Hit struct {
	Rule       *Rule
	Start, End int
	Severity   mcpproxy.Severity
	Confidence float64
}

// dataKind is one kind of personal data: its forms, its check, and the words that announce it.
type dataKind struct {
	id       string
	category string
	severity mcpproxy.Severity

	// forms are pictures of the value, separated by '|'. 9 stands for a digit, A for a letter, X for either. {m} or
	// {m,n} repeats the preceding one. ~ is a space, hyphen or dot, the same one throughout. A leading ? says that
	// the grouping is not evidence. A kind without forms has its own reader.
	forms string
	// check tests the value, in capitals and without separators; if nil, the form suffices.
	check func(id []byte) grade
	// words announce only this kind, separated by commas; topics are further tags that announce it. vocabulary
	// documents how words are written.
	words  string
	topics topicSet

	// The confidence of a value that its words announce, of one in its own grouping, and of one in running text. A
	// value below leastConfidence does not count.
	named, grouped, bare float64
	// alone says that a value that is the whole text counts without being announced; strict says that this requires a
	// check digit.
	alone, strict bool
	// yields says that nothing in the value itself is evidence. A word for the number of a thing, such as an invoice,
	// then takes precedence if it is nearer.
	yields bool
}

// grade is the result of a check.
type grade int8

const (
	wrong  grade = iota
	likely       // possible, but without evidence
	right        // confirmed by a check digit
)

// proven returns the grade for the result of a check digit.
func proven(ok bool) grade {
	if ok {
		return right
	}
	return wrong
}

// plausible returns the grade for a test without a check digit.
func plausible(ok bool) grade { return proven(ok) }

// families returns the kinds of personal data, by family.
func families() [][]dataKind {
	return [][]dataKind{
		contactKinds,
		cardKinds,
		bankKinds,
		networkKinds,
		cryptoKinds,
		birthKinds,
		vehicleKinds,
		documentKinds,
		healthKinds,
		usKinds,
		northAmericaKinds,
		latinKinds,
		britishKinds,
		germanKinds,
		alpineKinds,
		frenchKinds,
		lowlandKinds,
		iberianKinds,
		italianKinds,
		nordicKinds,
		balticKinds,
		easternKinds,
		balkanKinds,
		eurasianKinds,
		indianKinds,
		chineseKinds,
		koreanKinds,
		southEastKinds,
		middleEastKinds,
		pacificKinds,
		africanKinds,
	}
}

// personalIndex holds the data structures of the reader, built once.
type personalIndex struct {
	kinds      []dataKind
	rules      []Rule // in the same order
	byID       map[string]int
	want       []tagSet // the tags that announce a kind
	own        []tagSet // those for its own words
	trie       *formTrie
	words      *vocabulary
	byName     []int // the kinds that only words identify, whatever their form
	wantByName tagSet
}

var personalData = sync.OnceValue(func() *personalIndex {
	x := &personalIndex{byID: map[string]int{}, trie: newFormTrie(), words: newVocabulary()}
	for _, family := range families() {
		x.kinds = append(x.kinds, family...)
	}
	for i, k := range x.kinds {
		x.byID[k.id] = i
		if k.named == 0 {
			x.kinds[i].named = 0.9
		}
		x.rules = append(x.rules, Rule{
			ID:         k.id,
			Category:   k.category,
			Severity:   k.severity,
			Confidence: x.kinds[i].named,
		})
		var want, own tagSet
		own.add(firstKindTag + i)
		want.add(firstKindTag + i)
		for t := range topicCount {
			if k.topics&(1<<t) != 0 {
				want.add(int(t))
			}
		}
		x.want, x.own = append(x.want, want), append(x.own, own)
		x.words.addList(k.words, firstKindTag+i)
	}
	for i := range x.kinds {
		x.trie.add(x, i)
	}
	for topic, list := range topicWords {
		x.words.addList(list, topic)
	}
	for _, id := range []string{"passport", "driver_license", "national_id", "medical_record_number", "health_insurance_id", "license_plate"} {
		x.byName = append(x.byName, x.byID[id])
		x.wantByName.merge(&x.want[x.byID[id]])
	}
	x.words.seal()
	return x
})

// Rules returns every kind of personal data that is found. It does not include names, places and postal addresses,
// because recognising them needs a language model. Dates and URLs are not personal data by themselves; a date is if
// the text says that it is a date of birth.
func Rules() []Rule { return slices.Clone(personalData().rules) }

// Find finds personal data in one text. field is the name of the JSON member that contains it, or "". The time is
// linear in the length of the text.
func Find(text, field string) []Hit {
	i := nextTrigger(text, 0)
	if i == len(text) && !mayHoldBIC(text, field) {
		return nil
	}
	r := textReaders.Get().(*textReader)
	defer r.free()
	r.begin(text, field)
	for i < len(text) {
		if text[i] == '@' {
			i = nextTrigger(text, r.email(i))
			continue
		}
		start, end := i, i+1
		for start > r.done && isAlnum(text[start-1]) {
			start--
		}
		for end < len(text) && isAlnum(text[end]) {
			end++
		}
		r.done = r.word(start, end)
		i = nextTrigger(text, r.done)
	}
	r.bankCodes()
	return r.settle()
}

// nextTrigger returns the first digit or at sign from i on. Every kind of personal data that is read there contains
// one, except bank identifier codes.
func nextTrigger(text string, i int) int {
	for i < len(text) && byteClass[text[i]]&(isDigitByte|isAtByte) == 0 {
		i++
	}
	return i
}

const (
	isDigitByte = 1 << iota
	isLetterByte
	isAtByte
	isHexByte
)

// byteClass is the class of an ASCII byte.
var byteClass = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9':
			t[c] = isDigitByte | isHexByte
		case c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F':
			t[c] = isLetterByte | isHexByte
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			t[c] = isLetterByte
		case c == '@':
			t[c] = isAtByte
		}
	}
	return t
}()

func isAlnum(c byte) bool  { return byteClass[c]&(isDigitByte|isLetterByte) != 0 }
func isNumber(c byte) bool { return byteClass[c]&isDigitByte != 0 }
func isLetter(c byte) bool { return byteClass[c]&isLetterByte != 0 }
func isHex(c byte) bool    { return byteClass[c]&isHexByte != 0 }

// list splits a list of words when it is first used.
func list(words string) func() []string {
	return sync.OnceValue(func() []string { return strings.Fields(words) })
}

// plainFields are names that say nothing about the value.
var plainFields = list(
	"text value content message input output data body result arg args query string note notes comment " +
		"prompt description snippet summary item line raw answer response payload number num",
)

// isPlainField reports whether a member's name says nothing about its value.
func isPlainField(field string) bool {
	return field == "" || slices.ContainsFunc(plainFields(), func(f string) bool { return strings.EqualFold(f, field) })
}
