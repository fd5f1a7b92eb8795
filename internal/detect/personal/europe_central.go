package personal

import (
	"strings"

	"mcpproxy"
)

// germanKinds are the identifying numbers of Germany.
var germanKinds = []dataKind{
	{
		id:       "de_tax_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}|99 999 999 999|99-999-999-999|99/999/999/999",
		check:    deTaxID,
		words:    "steuer id*, steueridentifikation*, steuerliche identifikation*, identifikationsnummer, idnr, IdNr, tin, steuernummer",
		topics:   aboutTax,
		named:    0.96,
		grouped:  0.8,
		bare:     0.45,
		alone:    true,
		strict:   true,
	},
	{
		id:       "de_tax_number",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "99/999/99999|999/999/99999|999/9999/9999|99 999 99999|999 999 99999|9{10,11}|9{13}",
		words:    "steuernummer, steuer nr, st nr, stnr, finanzamt",
		named:    0.9,
		grouped:  0.4,
	},
	{
		id:       "de_social_security",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99999999A999|99 999999 A 999|99 99 99 99 A 999|99 999999 A999",
		check:    deSocialSecurity,
		words:    "rvnr, rentenversicherungsnummer*, sozialversicherungsnummer*, sv nummer, versicherungsnummer",
		topics:   aboutSocial,
		named:    0.96,
		grouped:  0.85,
		bare:     0.7,
		alone:    true,
	},
	{
		id:       "de_health_insurance",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "A999999999|A999 999 999|A 999 999 999",
		check:    deHealthInsurance,
		words:    "kvnr, krankenversichertennummer, versichertennummer, krankenkasse*, egk",
		topics:   aboutHealth,
		named:    0.95,
		grouped:  0.5,
		alone:    true,
	},
	{
		id:       "de_identity_card",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AXXXXXXXX|AXXXXXXXX9|9{10}A|9{10}|AXXXXXXXX9A",
		check:    deDocument("LMNPRTVWXYCFGHJK"),
		words:    "personalausweis*, ausweisnummer, ausweis nr, ausweis, perso",
		named:    0.94,
		alone:    true,
	},
	{
		id:       "de_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AXXXXXXXX|AXXXXXXXX9",
		check:    deDocument("CFGHJK"),
		words:    "reisepass*, passnummer, pass nr, german passport",
		topics:   aboutPassport,
		named:    0.94,
		alone:    true,
	},
	{
		id:       "de_fuehrerschein",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AA99999999X|AXXXXXXXX9X|AXXXXXXXXX9",
		check:    deLicence,
		words:    "fuhrerschein*, fuehrerschein*, fahrerlaubnis*",
		topics:   aboutLicence,
		named:    0.94,
		alone:    true,
	},
	{
		id:       "de_handelsregister",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "AAA9{1,6}|AAA 9{1,6}|AAA-9{1,6}|AAA 9{1,6} A",
		check:    startsWith("HRA", "HRB", "GNR", "GSR", "VR"),
		words:    "handelsregister*, registergericht, amtsgericht*",
		topics:   aboutCompany,
		named:    0.95,
		grouped:  0.65,
		bare:     0.6,
		alone:    true,
	},
	{
		id:       "de_kfz",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		forms:    "A{1,3} A{1,2} 9{1,4}|A{1,3}-A{1,2}-9{1,4}|A{1,3}-A{1,2} 9{1,4}|A{1,3} A{1,2} 9{1,4}A|A{1,3}-A{1,2}-9{1,4}A|A{1,3}-A{1,2} 9{1,4}A|A{1,3}-A{1,2}9{1,4}|A{1,3} A{1,2}9{1,4}|A{1,3}-A{1,2} 9{1,4} A",
		check:    dePlate,
		words:    "kennzeichen, kfz*, nummernschild*",
		topics:   aboutPlate,
		named:    0.9,
		alone:    true,
	},
	{
		id:       "de_vat",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "AA999999999|AA 999999999|AA 999 999 999|AA999999999-99999",
		check: func(id []byte) grade {
			return min(startsWith("DE")(id), max(likely, proven(iso1110(id[2:11]) && id[2] != '0')))
		},
		words:   "ust id*, ustid*, umsatzsteuer*, vat, wirtschafts id*",
		topics:  aboutVAT,
		named:   0.96,
		grouped: 0.75,
		bare:    0.7,
		alone:   true,
	},
	{
		id:       "de_lanr",
		category: ofHealth,
		severity: mcpproxy.SeverityMedium,
		forms:    "9{9}",
		check:    deLANR,
		words:    "lanr, arztnummer, lebenslange arztnummer",
		topics:   aboutDoctor,
		named:    0.94,
		alone:    true,
	},
	{
		id:       "de_bsnr",
		category: ofHealth,
		severity: mcpproxy.SeverityLow,
		forms:    "9{9}",
		words:    "bsnr, betriebsstattennummer",
		named:    0.93,
	},
}

// alpineKinds are the identifying numbers of Austria and Switzerland.
var alpineKinds = []dataKind{
	{
		id:       "at_svnr",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9999 999999|9999-999999|9999/999999|9999999999",
		check:    atSVNR,
		words:    "svnr, sv nr, sv nummer, sozialversicherungsnummer*, versicherungsnummer",
		topics:   aboutSocial,
		named:    0.96,
		grouped:  0.8,
		alone:    true,
	},
	{
		id:       "at_uid",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "AAA99999999|AAA 99999999",
		check:    atUID,
		words:    "uid, uid nr",
		topics:   aboutVAT,
		named:    0.95,
		grouped:  0.75,
		bare:     0.75,
	},
	{
		id:       "at_firmenbuch",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "AA 9{5,6}A|AA9{5,6}A|9{5,6}A|AA 9{5,6} A",
		words:    "firmenbuch*, fn",
		named:    0.9,
	},
	{
		id:       "at_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A 9999999|A9999999|AA9999999",
		topics:   aboutPassport,
		words:    "reisepass*",
		named:    0.9,
	},
	{
		id:       "ch_ahv",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999.9999.9999.99|999 9999 9999 99|999-9999-9999-99|9{13}",
		check:    func(id []byte) grade { return min(startsWith("756")(id), proven(ean13(id))) },
		words:    "ahv*, avs, navs, ahv nummer, numero avs, sozialversicherungsnummer*, oasi",
		topics:   aboutSocial,
		named:    0.97,
		grouped:  0.95,
		bare:     0.7,
	},
	{
		id:       "ch_insurance_card",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{20}",
		check:    startsWith("80756"),
		words:    "veka, versichertenkarte, carte d assure",
		topics:   aboutHealth,
		named:    0.96,
		bare:     0.7,
	},
	{
		id:       "ch_uid",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "AAA-999.999.999|AAA999999999|AAA 999 999 999|AAA-999999999",
		check:    chUID,
		words:    "uid, ide, mwst",
		topics:   aboutVAT | aboutCompany,
		named:    0.96,
		grouped:  0.85,
		bare:     0.8,
	},
	{
		id:       "ch_vehicle_registration",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		forms:    "AA 9{2,6}|AA-9{2,6}|AA9{4,6}",
		check:    chPlate,
		words:    "kontrollschild, plaque, targa",
		topics:   aboutPlate,
		named:    0.85,
	},
}

// deTaxID checks the check digit. Among the first ten digits, exactly one occurs two or three times; a number without
// that is only likely.
func deTaxID(id []byte) grade {
	if id[0] == '0' || !iso1110(id) {
		return wrong
	}
	var count [10]int
	for _, c := range id[:10] {
		count[digit(c)]++
	}
	repeated := 0
	for _, n := range count {
		if n > 3 {
			return likely
		}
		if n > 1 {
			repeated++
		}
	}
	if repeated != 1 {
		return likely
	}
	return right
}

// deSocialSecurity is an area, a date, an initial, a serial number and a check digit over all of them.
func deSocialSecurity(id []byte) grade {
	day := number(id[2:4])
	month := number(id[4:6])
	area := number(id[:2])
	if day > 50 {
		day -= 50
	}
	if !isDate(0, month, day) || area == 1 || area > 89 || area == 0 {
		return wrong
	}
	letter := int(id[8]-'A') + 1
	digits := append(append(append([]byte(nil), id[:8]...), byte('0'+letter/10), byte('0'+letter%10)), id[9:11]...)
	sum := 0
	for i, w := range [12]int{2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1} {
		p := digit(digits[i]) * w
		sum += p/10 + p%10
	}
	return proven(sum%10 == digit(id[11]))
}

// deHealthInsurance is a letter that counts as two digits, eight digits and a check digit.
func deHealthInsurance(id []byte) grade {
	letter := int(id[0]-'A') + 1
	digits := append([]byte{byte('0' + letter/10), byte('0' + letter%10)}, id[1:9]...)
	sum := 0
	for i, c := range digits {
		p := digit(c) * (1 + i%2)
		sum += p/10 + p%10
	}
	return proven(sum%10 == digit(id[9]))
}

// deDocument checks identity cards and passports: a letter for the authority, no vowels, and possibly the check digit
// of the machine-readable zone.
func deDocument(first string) func([]byte) grade {
	return func(id []byte) grade {
		if isNumber(id[0]) { // an old identity card, with a D at the end
			return min(likely, proven(document731(id[:10]) && (len(id) == 10 || id[10] == 'D')))
		}
		if strings.IndexByte(first, id[0]) < 0 {
			return wrong
		}
		digits := 0
		for _, c := range id[:9] {
			if strings.IndexByte("ABDEIOQSU", c) >= 0 {
				return wrong
			}
			if isNumber(c) {
				digits++
			}
		}
		if digits < 2 {
			return wrong
		}
		if len(id) >= 10 {
			return proven(document731(id[:10]) && (len(id) == 10 || id[10] == 'D'))
		}
		return likely
	}
}

// deLicence checks that at least five characters are digits. The number consists of the authority, a serial number, a
// check digit, which is not verified, and a count of copies.
func deLicence(id []byte) grade {
	digits := 0
	for _, c := range id {
		if isNumber(c) {
			digits++
		}
	}
	return plausible(digits >= 5)
}

// dePlate checks that the number after the letters has no leading zero, and that a letter after the number is E or H.
func dePlate(id []byte) grade {
	last := id[len(id)-1]
	if isLetter(last) && last != 'E' && last != 'H' {
		return wrong
	}
	letters := 0
	for letters < len(id) && isLetter(id[letters]) {
		letters++
	}
	return plausible(id[letters] != '0')
}

func deLANR(id []byte) grade {
	return proven((10-weighted(id, 4, 9, 4, 9, 4, 9)%10)%10 == digit(id[6]) && string(id[:6]) != "000000")
}

func atSVNR(id []byte) grade {
	month := number(id[6:8])
	if id[0] == '0' || number(id[4:6]) > 31 || number(id[4:6]) == 0 || month == 0 || month > 15 {
		return wrong
	}
	return proven(weighted(id, 3, 7, 9, 0, 5, 8, 4, 2, 1, 6)%11 == digit(id[3]))
}

func atUID(id []byte) grade {
	sum := 0
	for i, c := range id[3:10] {
		p := digit(c) * (1 + i%2)
		sum += p/10 + p%10
	}
	return min(startsWith("ATU")(id), proven((10-(sum+4)%10)%10 == digit(id[10])))
}

func chUID(id []byte) grade {
	return min(startsWith("CHE")(id), proven((11-weighted(id[3:], 5, 4, 3, 2, 7, 6, 5, 4)%11)%11 == digit(id[11])))
}

// chPlate begins with a canton.
func chPlate(id []byte) grade {
	return plausible(
		strings.Contains(
			"AG AI AR BE BL BS FR GE GL GR JU LU NE NW OW SG SH SO SZ TG TI UR VD VS ZG ZH",
			string(id[:2]),
		),
	)
}
