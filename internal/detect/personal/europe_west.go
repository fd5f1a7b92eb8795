package personal

import (
	"strings"

	"mcpproxy"
)

// britishKinds are the identifying numbers of the United Kingdom and Ireland.
var britishKinds = []dataKind{
	{
		id:       "uk_nino",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AA999999A|AA 99 99 99 A|AA-99-99-99-A|AA 999999 A|AA99 99 99A|AA 99 99 99A|AA999999|AA 99 99 99",
		check:    ukNINO,
		words:    "nino, NINO, national insurance, ni number, ni no, NI",
		topics:   aboutSocial,
		named:    0.96,
		grouped:  0.75,
		bare:     0.6,
	},
	{
		id:       "uk_nhs",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "999 999 9999|999-999-9999|9999999999",
		check:    ukNHS,
		words:    "nhs, national health service, nhs number",
		topics:   aboutHealth,
		named:    0.96,
		grouped:  0.5,
		alone:    true,
	},
	{
		id:       "uk_chi",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "9999999999|999999 9999",
		check:    func(id []byte) grade { return min(ukNHS(id), plausible(isDayFirst(id))) },
		words:    "chi, chi number, community health index",
		topics:   aboutHealth,
		named:    0.95,
	},
	{
		id:       "uk_utr",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9999999999|99999 99999",
		check:    ukUTR,
		words:    "utr, unique taxpayer, unique tax reference, self assessment",
		topics:   aboutTax,
		named:    0.94,
	},
	{
		id:       "uk_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{9}|AA9{7}",
		words:    "uk passport, british passport, hmpo",
		topics:   aboutPassport,
		named:    0.88,
	},
	{
		id:       "uk_driving_licence",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "XXXXX999999XXXAA|XXXXX 999999 XXXAA|XXXXX999999XXXAA99|XXXXX999999XXXAA 99",
		check:    ukLicence,
		words:    "dvla, driving licence",
		topics:   aboutLicence,
		named:    0.96,
		grouped:  0.75,
		bare:     0.75,
	},
	{
		id:       "uk_postcode",
		category: ofContact,
		severity: mcpproxy.SeverityLow,
		forms:    "A9 9AA|A99 9AA|AA9 9AA|AA99 9AA|A9A 9AA|AA9A 9AA|A99AA|A999AA|AA99AA|AA999AA|A9A9AA|AA9A9AA|AAA 9AA|AAA9AA",
		check:    ukPostcode,
		words:    "postcode, post code, postal code, zip, address, postal address, addressed, deliver, london, england",
		named:    0.8,
		alone:    true,
	},
	{
		id:       "uk_vehicle_registration",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		forms:    "AA99 AAA|AA99AAA|AA99-AAA|A9{1,3} AAA|A9{1,3}AAA|AAA 9{1,3}A|AAA9{1,3}A",
		check:    ukPlate,
		words:    "vrn, dvla, car reg, reg, vehicle, vehicles, registration",
		topics:   aboutPlate,
		named:    0.88,
		alone:    true,
	},
	{
		id:       "uk_company_number",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "99999999|AA999999",
		words:    "company number, companies house, company registration",
		named:    0.85,
	},
	{
		id:       "gb_vat",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "AA999999999|AA 999 9999 99|AA9{12}|999 9999 99|9{9}",
		check:    gbVAT,
		words:    "vat",
		topics:   aboutVAT,
		named:    0.94,
		bare:     0.5,
	},
	{
		id:       "ie_pps",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9999999A|9999999AA|9999999 A|9999999 AA",
		check:    iePPS,
		words:    "pps, ppsn, pps number, personal public service, rsi",
		topics:   aboutNational | aboutSocial,
		named:    0.96,
		bare:     0.55,
		alone:    true,
	},
	{
		id:       "ie_vat",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "AA9999999A|AA9999999AA|AA9X99999A",
		check:    startsWith("IE"),
		words:    "vat",
		topics:   aboutVAT,
		named:    0.93,
		bare:     0.45,
	},
}

// frenchKinds are the identifying numbers of France.
var frenchKinds = []dataKind{
	{
		id:       "fr_nir",
		category: ofGovernment,
		severity: mcpproxy.SeverityCritical,
		forms:    "9{15}|9~99~99~99~999~999~99|9 99 99 9A 999 999 99|9{6}A9{8}|9{13} 99|9{13}-99|9 99 99 99 999 999|9{13}",
		check:    frNIR,
		words:    "nir, securite sociale, numero de secu, secu, insee, carte vitale, num secu, nss",
		topics:   aboutSocial | aboutHealth,
		named:    0.97,
		grouped:  0.9,
		bare:     0.75,
	},
	{
		id:       "fr_numero_fiscal",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{13}|99 99 999 999 999|9 999 999 999 999",
		check:    func(id []byte) grade { return proven(id[0] < '4' && modulo(id[:10], 511) == number(id[10:])) },
		words:    "numero fiscal, spi, impots, avis d imposition",
		topics:   aboutTax,
		named:    0.95,
		grouped:  0.7,
		bare:     0.5,
	},
	{
		id:       "fr_siret",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{14}|999 999 999 99999|999 999 999 99 999",
		check:    func(id []byte) grade { return proven(luhn(id) && luhn(id[:9])) },
		words:    "siret",
		topics:   aboutCompany,
		named:    0.95,
		grouped:  0.7,
		alone:    true,
	},
	{
		id:       "fr_siren",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{9}|999 999 999",
		check:    func(id []byte) grade { return proven(luhn(id)) },
		words:    "siren, rcs",
		topics:   aboutCompany,
		named:    0.93,
	},
	{
		id:       "fr_tva",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "AAXX999999999|AA XX 999 999 999|AA XX 999999999|AAXX 999 999 999|AAXX 999999999",
		check:    frTVA,
		words:    "tva, vat",
		topics:   aboutVAT,
		named:    0.95,
		grouped:  0.7,
		bare:     0.6,
	},
	{
		id:       "fr_cni",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{12}|9{4}AA9{6}|XXXXXXXXX",
		check:    func(id []byte) grade { return plausible(hasBoth(id) || len(id) == 12) },
		words:    "cni, carte nationale d identite, carte d identite",
		named:    0.9,
	},
	{
		id:       "fr_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99AA99999",
		topics:   aboutPassport,
		words:    "passeport",
		named:    0.95,
		alone:    true,
	},
	{
		id:       "fr_driver_license",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{12}|99AA99999",
		words:    "permis de conduire, permis, numero neph, neph",
		topics:   aboutLicence,
		named:    0.9,
	},
	{
		id:       "fr_vehicle_registration",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		forms:    "AA-999-AA|AA 999 AA|9{1,4} A{2,3} 9{2}",
		words:    "immatriculation, plaque, plaque d immatriculation",
		topics:   aboutPlate,
		named:    0.9,
		alone:    true,
	},
}

// lowlandKinds are the identifying numbers of Belgium, the Netherlands and Luxembourg.
var lowlandKinds = []dataKind{
	{
		id:       "nl_bsn",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{9}|9999.99.999|9999 99 999|999 999 999",
		check:    nlBSN,
		words:    "bsn, burgerservicenummer*, burger service nummer, sofinummer, sofi nummer, sofi, citizen service number",
		topics:   aboutNational,
		named:    0.95,
	},
	{
		id:       "nl_btw",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "AA999999999A99|AA 9999.99.999.A.99",
		check:    func(id []byte) grade { return plausible(string(id[:2]) == "NL" && id[11] == 'B') },
		words:    "btw",
		topics:   aboutVAT,
		named:    0.96,
		bare:     0.8,
		grouped:  0.8,
	},
	{
		id:       "nl_identity_document",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AAXXXXXX9",
		check:    func(id []byte) grade { return plausible(strings.IndexByte(string(id), 'O') < 0) },
		words:    "paspoortnummer, documentnummer, identiteitskaart*, paspoort*",
		topics:   aboutPassport,
		named:    0.9,
	},
	{
		id:       "nl_kvk",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{8}",
		words:    "kvk*, kamer van koophandel, handelsregister*",
		named:    0.9,
	},
	{
		id:       "nl_driver_license",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{10}",
		words:    "rijbewijs*, rijbewijsnummer",
		topics:   aboutLicence,
		named:    0.9,
	},
	{
		id:       "nl_vehicle_registration",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		forms:    "AA-99-99|99-99-AA|99-AA-99|AA-99-AA|AA-AA-99|99-AA-AA|99-AAA-9|9-AAA-99|AA-999-A|A-999-AA|AAA-99-A",
		words:    "kenteken*",
		topics:   aboutPlate,
		named:    0.9,
	},
	{
		id:       "be_national_number",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99.99.99-999.99|9{11}|99 99 99 999 99|999999-999-99|999999 999 99|99.99.99 999.99|99-99-99-999-99|99.99.99.999.99|999999-99999",
		check:    beNational,
		words:    "rijksregister*, registre national, numero national, nn, nrn, insz, niss, national register, nationaal nummer",
		topics:   aboutNational | aboutSocial,
		named:    0.96,
		grouped:  0.9,
		bare:     0.5,
		alone:    true,
	},
	{
		id:       "be_enterprise_number",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9999.999.999|9999 999 999|9{10}|AA9{10}|AA 9999.999.999|AA9999.999.999",
		check:    beEnterprise,
		words:    "kbo, bce, ondernemingsnummer, numero d entreprise",
		topics:   aboutVAT | aboutCompany,
		named:    0.94,
		grouped:  0.6,
		alone:    true,
	},
	{
		id:       "be_identity_card",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999-9999999-99|9{12}",
		check: func(id []byte) grade {
			n := modulo(id[:10], 97)
			return proven((n == 0 && string(id[10:]) == "97") || n > 0 && n == number(id[10:]))
		},
		words:   "identiteitskaart*, carte d identite, eid, kaartnummer",
		topics:  aboutNational,
		named:   0.94,
		grouped: 0.8,
	},
	{
		id:       "lu_national_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{13}|9999 9999 999 99|99999999 99999",
		check: func(id []byte) grade {
			return proven(isLongDate(id) && luhn(id[:12]) && verhoeff(append(append([]byte(nil), id[:11]...), id[12])))
		},
		words:  "matricule, luxembourg, ccss, cns",
		topics: aboutNational | aboutSocial,
		named:  0.96,
		bare:   0.8,
	},
}

func hasBoth(id []byte) bool {
	letters := 0
	for _, c := range id {
		if isLetter(c) {
			letters++
		}
	}
	return letters > 0 && letters < len(id)
}

// ukNINO excludes the prefixes that are not issued. Without the suffix it must be announced.
func ukNINO(id []byte) grade {
	if strings.IndexByte("DFIQUV", id[0]) >= 0 || strings.IndexByte("DFIOQUV", id[1]) >= 0 {
		return wrong
	}
	switch string(id[:2]) {
	case "BG", "GB", "NK", "KN", "NT", "TN", "ZZ":
		return wrong
	}
	if len(id) == 8 {
		return likely
	}
	return plausible(id[8] >= 'A' && id[8] <= 'D')
}

func ukNHS(id []byte) grade {
	return proven((11-weighted(id, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11)%11 == digit(id[9]))
}

func ukUTR(id []byte) grade {
	return proven("21987654321"[weighted(id[1:], 6, 7, 8, 9, 10, 5, 4, 3, 2)%11] == id[0])
}

// ukLicence is five letters of the name padded with 9, and the birth date between the digits of the year.
func ukLicence(id []byte) grade {
	ended := false
	for _, c := range id[:5] {
		if isNumber(c) && c != '9' || ended && isLetter(c) {
			return wrong
		}
		ended = c == '9'
	}
	month := number(id[6:8])
	if month > 50 {
		month -= 50
	}
	for _, c := range id[11:13] {
		if isNumber(c) && c != '9' {
			return wrong
		}
	}
	return plausible(isLetter(id[0]) && isDate(0, month, number(id[8:10])))
}

// ukPostcode checks the letters at the beginning, and that the last two letters do not include C, I, K, M, O or V.
func ukPostcode(id []byte) grade {
	n := len(id)
	if string(id) == "GIR0AA" {
		return right
	}
	if strings.IndexByte("QVX", id[0]) >= 0 || isLetter(id[1]) && strings.IndexByte("IJZ", id[1]) >= 0 ||
		isLetter(id[1]) && isLetter(id[2]) {
		return wrong
	}
	for _, c := range id[n-2:] {
		if strings.IndexByte("CIKMOV", c) >= 0 {
			return wrong
		}
	}
	return right
}

// ukPlate checks the present form, which contains the half-year, and the two earlier forms.
func ukPlate(id []byte) grade {
	if isLetter(id[1]) && isNumber(id[2]) { // AB12 CDE
		if strings.ContainsAny(string(id[:2]), "IQZ") || strings.ContainsAny(string(id[4:]), "IQ") {
			return wrong
		}
		age := number(id[2:4])
		return plausible(age >= 2 && age <= 29 || age >= 51 && age <= 79)
	}
	mark := id[0]
	if isLetter(id[1]) {
		mark = id[len(id)-1]
	}
	if strings.IndexByte("IOQUZ", mark) >= 0 || strings.ContainsAny(string(id), "IQ") {
		return wrong
	}
	return likely
}

// gbVAT checks the check digits. A number without the letters of the country is only likely.
func gbVAT(id []byte) grade {
	trust := likely
	if isLetter(id[0]) {
		if string(id[:2]) != "GB" && string(id[:2]) != "XI" {
			return wrong
		}
		id, trust = id[2:], right
	}
	sum := weighted(id, 8, 7, 6, 5, 4, 3, 2) + number(id[7:9])
	return min(trust, proven((sum%97 == 0 || sum%97 == 42 || sum%97 == 55) && string(id[:7]) != "0000000"))
}

func iePPS(id []byte) grade {
	sum := weighted(id, 8, 7, 6, 5, 4, 3, 2)
	if len(id) == 9 {
		sum += 9 * max(0, strings.IndexByte("WABCDEFGHIJKLMNOPQRSTUV", id[8]))
	}
	return proven("WABCDEFGHIJKLMNOPQRSTUV"[sum%23] == id[7])
}

// frNIR is the sex, year, month, department, commune, order and a key modulo 97.
func frNIR(id []byte) grade {
	month := number(id[3:5])
	if strings.IndexByte("123478", id[0]) < 0 ||
		!(month >= 1 && month <= 12 || month >= 20 && month <= 42 || month >= 50) {
		return wrong
	}
	body := append([]byte(nil), id[:13]...)
	if c := body[6]; c == 'A' || c == 'B' { // Corsica
		body[5], body[6] = '1', '9'-(c-'A')
		if id[5] != '2' {
			return wrong
		}
	} else if isLetter(c) {
		return wrong
	}
	if len(id) == 13 {
		return likely
	}
	return proven(97-modulo(body, 97) == number(id[13:]))
}

func frTVA(id []byte) grade {
	if string(id[:2]) != "FR" || !luhn(id[4:]) {
		return wrong
	}
	if !allNumbers(id[2:4]) {
		return plausible(strings.IndexByte(string(id[2:4]), 'I') < 0 && strings.IndexByte(string(id[2:4]), 'O') < 0)
	}
	return proven((12+3*(number(id[4:])%97))%97 == number(id[2:4]))
}

func nlBSN(id []byte) grade {
	return proven(weighted(id, 9, 8, 7, 6, 5, 4, 3, 2, -1)%11 == 0)
}

// beNational checks the date and the check digits. The month of the date may be increased by 20 or 40. For people born
// since 2000, the check digits are computed with a 2 in front of the number.
func beNational(id []byte) grade {
	month := number(id[2:4]) % 20
	if month > 12 || number(id[4:6]) > 31 {
		return wrong
	}
	key := number(id[9:])
	return proven(97-modulo(id[:9], 97) == key || 97-modulo(append([]byte{'2'}, id[:9]...), 97) == key)
}

func beEnterprise(id []byte) grade {
	if isLetter(id[0]) {
		if string(id[:2]) != "BE" {
			return wrong
		}
		id = id[2:]
	}
	return proven((id[0] == '0' || id[0] == '1') && 97-modulo(id[:8], 97) == number(id[8:]))
}
