package personal

import (
	"strings"

	"mcpproxy"
)

// nordicKinds are the identifying numbers of Finland, Sweden, Norway, Denmark and Iceland.
var nordicKinds = []dataKind{
	{
		id:       "fi_hetu",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999999-999X|999999+999X|999999A999X",
		check:    fiHETU,
		words:    "hetu, henkilotunnu*, personal identity code, personbeteckning, sosiaaliturvatunnus",
		topics:   aboutNational,
		named:    0.97,
		grouped:  0.9,
		bare:     0.85,
	},
	{
		id:       "fi_business_id",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9999999-9|AA99999999",
		check:    fiBusiness,
		words:    "y tunnus, ytunnus, business id, fo nummer",
		topics:   aboutCompany | aboutVAT,
		named:    0.95,
		grouped:  0.55,
	},
	{
		id:       "fi_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AA9999999",
		words:    "passi*",
		topics:   aboutPassport,
		named:    0.9,
	},
	{
		id:       "se_personnummer",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999999-9999|999999+9999|99999999-9999|9{12}|9{10}|999999 9999|99999999 9999",
		check:    sePerson,
		words:    "personnummer, personnr, pnr, samordningsnummer, personal identity number, swedish personal",
		topics:   aboutNational,
		named:    0.96,
		grouped:  0.75,
		alone:    true,
	},
	{
		id:       "se_organisationsnummer",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "999999-9999|9{10}|99999999-9999|AA9{12}",
		check:    seOrganisation,
		words:    "organisationsnummer, org nr, orgnr, organisation number",
		topics:   aboutCompany | aboutVAT,
		named:    0.95,
		grouped:  0.45,
	},
	{
		id:       "no_fodselsnummer",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}|999999 99999|999999-99999|999999.99999",
		check:    noPerson,
		words:    "fodselsnummer, fodselsnr, personnummer, d nummer, fnr, norwegian id",
		topics:   aboutNational,
		named:    0.96,
		grouped:  0.8,
		bare:     0.55,
		alone:    true,
	},
	{
		id:       "no_orgnr",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{9}|999 999 999|AA9{9}AAA",
		check:    noOrganisation,
		words:    "orgnr, org nr, organisasjonsnummer, foretaksregisteret, mva",
		topics:   aboutCompany | aboutVAT,
		named:    0.95,
	},
	{
		id:       "dk_cpr",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999999-9999|9{10}|999999 9999",
		check:    dkPerson,
		words:    "cpr, cpr nr, cpr nummer, personnummer, danish personal",
		topics:   aboutNational,
		named:    0.95,
		grouped:  0.45,
		alone:    true,
		strict:   true,
	},
	{
		id:       "dk_cvr",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{8}|99 99 99 99|AA9{8}",
		check:    dkCompany,
		words:    "cvr, cvr nr, cvr nummer, se nummer",
		topics:   aboutCompany | aboutVAT,
		named:    0.94,
	},
	{
		id:       "is_kennitala",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999999-9999|9{10}|999999 9999",
		check:    isKennitala,
		words:    "kennitala, kennitolu, kt",
		topics:   aboutNational,
		named:    0.96,
		grouped:  0.8,
		alone:    true,
	},
}

// balticKinds are the identifying numbers of Estonia, Latvia and Lithuania.
var balticKinds = []dataKind{
	{
		id:       "ee_isikukood",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}",
		check:    isikukood,
		words:    "isikukood*, isikukoodi, personal code, estonian id",
		topics:   aboutNational,
		named:    0.96,
		bare:     0.5,
		alone:    true,
	},
	{
		id:       "lt_asmens_kodas",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}",
		check:    isikukood,
		words:    "asmens kod*, lithuanian",
		topics:   aboutNational,
		named:    0.96,
		bare:     0.45,
		alone:    true,
	},
	{
		id:       "lv_personas_kods",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999999-99999|9{11}",
		check:    lvPerson,
		words:    "personas kod*, latvian",
		topics:   aboutNational,
		named:    0.96,
		grouped:  0.8,
		alone:    true,
		strict:   true,
	},
	{
		id:       "ee_company",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{8}",
		words:    "registrikood, registry code",
		named:    0.9,
	},
	{
		id:       "lt_vat",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "AA9{9}|AA9{12}",
		check:    startsWith("LT", "EE"),
		words:    "pvm, kmkr",
		topics:   aboutVAT,
		named:    0.93,
	},
	{
		id:       "lv_vat",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "AA9{11}",
		check:    startsWith("LV", "HR", "IT"),
		words:    "pvn",
		topics:   aboutVAT,
		named:    0.9,
	},
}

// fiHETU is a date, a sign for the century, a number and a check letter: the remainder by 31.
func fiHETU(id []byte) grade {
	if !isDayFirst(id) {
		return wrong
	}
	serial := id[6:]
	if len(id) == 11 {
		if strings.IndexByte("ABCDEFUVWXY", id[6]) < 0 {
			return wrong
		}
		serial = id[7:]
	}
	n := number(id[:6])*1000 + number(serial[:3])
	return proven("0123456789ABCDEFHJKLMNPRSTUVWXY"[n%31] == serial[3] && number(serial[:3]) >= 2)
}

func fiBusiness(id []byte) grade {
	if isLetter(id[0]) {
		if string(id[:2]) != "FI" {
			return wrong
		}
		id = id[2:]
	}
	return proven((11-weighted(id, 7, 9, 10, 5, 8, 4, 2)%11)%11 == digit(id[7]))
}

// sePerson is a date, whose day may be increased by 60, and three digits with a Luhn check over ten digits.
func sePerson(id []byte) grade {
	if len(id) == 12 {
		if !(string(id[:2]) == "19" || string(id[:2]) == "20" || string(id[:2]) == "18") {
			return wrong
		}
		id = id[2:]
	}
	day := number(id[4:6])
	if day > 60 {
		day -= 60
	}
	return proven(isDate(0, number(id[2:4]), day) && luhn(id) && string(id[6:9]) != "000")
}

func seOrganisation(id []byte) grade {
	if isLetter(id[0]) {
		if string(id[:2]) != "SE" {
			return wrong
		}
		id = id[2:12]
	}
	if len(id) == 12 {
		if string(id[:2]) != "16" {
			return wrong
		}
		id = id[2:]
	}
	return proven(id[2] >= '2' && strings.IndexByte("1235679", id[0]) >= 0 && luhn(id))
}

// noPerson checks the date and the two check digits. D numbers add 40 to the day; other special numbers add 40 or 80
// to the month.
func noPerson(id []byte) grade {
	if !isDate(0, number(id[2:4])%40, number(id[:2])%40) {
		return wrong
	}
	k1 := (11 - weighted(id, 3, 7, 6, 1, 8, 9, 4, 5, 2)%11) % 11
	k2 := (11 - weighted(id, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11) % 11
	return proven(k1 == digit(id[9]) && k2 == digit(id[10]))
}

func noOrganisation(id []byte) grade {
	if isLetter(id[0]) {
		if string(id[:2]) != "NO" || string(id[11:]) != "MVA" {
			return wrong
		}
		id = id[2:11]
	}
	return proven((id[0] == '8' || id[0] == '9') && (11-weighted(id, 3, 2, 7, 6, 5, 4, 3, 2)%11)%11 == digit(id[8]))
}

// dkPerson checks the date. Its day may be increased by 60. A number with a wrong check digit is still likely, because
// numbers issued since 2007 may have one.
func dkPerson(id []byte) grade {
	day := number(id[:2])
	if day > 60 {
		day -= 60
	}
	if !isDate(0, number(id[2:4]), day) {
		return wrong
	}
	if weighted(id, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0 {
		return right
	}
	return likely
}

func dkCompany(id []byte) grade {
	if isLetter(id[0]) {
		if string(id[:2]) != "DK" {
			return wrong
		}
		id = id[2:]
	}
	return proven(id[0] != '0' && weighted(id, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0)
}

// isKennitala checks the date, the check digit and the digit of the century. For companies, 40 is added to the day.
func isKennitala(id []byte) grade {
	return proven(isDate(0, number(id[2:4]), number(id[:2])%40) && (id[9] == '9' || id[9] == '0' || id[9] == '8') &&
		(11-weighted(id, 3, 2, 7, 6, 5, 4, 3, 2)%11)%11 == digit(id[8]))
}

// isikukood is the century and sex, a date, a serial number and a check digit with two sets of weights.
func isikukood(id []byte) grade {
	if id[0] < '1' || id[0] > '8' || !isShortDate(id[1:7]) {
		return wrong
	}
	return proven(twoTries(id, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 1}, []int{3, 4, 5, 6, 7, 8, 9, 1, 2, 3}))
}

// twoTries is a check modulo 11 that uses other weights if the first give ten.
func twoTries(id []byte, first, second []int) bool {
	n := weighted(id, first...) % 11
	if n == 10 {
		n = weighted(id, second...) % 11 % 10
	}
	return n == digit(id[len(id)-1])
}

// lvPerson checks the date, the digit of the century and the check digit. A number that begins with 32 to 39 contains
// no information, so it is only likely.
func lvPerson(id []byte) grade {
	if id[0] == '3' && id[1] >= '2' {
		return likely
	}
	if !isDayFirst(id) || id[6] > '2' {
		return wrong
	}
	return proven((1+weighted(id, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9))%11%10 == digit(id[10]))
}
