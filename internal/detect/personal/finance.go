package personal

import (
	"strings"
	"sync"

	"mcpproxy"
)

// cardKinds are payment cards.
var cardKinds = []dataKind{
	{
		id:       "credit_card",
		category: ofCard,
		severity: mcpproxy.SeverityCritical,
		forms:    "9{14,16}|9{12,13}|9{17,19}|9999 9999 9999 9999|9999-9999-9999-9999|9999.9999.9999.9999|9999 999999 99999|9999-999999-99999|9999 999999 9999|9999-999999-9999|9999 9999 9999 9999 999|9999 9999 9999 999|9999 9999 99999|99999999 99999999",
		check:    paymentCard,
		topics:   aboutCard,
		named:    0.97,
		grouped:  0.9,
		bare:     0.65,
		alone:    true,
	},
	{
		id:       "card_security_code",
		category: ofCard,
		severity: mcpproxy.SeverityHigh,
		forms:    "999|9999",
		check:    nil,
		words:    "cvv, cvv2, cvc, cvc2, card security code, card verification, card verification value, card verification code, codigo de seguridad, kartenprufnummer, cryptogramme",
		named:    0.85,
	},
}

// bankKinds are bank accounts and bank identifiers.
var bankKinds = []dataKind{
	{
		id:       "iban",
		category: ofBank,
		severity: mcpproxy.SeverityHigh,
		words:    "iban",
		topics:   aboutBank | aboutRouting,
		named:    0.98,
		bare:     0.9,
	},
	{
		id:       "bic",
		category: ofBank,
		severity: mcpproxy.SeverityLow,
		named:    0.85,
	},
	{
		id:       "us_bank_routing",
		category: ofBank,
		severity: mcpproxy.SeverityMedium,
		forms:    "999999999|9999-9999-9",
		check:    abaRouting,
		words:    "aba, routing*, rtn, ach, transit number, wire",
		topics:   aboutRouting,
		named:    0.93,
		alone:    true,
	},
	{
		id:       "bank_account",
		category: ofBank,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{6,18}|9{3,6}-9{4,10}|9{2,4} 9{4,6} 9{4,10}|9{3,4}-9{3,4}-9{3,8}|9{4} 9{4} 9{2,4}|9{2}-9{4}-9{7}-9{2,3}|9{2} 9{4} 9{7} 9{2,3}|9{5}-9{1}|9{8} 9{8}|9{8}-9{8}|9{8}-9{8}-9{8}|9{2} 9{4} 9{4} 9{4} 9{4} 9{4} 9{4}",
		check:    notDate,
		topics:   aboutBank | aboutRouting,
		named:    0.86,
		yields:   true,
	},
	{
		id:       "uk_sort_code",
		category: ofBank,
		severity: mcpproxy.SeverityLow,
		forms:    "99-99-99|99 99 99|999999",
		words:    "sort code, sortcode, sort no",
		named:    0.9,
	},
	{
		id:       "au_bsb",
		category: ofBank,
		severity: mcpproxy.SeverityLow,
		forms:    "999-999|999999",
		words:    "BSB, bsb number, bank state branch",
		named:    0.9,
	},
	{
		id:       "in_ifsc",
		category: ofBank,
		severity: mcpproxy.SeverityLow,
		forms:    "AAAA9XXXXXX",
		check:    func(id []byte) grade { return plausible(id[4] == '0') },
		words:    "ifsc, ifsc code",
		topics:   aboutBank | aboutRouting,
		named:    0.93,
		alone:    true,
	},
	{
		id:       "mx_clabe",
		category: ofBank,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{18}|999 999 99999999999 9|999-999-99999999999-9",
		check:    clabe,
		words:    "clabe, clabe interbancaria",
		topics:   aboutBank | aboutRouting,
		named:    0.95,
		alone:    true,
	},
	{
		id:       "ar_cbu",
		category: ofBank,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{22}|99999999 99999999999999|99999999-99999999999999",
		check:    cbu,
		words:    "cbu, cvu",
		topics:   aboutBank | aboutRouting,
		named:    0.95,
		bare:     0.5,
	},
	{
		id:       "es_ccc",
		category: ofBank,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{20}|9999 9999 99 9999999999|9999-9999-99-9999999999",
		check:    esCCC,
		words:    "ccc, codigo cuenta cliente, cuenta corriente",
		topics:   aboutBank,
		named:    0.93,
		grouped:  0.7,
	},
	{
		id:       "pl_nrb",
		category: ofBank,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{26}|99 9999 9999 9999 9999 9999 9999",
		check: func(id []byte) grade {
			return proven(modulo(append(append([]byte(nil), id[2:]...), "2521"+string(id[:2])...), 97) == 1)
		},
		words:   "nrb, rachunek, numer rachunku, numer konta, konto",
		topics:  aboutBank,
		named:   0.95,
		grouped: 0.85,
		bare:    0.6,
	},
	{
		id:       "nz_bank_account",
		category: ofBank,
		severity: mcpproxy.SeverityHigh,
		forms:    "99-9999-9999999-99|99-9999-9999999-999|99 9999 9999999 99",
		topics:   aboutBank,
		named:    0.93,
		grouped:  0.55,
	},
}

// issuer is a range of the leading digits of cards, with the lengths of its cards.
type issuer struct {
	from, to, digits int // number of leading digits
	lengths          string
	common           bool // counts without being announced
}

// issuers are the ranges of the card networks.
var issuers = []issuer{
	{4, 4, 1, "16", true},
	{4, 4, 1, "13 19", false}, // Visa
	{51, 55, 2, "16", true},
	{2221, 2720, 4, "16", true}, // Mastercard
	{34, 34, 2, "15", true},
	{37, 37, 2, "15", true}, // American Express
	{6011, 6011, 4, "16 19", true},
	{644, 649, 3, "16 19", true},
	{65, 65, 2, "16 19", true}, // Discover
	{
		300,
		305,
		3,
		"14 16",
		true,
	},
	{3095, 3095, 4, "14 16", true},
	{36, 36, 2, "14", true},
	{38, 39, 2, "14 16", true},
	{36, 36, 2, "16 19", false}, // Diners Club
	{3528, 3589, 4, "16 19", true},
	{2131, 2131, 4, "15", true},
	{1800, 1800, 4, "15", true}, // JCB
	{62, 62, 2, "16 17 18 19", true},
	{81, 82, 2, "16", false}, // UnionPay, RuPay
	{2200, 2204, 4, "16 17 18 19", true},
	{9792, 9792, 4, "16", true},
	{60, 60, 2, "16", false}, // Mir, Troy, RuPay
	{
		8600,
		8600,
		4,
		"16",
		false,
	},
	{9860, 9860, 4, "16", false},
	{506099, 506198, 6, "16 18 19", true},
	{507865, 507964, 6, "16 18 19", true}, // Uzcard, Humo, Verve
	{
		606282,
		606282,
		6,
		"13 16 19",
		false,
	},
	{384100, 384160, 6, "16 19", false},
	{1, 1, 1, "15", false},
	{35, 35, 2, "16 19", false}, // Hipercard, UATP, others in the range of JCB
	{
		50,
		50,
		2,
		"12 13 14 15 16 17 18 19",
		false,
	},
	{56, 58, 2, "12 13 14 15 16 17 18 19", false},
	{6, 6, 1, "12 13 14 15 16 17 18 19", false}, // Maestro and others
}

// paymentCard requires an issuer with that length and the Luhn check. A number of a rare issuer is only likely: it
// must be announced or grouped.
func paymentCard(id []byte) grade {
	best := wrong
	if !luhn(id) {
		return wrong
	}
	for _, is := range issuers {
		if n := number(id[:is.digits]); n < is.from || n > is.to || !strings.Contains(is.lengths, twoDigits(len(id))) {
			continue
		} else if is.common {
			best = right
			break
		}
		best = likely
	}
	return best
}

func twoDigits(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }

// abaRouting checks the number of the Federal Reserve district at the beginning, and the check digit, whose weights
// are 3, 7 and 1.
func abaRouting(id []byte) grade {
	p := number(id[:2])
	if !(p <= 12 || p >= 21 && p <= 32 || p >= 61 && p <= 72 || p == 80) {
		return wrong
	}
	return proven(weighted(id, 3, 7, 1, 3, 7, 1, 3, 7, 1)%10 == 0)
}

// notDate rejects eight digits that are a date.
func notDate(id []byte) grade { return plausible(!allNumbers(id) || len(id) != 8 || !isLongDate(id)) }

func clabe(id []byte) grade {
	sum := 0
	for i, c := range id[:17] {
		sum += digit(c) * [3]int{3, 7, 1}[i%3] % 10
	}
	return proven((10-sum%10)%10 == digit(id[17]))
}

func cbu(id []byte) grade {
	return proven(
		weighted(id, 7, 1, 3, 9, 7, 1, 3, 1)%10 == 0 &&
			weighted(id[8:], 3, 9, 7, 1, 3, 9, 7, 1, 3, 9, 7, 1, 3, 1)%10 == 0,
	)
}

func esCCC(id []byte) grade {
	check := func(d []byte, w ...int) int {
		switch n := 11 - weighted(d, w...)%11; n {
		case 10:
			return 1
		case 11:
			return 0
		default:
			return n
		}
	}
	return proven(
		check(id[:8], 4, 8, 5, 10, 9, 7, 3, 6) == digit(id[8]) &&
			check(id[10:], 1, 2, 4, 8, 5, 10, 9, 7, 3, 6) == digit(id[9]),
	)
}

// ibanLengths maps countries to the lengths of their account numbers.
var ibanLengths = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	for _, f := range strings.Fields("AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 " +
		"GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 " +
		"SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30 DZ26 AO25 BF28 BJ28 CF27 CG27 CI28 CM27 CV25 GA27 GQ27 GW25 IR26 KM27 MA28 MG27 ML28 MZ25 NE28 SN28 TD27 TG28") {
		m[f[:2]] = number([]byte(f[2:]))
	}
	return m
})

// iban reads an account number at text[s:], and reports whether it found one.
func (r *textReader) iban(s, e int) bool {
	t := r.text
	if !isLetter(t[s]) || !isLetter(t[s+1]) || !isNumber(t[s+2]) || !isNumber(t[s+3]) || e-s > 34 ||
		e-s > 4 && e-s < 15 {
		return false
	}
	want := ibanLengths()[strings.ToUpper(t[s:s+2])]
	if want == 0 || e-s > 4 && e-s != want {
		return false
	}
	id, end := r.id[:0], s
	for gap := 0; end < len(t) && len(id) < want; end++ {
		switch c := t[end]; {
		case isNumber(c), c >= 'A' && c <= 'Z':
			id, gap = append(id, c), 0
		case isLetter(c):
			id, gap = append(id, c-'a'+'A'), 0
		case (c == ' ' || c == '-') && gap == 0:
			gap = 1
		default:
			return false
		}
	}
	if len(id) < want || end < len(t) && isAlnum(t[end]) {
		return false
	}
	var turned [34]byte
	n := copy(turned[:], id[4:])
	copy(turned[n:], id[:4])
	if mod97(turned[:want]) != 1 {
		return false
	}
	k := r.x.byID["iban"]
	confidence := r.x.kinds[k].bare
	if r.context(s, end).tags.meets(&r.x.want[k]) {
		confidence = r.x.kinds[k].named
	}
	r.add(k, s, end, confidence)
	return true
}

// mayHoldBIC reports whether a text without digits may contain a bank identifier code.
func mayHoldBIC(text, field string) bool {
	if len(text) < 8 {
		return false
	}
	return strings.Contains(text, "BIC") || strings.Contains(text, "SWIFT") || strings.Contains(text, "Swift") ||
		isBICField(field)
}

func isBICField(field string) bool {
	f := strings.ToLower(field)
	return f != "" &&
		(strings.Contains(f, "swift") || f == "bic" || strings.HasPrefix(f, "bic") || strings.HasSuffix(f, "bic"))
}

// bankCodes finds bank identifier codes after the words BIC and SWIFT.
func (r *textReader) bankCodes() {
	if !mayHoldBIC(r.text, r.field) {
		return
	}
	if isBICField(r.field) {
		r.bic(r.first, min(len(r.text), r.first+40))
	}
	for _, label := range []string{"BIC", "SWIFT", "Swift"} {
		for at := 0; ; {
			i := strings.Index(r.text[at:], label)
			if i < 0 {
				break
			}
			at += i + len(label)
			r.bic(at, min(len(r.text), at+40))
		}
	}
}

// bic reads the first word in capitals of eight or eleven characters in text[s:to].
func (r *textReader) bic(s, to int) {
	for s < to {
		if !isAlnum(r.text[s]) || s > 0 && isAlnum(r.text[s-1]) {
			s++
			continue
		}
		e := s
		for e < len(r.text) && isAlnum(r.text[e]) {
			e++
		}
		if w := r.text[s:e]; (len(w) == 8 || len(w) == 11) && isBIC(w) {
			r.add(r.x.byID["bic"], s, e, 0.85)
			return
		}
		s = e
	}
}

// isBIC reports whether w is four letters for the bank, a country, and a place.
func isBIC(w string) bool {
	for i := range 6 {
		if w[i] < 'A' || w[i] > 'Z' {
			return false
		}
	}
	return !lowerCase(w) && isCountry(w[4:6])
}

// countries are the two-letter ISO 3166 codes, and XK.
const countries = "AD AE AF AG AI AL AM AO AR AT AU AW AZ BA BB BD BE BF BG BH BI BJ BM BN BO BR BS BT BW BY BZ CA CD CF CG CH CI CK CL CM CN CO CR CU CV CW CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY " +
	"HK HN HR HT HU ID IE IL IM IN IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NG NI NL NO NP NR NZ OM PA PE PF PG PH PK PL PM PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SI SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW"

func isCountry(code string) bool {
	i := strings.Index(countries, code)
	return i >= 0 && i%3 == 0
}
