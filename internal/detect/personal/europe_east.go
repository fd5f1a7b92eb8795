package personal

import "mcpproxy"

// easternKinds are the identifying numbers of Poland, the Czech Republic, Slovakia, Hungary, Romania and Bulgaria.
var easternKinds = []dataKind{
	{
		id:       "pl_pesel",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}|999999-99999",
		check:    plPESEL,
		words:    "pesel*",
		topics:   aboutNational,
		named:    0.97,
		bare:     0.5,
		alone:    true,
	},
	{
		id:       "pl_nip",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "999-999-99-99|999-99-99-999|9{10}|AA9{10}|AA 999 999 99 99|999 999 99 99",
		check:    plNIP,
		words:    "nip, nip nr, numer identyfikacji podatkowej",
		topics:   aboutTax | aboutVAT,
		named:    0.96,
		grouped:  0.8,
	},
	{
		id:       "pl_regon",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{9}|9{14}",
		check:    plREGON,
		words:    "regon",
		topics:   aboutCompany,
		named:    0.95,
	},
	{
		id:       "pl_identity_card",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AAA999999|AAA 999999",
		check: func(id []byte) grade {
			return proven((sum731(id[:3])+weighted(id[4:], 7, 3, 1, 7, 3))%10 == digit(id[3]))
		},
		words:   "dowod osobist*, dowodu osobist*, numer dowodu, dowod, seria i numer",
		topics:  aboutNational,
		named:   0.95,
		grouped: 0.5,
		alone:   true,
	},
	{
		id:       "pl_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AA9999999|AA 9999999",
		check: func(id []byte) grade {
			return proven((sum731(id[:2])+weighted(id[3:], 1, 7, 3, 1, 7, 3))%10 == digit(id[2]))
		},
		words:  "paszport*",
		topics: aboutPassport,
		named:  0.93,
	},
	{
		id:       "pl_vehicle_registration",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		forms:    "A{2,3} XXXXX|A{2,3}99999|A{2,3} XXXX",
		check:    func(id []byte) grade { return plausible(hasBoth(id)) },
		words:    "rejestrac*, tablica rejestracyjna",
		named:    0.85,
	},
	{
		id:       "cz_rodne_cislo",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999999/9999|999999/999|9{10}|999999 9999",
		check:    czBirthNumber,
		words:    "rodne cislo, rodneho cisla, rc, r c, RC, birth number, personal number",
		topics:   aboutNational,
		named:    0.96,
		grouped:  0.85,
		alone:    true,
	},
	{
		id:       "cz_ico",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{8}|999 99 999",
		check:    czICO,
		words:    "ico, ic, identifikacni cislo",
		topics:   aboutCompany,
		named:    0.94,
	},
	{
		id:       "cz_dic",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "AA9{8,10}",
		check:    startsWith("CZ", "SK"),
		words:    "dic, ic dph",
		topics:   aboutVAT,
		named:    0.94,
		alone:    true,
	},
	{
		id:       "cz_identity_card",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{9}|AA999999",
		words:    "obcansk*, obciansk*, cislo op, op",
		named:    0.9,
	},
	{
		id:       "hu_personal_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9-999999-9999|9 999999 9999|9{11}",
		check:    huPersonal,
		words:    "szemelyi szam*, szemelyi azonosito, szemelyi",
		topics:   aboutNational,
		named:    0.95,
		grouped:  0.85,
	},
	{
		id:       "hu_taj",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "999-999-999|999 999 999|9{9}",
		check:    func(id []byte) grade { return proven(weighted(id, 3, 7, 3, 7, 3, 7, 3, 7)%10 == digit(id[8])) },
		words:    "taj, taj szam*, tarsadalombiztositas*",
		topics:   aboutSocial,
		named:    0.95,
	},
	{
		id:       "hu_tax_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{10}",
		check: func(id []byte) grade {
			return proven(id[0] == '8' && weighted(id, 1, 2, 3, 4, 5, 6, 7, 8, 9)%11 == digit(id[9]))
		},
		words:  "adoazonosito*, ado azonosito",
		topics: aboutTax,
		named:  0.95,
		alone:  true,
	},
	{
		id:       "hu_vat",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "99999999-9-99|AA99999999|9{11}",
		check:    huVAT,
		words:    "adoszam*",
		topics:   aboutVAT | aboutTax,
		named:    0.94,
		grouped:  0.75,
	},
	{
		id:       "hu_identity_card",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999999AA|AA999999",
		words:    "szemelyi igazolvany*, szemelyazonosito*, szig",
		named:    0.92,
	},
	{
		id:       "ro_cnp",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{13}|9 999999 99 999 9",
		check:    roCNP,
		words:    "cnp, cod numeric personal",
		topics:   aboutNational,
		named:    0.97,
		bare:     0.65,
		alone:    true,
	},
	{
		id:       "ro_cui",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{6,10}|AA9{6,10}|AA 9{6,10}",
		check:    roCUI,
		words:    "cui, cif, cod fiscal, cod unic",
		topics:   aboutVAT,
		named:    0.93,
	},
	{
		id:       "ro_identity_card",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AA 999999|AA999999",
		words:    "carte de identitate, buletin, seria, serie ci",
		named:    0.9,
	},
	{
		id:       "bg_egn",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{10}",
		check:    bgEGN,
		words:    "egn, егн, единен граждански номер",
		topics:   aboutNational,
		named:    0.96,
		alone:    true,
	},
	{
		id:       "bg_lnch",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{10}",
		check: func(id []byte) grade {
			return proven(weighted(id, 21, 19, 17, 13, 11, 9, 7, 3, 1)%10 == digit(id[9]))
		},
		words: "lnch, лнч, личен номер на чужденец",
		named: 0.95,
	},
	{
		id:       "bg_eik",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{9}|9{13}",
		check: func(id []byte) grade {
			return proven(twoTries(id[:9], []int{1, 2, 3, 4, 5, 6, 7, 8}, []int{3, 4, 5, 6, 7, 8, 9, 10}))
		},
		words: "eik, еик, булстат, bulstat",
		named: 0.95,
	},
}

// plPESEL encodes the century in the month, and has the weights 1, 3, 7 and 9.
func plPESEL(id []byte) grade {
	return proven(
		isDate(0, number(id[2:4])%20, number(id[4:6])) &&
			(10-weighted(id, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3)%10)%10 == digit(id[10]),
	)
}

func plNIP(id []byte) grade {
	if isLetter(id[0]) {
		if string(id[:2]) != "PL" {
			return wrong
		}
		id = id[2:]
	}
	return proven(weighted(id, 6, 5, 7, 2, 3, 4, 5, 6, 7)%11 == digit(id[9]))
}

func plREGON(id []byte) grade {
	if len(id) == 14 && weighted(id, 2, 4, 8, 5, 0, 9, 7, 3, 6, 1, 2, 4, 8)%11%10 != digit(id[13]) {
		return wrong
	}
	return proven(weighted(id, 8, 9, 2, 3, 4, 5, 6, 7)%11%10 == digit(id[8]))
}

// czBirthNumber adds 50 to the month for women, and is a multiple of eleven since 1954.
func czBirthNumber(id []byte) grade {
	month := number(id[2:4]) % 50
	if month > 20 {
		month -= 20
	}
	if !isDate(0, month, number(id[4:6])) {
		return wrong
	}
	if len(id) == 9 {
		return plausible(number(id[:2]) < 54 && string(id[6:]) != "000")
	}
	return proven(modulo(id, 11) == 0 || modulo(id[:9], 11) == 10 && id[9] == '0')
}

func czICO(id []byte) grade {
	return proven((11-weighted(id, 8, 7, 6, 5, 4, 3, 2)%11)%10 == digit(id[7]))
}

// huPersonal checks the date and the check digit. The weights of the check digit ascend, or descend for people born
// since 1997.
func huPersonal(id []byte) grade {
	if id[0] == '0' || id[0] == '9' || !isShortDate(id[1:7]) {
		return wrong
	}
	return proven(
		weighted(id, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)%11 == digit(id[10]) ||
			weighted(id, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)%11 == digit(id[10]),
	)
}

func huVAT(id []byte) grade {
	if isLetter(id[0]) {
		if string(id[:2]) != "HU" {
			return wrong
		}
		id = id[2:]
	}
	return proven((10-weighted(id, 9, 7, 3, 1, 9, 7, 3)%10)%10 == digit(id[7]))
}

func roCNP(id []byte) grade {
	n := weighted(id, 2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9) % 11
	if n == 10 {
		n = 1
	}
	county := number(id[7:9])
	return proven(id[0] != '0' && isShortDate(id[1:7]) && county >= 1 && county <= 80 && n == digit(id[12]))
}

func roCUI(id []byte) grade {
	if isLetter(id[0]) {
		if string(id[:2]) != "RO" {
			return wrong
		}
		id = id[2:]
	}
	sum, last := 0, len(id)-1
	for i := range last {
		sum += digit(id[last-1-i]) * [9]int{2, 3, 5, 7, 1, 2, 3, 5, 7}[i]
	}
	return proven(sum*10%11%10 == digit(id[last]))
}

// bgEGN adds 20 or 40 to the month for other centuries.
func bgEGN(id []byte) grade {
	return proven(isDate(0, number(id[2:4])%20, number(id[4:6])) && number(id[2:4]) < 53 &&
		weighted(id, 2, 4, 8, 5, 10, 9, 7, 3, 6)%11%10 == digit(id[9]))
}
