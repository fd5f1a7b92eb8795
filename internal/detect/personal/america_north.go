package personal

import (
	"strings"

	"mcpproxy"
)

// northAmericaKinds are the identifying numbers of Canada, Mexico, Central America and the Caribbean.
var northAmericaKinds = []dataKind{
	{
		id:       "ca_sin",
		category: ofGovernment,
		severity: mcpproxy.SeverityCritical,
		forms:    "999 999 999|999-999-999|999999999",
		check:    caSIN,
		words:    "SIN, sin number, sin no, social insurance, NAS, assurance sociale, numero d assurance",
		named:    0.95,
		grouped:  0.5,
		alone:    true,
	},
	{
		id:       "ca_health_card",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "9999-999-999-AA|9999-999-999|9999 999 999|9999999999AA|9999999999|AAAA 9999 9999|AAAA99999999|AAAA-9999-9999",
		check:    caHealth,
		words:    "ohip, health card, ramq, phn, personal health number, carte d assurance maladie, assurance maladie, care card",
		topics:   aboutHealth,
		named:    0.92,
	},
	{
		id:       "ca_business_number",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "999999999AA9999|999999999 AA 9999|999999999 AA9999",
		check:    func(id []byte) grade { return proven(luhn(id[:9])) },
		words:    "business number, gst, hst, BN",
		topics:   aboutVAT | aboutCompany,
		named:    0.93,
		bare:     0.5,
		grouped:  0.5,
	},
	{
		id:       "ca_driver_license",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A9999-99999-99999|A9999-999999-99|A99999999999999|9{6}-9{3}",
		topics:   aboutLicence,
		words:    "permis, saaq, icbc",
		named:    0.9,
		grouped:  0.4,
	},
	{
		id:       "mx_curp",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A{4}9{6}A{6}XX",
		check:    mxCURP,
		words:    "curp, clave unica",
		named:    0.97,
		bare:     0.85,
	},
	{
		id:       "mx_rfc",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A{3,4}9{6}XXX|A{3,4}-9{6}-XXX|A{3,4} 9{6} XXX",
		check:    mxRFC,
		words:    "rfc, registro federal",
		topics:   aboutTax,
		named:    0.95,
		bare:     0.5,
		grouped:  0.6,
		alone:    true,
	},
	{
		id:       "mx_nss",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}|99-99-99-9999-9|99 99 99 9999 9",
		check:    func(id []byte) grade { return proven(luhn(id)) },
		words:    "nss, imss, numero de seguridad social, seguro social",
		topics:   aboutSocial,
		named:    0.94,
		grouped:  0.7,
	},
	{
		id:       "mx_clave_elector",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A{6}9{8}A9{3}",
		check:    func(id []byte) grade { return plausible(isShortDate(id[6:12])) },
		words:    "clave de elector, ine, ife",
		topics:   aboutVoter,
		named:    0.95,
		bare:     0.7,
	},
	{
		id:       "do_cedula",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999-9999999-9|9{11}",
		check:    func(id []byte) grade { return proven(luhn(id)) },
		words:    "cedula, jce, dominican*",
		topics:   aboutNational,
		named:    0.92,
		grouped:  0.75,
	},
	{
		id:       "sv_dui",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99999999-9|9{9}",
		check: func(id []byte) grade {
			return proven((10-weighted(id, 9, 8, 7, 6, 5, 4, 3, 2)%10)%10 == digit(id[8]))
		},
		words: "dui, documento unico",
		named: 0.93,
	},
	{
		id:       "sv_nit",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "9999-999999-999-9",
		check:    func(id []byte) grade { return plausible(isDayFirst(id[4:10])) },
		words:    "nit",
		topics:   aboutTax,
		named:    0.93,
		grouped:  0.6,
	},
	{
		id:       "gt_dpi",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9999 99999 9999|9{13}|9999-99999-9999",
		check:    gtCUI,
		words:    "dpi, cui, documento personal de identificacion",
		topics:   aboutNational,
		named:    0.93,
		grouped:  0.5,
	},
	{
		id:       "gt_nit",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "9{6,8}-X|9{6,8}X",
		check:    gtNIT,
		words:    "nit, tributaria",
		named:    0.9,
	},
	{
		id:       "hn_dni",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9999-9999-99999|9{13}",
		check:    func(id []byte) grade { y := number(id[4:8]); return plausible(y > 1900 && y < 2035) },
		words:    "dni, rtn, honduras, identidad",
		named:    0.88,
	},
	{
		id:       "cr_cedula",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9-9999-9999|9 9999 9999|9{9}",
		check:    func(id []byte) grade { return plausible(id[0] != '0') },
		words:    "cedula, cedula de identidad, costa rica",
		named:    0.88,
	},
	{
		id:       "pa_cedula",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{1,2}-9{2,4}-9{3,6}|AA-9{2,4}-9{3,6}|A-9{2,4}-9{3,6}",
		words:    "cedula, panama, cip",
		named:    0.85,
	},
	{
		id:       "ni_cedula",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999-999999-9999A|9{13}A",
		check:    func(id []byte) grade { return plausible(isDayFirst(id[3:9])) },
		words:    "cedula, nicaragua",
		topics:   aboutNational,
		named:    0.93,
		grouped:  0.7,
		alone:    true,
	},
	{
		id:       "cu_identidad",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}",
		check:    func(id []byte) grade { return plausible(isShortDate(id)) },
		words:    "carne de identidad, carnet de identidad, numero de identidad",
		named:    0.88,
	},
}

func caSIN(id []byte) grade { return proven(id[0] != '0' && id[0] != '8' && luhn(id)) }

// caHealth checks the cards of Ontario, British Columbia (both ten digits) and Quebec (four letters and a date).
func caHealth(id []byte) grade {
	if isLetter(id[0]) {
		month := number(id[6:8])
		return plausible(isDate(0, month-50*(month/50), number(id[8:10])))
	}
	if id[0] == '9' && !isLetter(id[len(id)-1]) {
		sum := weighted(id[1:], 2, 4, 8, 5, 10, 9, 7, 3)
		if (11-sum%11)%11 == digit(id[9]) {
			return right
		}
	}
	return proven(luhn(id[:10]))
}

// mxCURP checks the date, the letter of the sex, and the check digit, which is computed over an alphabet with Ñ.
func mxCURP(id []byte) grade {
	if !isShortDate(id[4:10]) || !strings.ContainsRune("HMX", rune(id[10])) || !isNumber(id[17]) {
		return wrong
	}
	sum := 0
	for i, c := range id[:17] {
		v := digit(c)
		if isLetter(c) {
			if v = int(c-'A') + 10; c > 'N' {
				v++
			}
		}
		sum += v * (18 - i)
	}
	return proven((10-sum%10)%10 == digit(id[17]))
}

// mxRFC checks the date. A number with a wrong check digit is still likely, because many numbers in use have one.
func mxRFC(id []byte) grade {
	head := len(id) - 9
	if !isShortDate(id[head : head+6]) {
		return wrong
	}
	sum := 0
	if head == 3 {
		sum = 37 * 13
	}
	for i, c := range id[:len(id)-1] {
		v := digit(c)
		if isLetter(c) {
			if v = int(c-'A') + 10; c > 'N' {
				v++
			}
		}
		sum += v * (13 - i - 4 + head)
	}
	if "0123456789A"[(11-sum%11)%11] == id[len(id)-1] {
		return right
	}
	return likely
}

// gtCUI checks the check digit of the first eight digits, the department and the municipality.
func gtCUI(id []byte) grade {
	department := number(id[9:11])
	return proven(
		weighted(id, 2, 3, 4, 5, 6, 7, 8, 9)%11 == digit(id[8]) && department >= 1 && department <= 22 &&
			string(id[11:]) != "00",
	)
}

func gtNIT(id []byte) grade {
	sum, last := 0, len(id)-1
	for i, c := range id[:last] {
		sum += digit(c) * (last + 1 - i)
	}
	return proven("0123456789K"[(11-sum%11)%11] == id[last])
}
