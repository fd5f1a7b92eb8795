package personal

import "mcpproxy"

// eurasianKinds are the identifying numbers of Russia, Ukraine, Belarus, Kazakhstan, Moldova, Georgia, Armenia and
// Turkey.
var eurasianKinds = []dataKind{
	{
		id:       "ru_inn",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{12}|9{10}",
		check:    ruINN,
		words:    "инн, INN, inn number, налогоплательщик*",
		topics:   aboutTax,
		named:    0.96,
		bare:     0,
	},
	{
		id:       "ru_snils",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999-999-999 99|999-999-999-99|9{11}|999 999 999 99",
		check:    ruSNILS,
		words:    "снилс, snils, страховой номер",
		topics:   aboutSocial,
		named:    0.97,
		grouped:  0.85,
		alone:    true,
	},
	{
		id:       "ru_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99 99 999999|9999 999999|9{10}|99 9999999|9999-999999",
		words:    "паспорт*, серия, pasport rf, russian passport, серия и номер",
		topics:   aboutPassport,
		named:    0.92,
	},
	{
		id:       "ru_ogrn",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{13}|9{15}",
		check: func(id []byte) grade {
			last := len(id) - 1
			return proven(id[0] != '0' && modulo(id[:last], last-1)%10 == digit(id[last]))
		},
		words:  "огрн, огрнип, ogrn",
		topics: aboutCompany,
		named:  0.95,
	},
	{
		id:       "ru_oms",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{16}|9999 9999 9999 9999",
		check:    func(id []byte) grade { return proven(luhn(id)) },
		words:    "омс, полис омс, полис",
		named:    0.9,
	},
	{
		id:       "ru_driver_license",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99 99 999999|9999 999999|9{10}",
		words:    "водительск*, ву",
		topics:   aboutLicence,
		named:    0.92,
	},
	{
		id:       "ua_rnokpp",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{10}",
		check: func(id []byte) grade {
			return proven((weighted(id, -1, 5, 7, 9, 4, 6, 10, 5, 7)%11+11)%11%10 == digit(id[9]))
		},
		words:  "рнокпп, rnokpp, іпн, ипн, ідентифікаційний код, ідентифікаційний номер, податків*, інн",
		topics: aboutTax,
		named:  0.95,
	},
	{
		id:       "ua_edrpou",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{8}",
		words:    "єдрпоу, едрпоу, edrpou",
		named:    0.94,
	},
	{
		id:       "ua_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{9}|99999999-99999",
		words:    "паспорт*, унзр, id картка",
		topics:   aboutPassport,
		named:    0.9,
	},
	{
		id:       "by_personal_number",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9999999A999AA9",
		check: func(id []byte) grade {
			return min(plausible(id[0] >= '1' && id[0] <= '6'), max(likely, proven(document731(id))))
		},
		words:  "личный номер, идентификационный номер, асабісты нумар, belarus*",
		topics: aboutNational | aboutPassport,
		named:  0.96,
		bare:   0.7,
	},
	{
		id:       "kz_iin",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{12}",
		check:    kzIIN,
		words:    "иин, жсн, iin, iin number, бин",
		topics:   aboutNational,
		named:    0.96,
		bare:     0.45,
		alone:    true,
	},
	{
		id:       "md_idnp",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{13}",
		check:    func(id []byte) grade { return proven(document731(id)) },
		words:    "idnp, idno, cod personal",
		named:    0.95,
	},
	{
		id:       "ge_personal_number",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}",
		words:    "პირადი ნომერი, georgian id, piradi nomeri",
		named:    0.9,
	},
	{
		id:       "am_public_services",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{10}",
		words:    "psn, հծհ, armenian id",
		named:    0.88,
	},
	{
		id:       "tr_tckn",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}|999 999 999 99|999 99 999 999",
		check:    trTCKN,
		words:    "tckn, tc kimlik*, t c kimlik*, kimlik no, kimlik numarasi, TC, tc no, t c no, vatandaslik",
		topics:   aboutNational,
		named:    0.97,
		bare:     0.5,
		alone:    true,
	},
	{
		id:       "tr_vkn",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{10}|999 999 9999",
		check:    trVKN,
		words:    "vkn, vergi kimlik*, vergi no, vergi numarasi",
		topics:   aboutTax,
		named:    0.94,
	},
	{
		id:       "tr_vehicle_registration",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		forms:    "99 A{1,3} 9{2,5}|99A{1,3}9{2,5}|99-A{1,3}-9{2,5}",
		check:    func(id []byte) grade { n := number(id[:2]); return plausible(n >= 1 && n <= 81) },
		words:    "plaka*",
		topics:   aboutPlate,
		named:    0.9,
		alone:    true,
	},
}

func ruINN(id []byte) grade {
	if len(id) == 10 {
		return proven(weighted(id, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == digit(id[9]))
	}
	return proven(
		weighted(id, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == digit(id[10]) &&
			weighted(id, 3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == digit(id[11]),
	)
}

func ruSNILS(id []byte) grade {
	return proven(weighted(id, 9, 8, 7, 6, 5, 4, 3, 2, 1)%101%100 == number(id[9:]) && number(id[:9]) > 1001998)
}

// kzIIN checks the date, the digit of the century and sex, and the check digit, which is computed with a second set of
// weights if the first gives ten.
func kzIIN(id []byte) grade {
	if !isShortDate(id) || id[6] > '6' {
		return wrong
	}
	return proven(twoTries(id, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2}))
}

func trTCKN(id []byte) grade {
	odd, even := weighted(id, 1, 0, 1, 0, 1, 0, 1, 0, 1), weighted(id, 0, 1, 0, 1, 0, 1, 0, 1)
	return proven(
		id[0] != '0' && ((odd*7-even)%10+10)%10 == digit(id[9]) && (odd+even+digit(id[9]))%10 == digit(id[10]),
	)
}

func trVKN(id []byte) grade {
	sum := 0
	for i, c := range id[:9] {
		if n := (digit(c) + 9 - i) % 10; n > 0 {
			power := n
			for range 9 - i {
				power *= 2
			}
			if power %= 9; power == 0 {
				power = 9
			}
			sum += power
		}
	}
	return proven((10-sum%10)%10 == digit(id[9]))
}
