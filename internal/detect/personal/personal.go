package personal

import (
	"slices"
	"strings"
	"sync"

	"mcpproxy"
)

// leastConfidence is what a finding of personal data needs to be told.
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
	Confidence float64 // of a value that the words around it announce, 0 to 1
}

// Hit is one piece of personal data: text[Start:End]. Severity and confidence
// are those of this place, and replace the rule's.
type Hit struct {
	Rule       *Rule
	Start, End int
	Severity   mcpproxy.Severity
	Confidence float64
}

// dataKind is one kind of personal data: how it is written, what proves it, and
// which words announce it.
type dataKind struct {
	id       string
	category string
	severity mcpproxy.Severity

	// forms are pictures of the value, separated by '|': 9 stands for a digit, A
	// for a letter, X for either, {m} or {m,n} repeats the one before, and ~ is a
	// space, hyphen or dot, the same one throughout. A ? in front says that the
	// grouping proves nothing. Without forms a kind has a reader of its own.
	forms string
	// check tests the value, given in capitals and without separators; nil trusts the form.
	check func(id []byte) grade
	// words announce this kind only, separated by commas; topics is what else announces it.
	// See vocabulary for how words are written.
	words  string
	topics topicSet

	// The confidence of a value that its words announce; that is written in its
	// own grouping; and that just stands in running text. Below leastConfidence it does not count.
	named, grouped, bare float64
	// alone: a value that is the whole text counts, although nothing announces it.
	// strict: only when a check digit proves it.
	alone, strict bool
	// yields: nothing about the value itself proves it, so a word for the number of a thing,
	// such as an invoice, that stands nearer before it takes it away.
	yields bool
}

// grade is what a check says of a value.
type grade int8

const (
	wrong  grade = iota
	likely       // possible, but without proof
	right        // proven by a check digit
)

// proven turns a test by check digit into a grade.
func proven(ok bool) grade {
	if ok {
		return right
	}
	return wrong
}

// plausible turns a test without check digit into a grade that needs no proof.
func plausible(ok bool) grade { return proven(ok) }

// families lists the kinds of personal data, family by family.
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

// personalIndex is all that the reader needs, built once.
type personalIndex struct {
	kinds      []dataKind
	rules      []Rule // of the same index
	byID       map[string]int
	want       []tagSet // the tags that announce a kind
	own        []tagSet // those of its own words
	trie       *formTrie
	words      *vocabulary
	byName     []int // the kinds that words alone tell, whatever their form
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

// Rules lists every kind of personal data that is found. Names, places
// and postal addresses are not: telling them needs a language model. Dates and URLs are no
// personal data of their own; a date is when it is said to be one of birth.
func Rules() []Rule { return slices.Clone(personalData().rules) }

// Find finds personal data in one text. Field is the name of the JSON
// member that holds it; "" for none. It reads the text once, in time linear in its length.
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

// nextTrigger is the first digit or at sign from i on. Every kind of personal
// data that is read here has one, but bank identifier codes.
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

// byteClass says what an ASCII byte is.
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

// list is the words of a list, which are taken apart when they are first needed.
func list(words string) func() []string {
	return sync.OnceValue(func() []string { return strings.Fields(words) })
}

// plainFields are names that say nothing about the value: it stands for itself.
var plainFields = list(
	"text value content message input output data body result arg args query string note notes comment " +
		"prompt description snippet summary item line raw answer response payload number num",
)

// isPlainField reports whether a member's name says nothing about its value.
func isPlainField(field string) bool {
	return field == "" || slices.ContainsFunc(plainFields(), func(f string) bool { return strings.EqualFold(f, field) })
}
