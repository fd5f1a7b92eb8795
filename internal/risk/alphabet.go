package risk

import "strings"

// class is the set of alphabets that a character belongs to.
type class uint8

const (
	decimal class = 1 << iota
	lowerHex
	upperHex
	upper32   // base32
	lower36   // base36
	encoded   // base64, both alphabets
	printable // all ASCII except white space
)

func (c class) in(other class) bool { return c&other != 0 }

// alphabet is an alphabet in which unreadable data is encoded.
type alphabet struct {
	name  string
	class class
	size  float64
	share float64 // share of the maximum entropy from which a run is data
}

// All but one in a thousand random texts have more entropy than this; words and paths have less. Hexadecimal digits
// form no words, so a much lower share suffices there: it also detects data that was only XORed with a repeated key.
const (
	chance = 0.93
	masked = 0.75
)

// alphabets are the known alphabets, narrowest first.
var alphabets = []alphabet{
	{"digits", decimal, 10, chance},
	{"hexadecimal", lowerHex, 16, masked},
	{"hexadecimal", upperHex, 16, masked},
	{"base32", upper32, 32, chance},
	{"base36", lower36, 36, chance},
	{"base64", encoded, 64, chance},
	{"base85", printable, 94, chance},
}

// classOf maps a byte to its alphabets.
var classOf = func() (table [256]class) {
	const digits, lower, upper = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for c := '!'; c <= '~'; c++ {
		table[c] = printable
	}
	for class, characters := range map[class]string{
		decimal:  digits,
		lowerHex: digits + lower[:6],
		upperHex: digits + upper[:6],
		upper32:  upper + "234567",
		lower36:  digits + lower,
		encoded:  digits + lower + upper + "+/-_",
	} {
		for _, c := range characters {
			table[c] |= class
		}
	}
	return table
}()

// alphabetOf returns the narrowest alphabet of a run, which may contain line breaks; nil if there is none.
func alphabetOf(run string) *alphabet {
	all := ^class(0)
	for i := range len(run) {
		if strings.IndexByte("\r\n", run[i]) < 0 {
			all &= classOf[run[i]]
		}
	}
	for i := range alphabets {
		if all.in(alphabets[i].class) {
			return &alphabets[i]
		}
	}
	return nil
}
