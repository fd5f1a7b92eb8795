package personal

import (
	"strings"
	"time"

	"mcpproxy"
)

// vehicleKinds are the identifying numbers of vehicles that are the same in all countries.
var vehicleKinds = []dataKind{
	{
		id:       "vehicle_identification_number",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		forms:    "X{17}",
		check:    vin,
		words:    "vin, VIN",
		topics:   aboutChassis,
		named:    0.95,
		bare:     0.6,
		alone:    true,
	},
	{
		id:       "license_plate",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		topics:   aboutPlate,
		named:    0.75,
	},
}

// documentKinds are documents of persons that only words identify, because their numbers have different forms.
var documentKinds = []dataKind{
	{
		id:       "passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		topics:   aboutPassport,
		named:    0.85,
	},
	{
		id:       "driver_license",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		topics:   aboutLicence,
		named:    0.84,
	},
	{
		id:       "national_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		named:    0.78,
		words:    "national id number, national id no, nationalid, national identity number, national identification number, identity card number, identity card no, id card number, id card no, social security number, social insurance number, citizen id, citizenship number, personal identification number, government id number",
	},
	{
		id:       "device_identifier",
		category: ofNetwork,
		severity: mcpproxy.SeverityLow,
		forms:    "9{15}|99-999999-999999-9|99 999999 999999 9|9{16}",
		check:    func(id []byte) grade { return proven(luhn(id[:15]) && len(id) == 15 || len(id) == 16) },
		words:    "imei, IMEI, imeisv, equipment identity",
		named:    0.95,
	},
	{
		id:       "sim_card",
		category: ofNetwork,
		severity: mcpproxy.SeverityLow,
		forms:    "9{19}|9{20}|9{18}X",
		check:    func(id []byte) grade { return min(startsWith("89")(id), plausible(allNumbers(id))) },
		words:    "iccid, sim card, sim number, esim",
		named:    0.94,
	},
	{
		id:       "imsi",
		category: ofNetwork,
		severity: mcpproxy.SeverityLow,
		forms:    "9{14,15}",
		words:    "imsi",
		named:    0.94,
	},
}

// vin is seventeen letters and digits without I, O and Q. North America and China use the check digit at the ninth
// position; elsewhere the number must be announced.
func vin(id []byte) grade {
	letters, sum := 0, 0
	for i, c := range id {
		v := 0
		switch {
		case isNumber(c):
			v = digit(c)
		case c == 'I' || c == 'O' || c == 'Q':
			return wrong
		case c < 'S':
			v, letters = int(c-'A')%9+1, letters+1
		default:
			v, letters = int(c-'S')+2, letters+1
		}
		sum += v * [17]int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2}[i]
	}
	if letters < 2 || letters > 14 || !allNumbers(id[14:]) {
		return wrong
	}
	if "0123456789X"[sum%11] == id[8] {
		return right
	}
	return likely
}

// document finds numbers of any form after the words that announce them. It reads consecutive words with digits, and
// requires four digits.
func (r *textReader) document(s, e int) {
	if s > 0 && (r.text[s-1] == '-' || r.text[s-1] == ' ') {
		s = r.startOfRun(s)
	}
	ctx := r.context(s, e)
	for _, kind := range r.x.byName {
		if !ctx.tags.meets(&r.x.want[kind]) {
			continue
		}
		d := ctx.leastBefore(&r.x.want[kind])
		if d > 24 {
			continue
		}
		start := s
		end := r.endOfRun(e)
		digits := 0
		for i := start; i < end; i++ {
			digits += int(byteClass[r.text[i]] & isDigitByte)
		}
		length := end - start
		if digits < 4 || length < 5 || length > 24 {
			continue
		}
		if r.dated(start, end) || r.stamped(start, end) || r.priced(start, end) {
			continue
		}
		id := r.squeeze(start, end)
		if trivial(id) || len(id) > 18 {
			continue
		}
		confidence := r.x.kinds[kind].named
		if d > 12 {
			confidence -= 0.06
		}
		if ctx.tags.has(topicNot) {
			confidence -= 0.15
		}
		r.add(kind, start, end, confidence)
	}
}

// asianPlate finds number plates of Korea and China, which have a letter of the script in the middle or in front:
// "12가 3456", "京A12345".
func (r *textReader) asianPlate(s, e int) {
	t := r.text
	confidence := 0.45
	if r.near.tags.has(topicPlate) {
		confidence = 0.9
	}
	switch {
	case e-s <= 3 && e-s >= 2 && e+7 <= len(t) && t[e] >= 0xea && t[e] <= 0xed && allNumbers([]byte(t[s:e])):
		i := e + 3
		if t[i] == ' ' {
			i++
		}
		if runOfDigits(t, i) == 4 && (confidence > 0.5 || r.whole(s, i+4)) {
			r.add(r.x.byID["license_plate"], s, i+4, confidence)
		}
	case (e-s == 6 || e-s == 7) && s >= 3 && isLetter(t[s]) && strings.Contains(chineseProvinces, t[s-3:s]):
		r.add(r.x.byID["license_plate"], s-3, e, confidence)
	}
}

// chineseProvinces are the first characters of number plates of China.
const chineseProvinces = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼使领"

// startOfRun moves back over letters that a hyphen joins to the word at s, or over a few capitals before a space.
func (r *textReader) startOfRun(s int) int {
	start := s
	if s > 1 && r.text[s-1] == ' ' {
		for start = s - 1; start > 0 && r.text[start-1] >= 'A' && r.text[start-1] <= 'Z'; {
			start--
		}
		n := s - 1 - start
		if n == 0 || n > 3 || start > 0 && (isAlnum(r.text[start-1]) || r.text[start-1] >= 0x80) ||
			r.isVocable(start) {
			return s
		}
		return start
	}
	for start > 0 && s-start < 12 && (r.text[start-1] == '-' || isAlnum(r.text[start-1])) {
		start--
	}
	if start > 0 && (r.text[start-1] == '_' || r.text[start-1] >= 0x80) || r.text[start] == '-' {
		return s
	}
	return start
}

// isVocable reports whether the word at s announces something, and is therefore not part of a value.
func (r *textReader) isVocable(s int) bool {
	for _, h := range r.near.hits[r.near.head:] {
		if h.start <= s && h.end > s {
			return true
		}
	}
	return false
}

// endOfRun moves on over words that a hyphen joins, or that a space joins if they contain digits.
func (r *textReader) endOfRun(e int) int {
	t := r.text
	for e+1 < len(t) && (t[e] == '-' && isAlnum(t[e+1]) ||
		(t[e] == ' ' || t[e] == '/' || t[e] == '.') && isNumber(t[e+1])) {
		next := e + 1
		for next < len(t) && isAlnum(t[next]) {
			next++
		}
		if next-e > 16 {
			return e
		}
		e = next
	}
	return e
}

// stamped reports whether text[s:e] is a date in the name of a file, as in passports_20261126.pdf.
func (r *textReader) stamped(s, e int) bool {
	day := r.text[s:e]
	if len(day) != 8 || !allNumbers([]byte(day)) || s == 0 || r.text[s-1] != '_' && r.text[s-1] != '-' {
		return false
	}
	_, err := time.Parse("20060102", day)
	return err == nil && (day[:2] == "19" || day[:2] == "20")
}

// dated reports whether text[s:e] is a date.
func (r *textReader) dated(s, e int) bool {
	t := r.text[s:e]
	if len(t) >= 10 && (t[4] == '-' || t[4] == '/' || t[4] == '.') && t[7] == t[4] && (t[:2] == "19" || t[:2] == "20") {
		return true
	}
	return len(t) == 10 && !isAlnum(t[2]) && t[5] == t[2] && (t[6:8] == "19" || t[6:8] == "20") ||
		len(t) == 8 && !isAlnum(t[2]) && t[5] == t[2]
}
