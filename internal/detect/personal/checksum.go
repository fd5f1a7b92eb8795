package personal

// digit returns the value of a digit.
func digit(c byte) int { return int(c - '0') }

// number returns the value of a run of digits.
func number(id []byte) int {
	n := 0
	for _, c := range id {
		n = n*10 + digit(c)
	}
	return n
}

// allNumbers reports whether id consists of digits.
func allNumbers(id []byte) bool {
	for _, c := range id {
		if !isNumber(c) {
			return false
		}
	}
	return true
}

// weighted returns the sum of the digits of id times their weights.
func weighted(id []byte, weights ...int) int {
	sum := 0
	for i, w := range weights {
		sum += digit(id[i]) * w
	}
	return sum
}

// luhn reports whether the Luhn check of payment cards holds: every second digit is doubled, and the sum is a
// multiple of ten.
func luhn(id []byte) bool { return luhnSum(id)%10 == 0 }

func luhnSum(id []byte) int {
	sum := 0
	for i := range id {
		d := digit(id[len(id)-1-i])
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum
}

// ean13 reports whether the check of bar codes holds: alternating weights 1 and 3, from the right.
func ean13(id []byte) bool {
	sum := 0
	for i := range id {
		sum += digit(id[len(id)-1-i]) * (1 + 2*(i%2))
	}
	return sum%10 == 0
}

// verhoeff reports whether the check over the dihedral group of ten elements holds.
func verhoeff(id []byte) bool {
	c := 0
	for i := range id {
		d := digit(id[len(id)-1-i])
		for range i % 8 {
			d = int("1576283094"[d] - '0')
		}
		c = dihedral(c, d)
	}
	return c == 0
}

// dihedral multiplies in the dihedral group of ten elements: 0 to 4 are rotations, 5 to 9 reflections.
func dihedral(a, b int) int {
	switch {
	case a < 5 && b < 5:
		return (a + b) % 5
	case a < 5:
		return 5 + (a+b)%5
	case b < 5:
		return 5 + (a-b)%5
	}
	return (a - b + 5) % 5
}

// iso1110 reports whether the check of ISO 7064 MOD 11,10 holds.
func iso1110(id []byte) bool {
	p := 10
	for _, c := range id[:len(id)-1] {
		if p = (p + digit(c)) % 10; p == 0 {
			p = 10
		}
		p = p * 2 % 11
	}
	return (p+digit(id[len(id)-1]))%10 == 1
}

// iso112 reports whether the check of ISO 7064 MOD 11-2 holds; the last character may be X.
func iso112(id []byte) bool {
	p := 0
	for _, c := range id[:len(id)-1] {
		p = (p + digit(c)) * 2 % 11
	}
	last := 10
	if c := id[len(id)-1]; c != 'X' {
		last = digit(c)
	}
	return (p+last)%11 == 1
}

// mod97 returns the remainder by 97; letters count as 10 to 35.
func mod97(id []byte) int {
	n := 0
	for _, c := range id {
		if isNumber(c) {
			n = (n*10 + digit(c)) % 97
		} else {
			n = (n*100 + int(c-'A') + 10) % 97
		}
	}
	return n
}

// document731 reports whether the check of travel documents holds: repeating weights 7, 3 and 1; letters count as 10
// to 35.
func document731(id []byte) bool {
	last := len(id) - 1
	return isNumber(id[last]) && sum731(id[:last])%10 == digit(id[last])
}

func sum731(id []byte) int {
	sum := 0
	for i, c := range id {
		v := int(c-'A') + 10
		if isNumber(c) {
			v = digit(c)
		}
		sum += v * [3]int{7, 3, 1}[i%3]
	}
	return sum
}

// isDate reports whether a day exists; year 0 stands for any year.
func isDate(year, month, day int) bool {
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return false
	}
	switch month {
	case 4, 6, 9, 11:
		return day <= 30
	case 2:
		leap := year == 0 || year%4 == 0 && (year%100 != 0 || year%400 == 0)
		return day <= 28 || leap && day == 29
	}
	return true
}

// isShortDate reports whether six digits are a year of two digits, a month and a day.
func isShortDate(ymd []byte) bool {
	year := number(ymd[:2])
	if year == 0 {
		year = 2000
	}
	return isDate(year, number(ymd[2:4]), number(ymd[4:6]))
}

// isDayFirst reports whether six digits are a day, a month and a year of two digits.
func isDayFirst(dmy []byte) bool {
	return isShortDate([]byte{dmy[4], dmy[5], dmy[2], dmy[3], dmy[0], dmy[1]})
}

// isLongDate reports whether eight digits are a year, month and day in the lifetime of a living person.
func isLongDate(ymd []byte) bool {
	y := number(ymd[:4])
	return y >= 1890 && y <= 2035 && isDate(y, number(ymd[4:6]), number(ymd[6:8]))
}

// modulo returns the remainder of a decimal number of any length.
func modulo(id []byte, m int) int {
	n := 0
	for _, c := range id {
		n = (n*10 + digit(c)) % m
	}
	return n
}
