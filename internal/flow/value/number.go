package value

import "mcpproxy/internal/flow/table"

// number is a number without its formatting.
type number struct {
	hash  uint64
	other uint64 // the hash of the other reading of an ambiguous number, or 0: 12.345 may mean twelve thousand
	bits  float64
}

const (
	minDigits = 5    // minimum number of significant digits
	maxDigits = 24   // longer runs of digits are not numbers
	digitBits = 3.32 // bits of an unknown digit
)

// readNumber reads the number at the beginning of s: digits, possibly grouped in threes, and decimals. It returns the
// number and its length in bytes. The length is 0 if s begins with no number or the number has too few digits.
func readNumber(s string) (number, int) {
	if s == "" || !IsDigit(s[0]) {
		return number{}, 0
	}
	var digits [maxDigits]byte
	n, whole := 0, -1 // digits so far; digits before the decimal mark
	var group byte    // separator of groups of three
	end := 0
	ambiguous := false
	for end < len(s) {
		c := s[end]
		if c >= '0' && c <= '9' {
			if n == maxDigits {
				return number{}, 0
			}
			digits[n] = c
			n, end = n+1, end+1
			continue
		}
		run := digitRun(s[end+1:])
		if whole >= 0 || n == 0 || run == 0 || !mayGroup(c) {
			break
		}
		if grouped := run == 3 && (group == 0 && n <= 3 || group == c); grouped {
			ambiguous = group == 0 && (c == '.' || c == ',')
			group = c
		} else if c == '.' || c == ',' {
			if group == c {
				break
			}
			whole, ambiguous = n, false
		} else {
			break
		}
		end++
	}
	return numberOf(digits[:n], whole, ambiguous), end
}

// numberOf returns the number with the given digits. whole is the number of digits before the decimal mark, or -1 for
// all digits.
func numberOf(digits []byte, whole int, ambiguous bool) number {
	groups := whole < 0
	if groups {
		whole = len(digits)
	}
	n := number{hash: hashNumber(digits, whole), bits: float64(significant(digits)) * digitBits}
	if groups && ambiguous {
		n.other = hashNumber(digits, whole-3)
	}
	if significant(digits) < minDigits {
		n.hash = 0
	}
	return n
}

// hashNumber returns the hash of a number's digits, without zeros at the end of its decimals.
func hashNumber(digits []byte, whole int) uint64 {
	end := len(digits)
	for end > whole && digits[end-1] == '0' {
		end--
	}
	for whole > 1 && digits[0] == '0' {
		digits = digits[1:]
		whole = whole - 1
		end = end - 1
	}
	sum := uint64('#')
	for i, c := range digits[:end] {
		if i == whole {
			sum = sum*table.TokenBase + table.LetterValues['.']
		}
		sum = sum*table.TokenBase + table.LetterValues[c]
	}
	return table.Scramble(sum)
}

// significant counts the digits from the first to the last that is not 0.
func significant(digits []byte) int {
	start, end := 0, len(digits)
	for start < end && digits[start] == '0' {
		start++
	}
	for start < end && digits[end-1] == '0' {
		end--
	}
	return end - start
}

// digitRun returns the number of digits at the beginning of s.
func digitRun(s string) int {
	n := 0
	for n < len(s) && n <= maxDigits && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func mayGroup(c byte) bool {
	return c == ',' || c == '.' || c == ' ' || c == '\'' || c == '_'
}
