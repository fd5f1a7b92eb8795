package personal

import "mcpproxy"

// balkanKinds are the identifying numbers of Croatia, Slovenia, Serbia and their neighbours, and of Greece and
// Albania.
var balkanKinds = []dataKind{
	{
		id:       "hr_oib",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}|AA9{11}",
		check:    hrOIB,
		words:    "oib, OIB, osobni identifikacijski broj",
		topics:   aboutTax | aboutNational | aboutVAT,
		named:    0.95,
	},
	{
		id:       "jmbg",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{13}",
		check:    jmbg,
		words:    "jmbg, emso, ембг, embg, јмбг, maticni broj, edinstven maticen",
		topics:   aboutNational,
		named:    0.97,
		bare:     0.65,
		alone:    true,
	},
	{
		id:       "si_tax_number",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{8}|AA9{8}",
		check:    siTax,
		words:    "davcna*, davcna stevilka, id za ddv",
		topics:   aboutTax | aboutVAT,
		named:    0.94,
	},
	{
		id:       "rs_pib",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{9}",
		check:    func(id []byte) grade { return proven(iso1110(id)) },
		words:    "pib, пиб",
		topics:   aboutVAT,
		named:    0.94,
	},
	{
		id:       "gr_amka",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}|999999 99999|999999-99999",
		check:    func(id []byte) grade { return proven(isDayFirst(id) && luhn(id)) },
		words:    "amka, αμκα",
		topics:   aboutSocial,
		named:    0.96,
		bare:     0.5,
		alone:    true,
	},
	{
		id:       "gr_afm",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{9}|AA9{9}",
		check:    grAFM,
		words:    "afm, αφμ, Α.Φ.Μ., arithmos forologikou mitroou",
		topics:   aboutTax | aboutVAT,
		named:    0.95,
	},
	{
		id:       "gr_identity_card",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AA999999|AA-999999|A999999|A-999999|AA 999999",
		words:    "tautotita*, ταυτοτητα*, αδτ, adt",
		named:    0.92,
	},
	{
		id:       "al_nid",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A99999999A",
		check: func(id []byte) grade {
			m := number(id[3:5]) % 50
			return plausible(m >= 1 && m <= 12 && id[0] <= 'K')
		},
		words:  "nid, nipt, albania*, numri personal",
		topics: aboutNational,
		named:  0.9,
	},
}

func hrOIB(id []byte) grade {
	if isLetter(id[0]) {
		if string(id[:2]) != "HR" {
			return wrong
		}
		id = id[2:]
	}
	return proven(iso1110(id))
}

// jmbg is the number of the former Yugoslav states: day, month, three digits of the year, region, serial number and
// check digit.
func jmbg(id []byte) grade {
	n := 11 - weighted(id, 7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11
	return proven(
		isDate(0, number(id[2:4]), number(id[:2])) && (id[4] == '9' || id[4] == '0') && n != 10 &&
			n%11 == digit(id[12]),
	)
}

func siTax(id []byte) grade {
	if isLetter(id[0]) {
		if string(id[:2]) != "SI" {
			return wrong
		}
		id = id[2:]
	}
	n := 11 - weighted(id, 8, 7, 6, 5, 4, 3, 2)%11
	return proven(id[0] != '0' && n != 11 && n%10 == digit(id[7]))
}

func grAFM(id []byte) grade {
	if isLetter(id[0]) {
		if string(id[:2]) != "EL" && string(id[:2]) != "GR" {
			return wrong
		}
		id = id[2:]
	}
	return proven(weighted(id, 256, 128, 64, 32, 16, 8, 4, 2)%11%10 == digit(id[8]))
}
