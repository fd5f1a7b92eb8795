package personal

import (
	"strings"

	"mcpproxy"
)

// pacificKinds are the identifying numbers of Australia and New Zealand.
var pacificKinds = []dataKind{
	{
		id:       "au_tfn",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999 999 999|9{9}|?999-999-999|9{8}|99 999 999",
		check:    auTFN,
		words:    "tfn, TFN, tax file number, tax file no",
		topics:   aboutTax,
		named:    0.96,
		grouped:  0.5,
		alone:    true,
	},
	{
		id:       "au_abn",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "99 999 999 999|9{11}|99-999-999-999",
		check:    auABN,
		words:    "abn, ABN, australian business number",
		topics:   aboutCompany,
		named:    0.96,
		grouped:  0.75,
		alone:    true,
	},
	{
		id:       "au_acn",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "999 999 999|9{9}|?999-999-999",
		check: func(id []byte) grade {
			return proven((10-weighted(id, 8, 7, 6, 5, 4, 3, 2, 1)%10)%10 == digit(id[8]))
		},
		words:   "acn, ACN, australian company number",
		topics:  aboutCompany,
		named:   0.95,
		grouped: 0.5,
		alone:   true,
	},
	{
		id:       "au_medicare",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "9999 99999 9|9{10}|9999 99999 9 9|9{11}|9999-99999-9|9999 99999 9/9|9999 99999 9-9",
		check:    auMedicare,
		words:    "medicare, medicare card, medicare no",
		topics:   aboutHealth,
		named:    0.96,
		grouped:  0.75,
		alone:    true,
	},
	{
		id:       "au_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A9999999|AA9999999",
		words:    "australian passport",
		topics:   aboutPassport,
		named:    0.9,
	},
	{
		id:       "au_ihi",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{16}|9999 9999 9999 9999",
		check:    func(id []byte) grade { return min(startsWith("800360")(id), proven(luhn(id))) },
		words:    "ihi, individual healthcare identifier",
		topics:   aboutHealth,
		named:    0.97,
		grouped:  0.9,
		bare:     0.7,
	},
	{
		id:       "nz_ird",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99-999-999|999-999-999|9{8,9}|999 999 999|99 999 999",
		check:    nzIRD,
		words:    "ird, IRD, ird number, inland revenue",
		topics:   aboutTax,
		named:    0.95,
	},
	{
		id:       "nz_nhi",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "AAA9999|AAA99AX",
		check:    nzNHI,
		words:    "nhi, NHI, national health index",
		topics:   aboutHealth,
		named:    0.95,
	},
	{
		id:       "nz_driver_license",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AA999999",
		words:    "nzta, new zealand driver",
		topics:   aboutLicence,
		named:    0.9,
	},
}

// africanKinds are the identifying numbers of South Africa, Nigeria, Kenya, Ghana, Uganda, Tanzania, Zimbabwe and
// others.
var africanKinds = []dataKind{
	{
		id:       "za_id_number",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{13}|999999 9999 999|999999 9999 9 9 9|999999-9999-999|999999 9999 99 9",
		check:    zaID,
		words:    "south african id*, rsa id*, sa id*, za id, id number, identity number, permanent resident, refugee id",
		topics:   aboutNational,
		named:    0.97,
		grouped:  0.85,
		bare:     0.6,
		alone:    true,
	},
	{
		id:       "za_tax_reference",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "9{10}",
		check:    func(id []byte) grade { return proven(strings.IndexByte("01239", id[0]) >= 0 && luhn(id)) },
		words:    "sars, tax reference",
		topics:   aboutTax,
		named:    0.93,
	},
	{
		id:       "ng_nin",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}|9999 999 9999|999 9999 9999",
		check:    func(id []byte) grade { return max(likely, proven(verhoeff(id))) },
		words:    "nin, NIN, nimc, national identification number, nigerian national",
		named:    0.93,
		alone:    true,
		strict:   true,
	},
	{
		id:       "ng_bvn",
		category: ofBank,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}",
		words:    "bvn, BVN, bank verification number",
		named:    0.94,
	},
	{
		id:       "ng_vehicle_registration",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		forms:    "AAA-999AA|AAA 999AA|AAA999AA|AAA-999-AA|AAA 999 AA",
		words:    "plate, plates, frsc",
		topics:   aboutPlate,
		named:    0.92,
		grouped:  0.5,
		alone:    true,
	},
	{
		id:       "ke_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{7,8}",
		check:    notDate,
		words:    "kenyan id*, kenya id*, huduma, kitambulisho, national id",
		named:    0.87,
	},
	{
		id:       "ke_kra_pin",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "A999999999A",
		check:    startsWith("A", "P"),
		words:    "kra, kra pin, pin",
		topics:   aboutTax,
		named:    0.95,
		alone:    true,
	},
	{
		id:       "gh_card",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AAA-999999999-9",
		check:    startsWith("GHA"),
		words:    "ghana card, nia",
		named:    0.97,
		grouped:  0.9,
	},
	{
		id:       "ug_nin",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AA9{5,8}XXXXXXX|AAXXXXXXXXXXXX",
		check: func(id []byte) grade {
			return plausible(
				len(id) == 14 && (id[0] == 'C' || id[0] == 'A' || id[0] == 'P') && (id[1] == 'M' || id[1] == 'F') &&
					allNumbers(id[2:7]),
			)
		},
		words:  "nin, ugandan, nira",
		topics: aboutNational,
		named:  0.95,
		alone:  true,
	},
	{
		id:       "tz_nida",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99999999-99999-99999-99|9{20}",
		check:    func(id []byte) grade { return plausible(isLongDate(id)) },
		words:    "nida, nida number, tanzania*",
		topics:   aboutNational,
		named:    0.96,
		grouped:  0.85,
	},
	{
		id:       "zw_national_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99-9{6,7}A99|99-9{6,7} A 99|99-9{6,7}-A-99|99-9{6,7}-A99",
		check:    zwID,
		words:    "zimbabwe*",
		topics:   aboutNational,
		named:    0.95,
		grouped:  0.7,
	},
	{
		id:       "zm_nrc",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999999/99/9",
		words:    "nrc, zambia*",
		named:    0.95,
		grouped:  0.5,
	},
	{
		id:       "rw_national_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9 9999 9 9999999 9 99|9{16}",
		check: func(id []byte) grade {
			y := number(id[1:5])
			return plausible(id[0] >= '1' && id[0] <= '3' && y > 1900 && y < 2035)
		},
		words:   "rwanda*, indangamuntu",
		named:   0.93,
		grouped: 0.8,
	},
	{
		id:       "ma_cin",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A9{5,6}|AA9{5,6}",
		words:    "cin, cnie, carte d identite nationale, maroc*",
		named:    0.9,
	},
	{
		id:       "tn_cin",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{8}",
		check:    notDate,
		words:    "cin, tunisie*",
		named:    0.87,
	},
	{
		id:       "eg_national_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{14}",
		check:    egID,
		words:    "الرقم القومي, egyptian id*, egypt*",
		topics:   aboutNational,
		named:    0.96,
		bare:     0.45,
		alone:    true,
		strict:   true,
	},
	{
		id:       "mu_nid",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A9{12}X",
		check:    func(id []byte) grade { return plausible(isDayFirst(id[1:7])) },
		words:    "mauritius, mauritian, nic",
		topics:   aboutNational,
		named:    0.94,
		alone:    true,
	},
}

// middleEastKinds are the identifying numbers of Israel, Iran, and the Arab states of Asia.
var middleEastKinds = []dataKind{
	{
		id:       "il_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{9}|99999999-9|9-9999999-9|9{8}",
		check:    func(id []byte) grade { return proven(luhn(id)) },
		words:    "teudat zehut, תעודת זהות, ת ז, ת.ז, mispar zehut, israeli id*",
		topics:   aboutNational,
		named:    0.94,
	},
	{
		id:       "ae_emirates_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999-9999-9999999-9|9{15}|999 9999 9999999 9",
		check: func(id []byte) grade {
			y := number(id[3:7])
			if string(id[:3]) != "784" || y < 1900 || y > 2035 {
				return wrong
			}
			if luhn(id) {
				return right
			}
			return likely
		},
		words:   "emirates id*, eid, الهوية, uae id",
		topics:  aboutNational,
		named:   0.97,
		grouped: 0.9,
		bare:    0.75,
	},
	{
		id:       "sa_national_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{10}",
		check:    func(id []byte) grade { return proven((id[0] == '1' || id[0] == '2') && luhn(id)) },
		words:    "iqama, absher, saudi*, الهوية الوطنية, رقم الهوية",
		topics:   aboutNational,
		named:    0.95,
	},
	{
		id:       "kw_civil_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{12}",
		check: func(id []byte) grade {
			return proven(
				(id[0] == '2' || id[0] == '3') && isShortDate(id[1:7]) &&
					11-weighted(id, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)%11 == digit(id[11]),
			)
		},
		words:  "civil id*, kuwait*, البطاقة المدنية",
		topics: aboutNational,
		named:  0.96,
		bare:   0.5,
		alone:  true,
	},
	{
		id:       "qa_qid",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}",
		check:    startsWith("2", "3"),
		words:    "qid, qatar id*, qatari id*",
		named:    0.94,
	},
	{
		id:       "bh_cpr",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{9}",
		check:    func(id []byte) grade { m := number(id[2:4]); return plausible(m >= 1 && m <= 12) },
		words:    "cpr, bahrain*",
		named:    0.92,
	},
	{
		id:       "jo_national_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{10}",
		check:    startsWith("9", "2"),
		words:    "jordan*, الرقم الوطني",
		named:    0.9,
	},
	{
		id:       "ir_national_code",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{10}|999-999999-9",
		check:    irID,
		words:    "code melli, kode meli, کد ملی, iranian national",
		named:    0.95,
		grouped:  0.5,
	},
}

func auTFN(id []byte) grade {
	if len(id) == 8 {
		return proven(weighted(id, 10, 7, 8, 4, 6, 3, 5, 1)%11 == 0)
	}
	return proven(weighted(id, 1, 4, 3, 7, 5, 8, 6, 9, 10)%11 == 0)
}

func auABN(id []byte) grade {
	return proven(id[0] != '0' && (weighted(id, 10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19)-10)%89 == 0)
}

func auMedicare(id []byte) grade {
	return proven(
		id[0] >= '2' && id[0] <= '6' && weighted(id, 1, 3, 7, 9, 1, 3, 7, 9)%10 == digit(id[8]) && id[9] != '0',
	)
}

// nzIRD checks the range of the number and the check digit, which is computed with a second set of weights if the
// first gives ten.
func nzIRD(id []byte) grade {
	if n := number(id); n < 10000000 || n > 150000000 {
		return wrong
	}
	if len(id) == 8 {
		id = append([]byte{'0'}, id...)
	}
	n := (11 - weighted(id, 3, 2, 7, 6, 5, 4, 3, 2)%11) % 11
	if n == 10 {
		n = (11 - weighted(id, 7, 4, 3, 2, 5, 2, 7, 6)%11) % 11
	}
	return proven(n == digit(id[8]))
}

// nzNHI checks that the letters do not include I and O. A number that ends with a digit must also have the right check
// digit. The check letter of newer numbers is not verified.
func nzNHI(id []byte) grade {
	const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
	sum := 0
	for i, c := range id[:6] {
		v := strings.IndexByte(letters, c) + 1
		if isNumber(c) {
			v = digit(c)
		} else if v == 0 {
			return wrong
		}
		sum += v * (7 - i)
	}
	if isNumber(id[6]) {
		return proven(isNumber(id[5]) && sum%11 != 0 && (11-sum%11)%10 == digit(id[6]))
	}
	return plausible(isLetter(id[5]) && strings.IndexByte(letters, id[6]) >= 0)
}

// zaID is a date, a serial number, the citizenship, an 8 or 9, and a Luhn check digit.
func zaID(id []byte) grade {
	return proven(isShortDate(id) && id[10] <= '2' && id[11] >= '8' && luhn(id))
}

func zwID(id []byte) grade {
	at := 0
	for isNumber(id[at]) {
		at++
	}
	return max(likely, proven("ZABCDEFGHJKLMNPQRSTVWXY"[number(id[:at])%23] == id[at]))
}

// egID is a century, a date, a governorate, a serial number and a check digit.
func egID(id []byte) grade {
	region := number(id[7:9])
	if (id[0] != '2' && id[0] != '3') || !isShortDate(id[1:7]) || !(region >= 1 && region <= 35 || region == 88) {
		return wrong
	}
	if (11-weighted(id, 2, 7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11)%10 == digit(id[13]) {
		return right
	}
	return likely
}

func irID(id []byte) grade {
	n := weighted(id, 10, 9, 8, 7, 6, 5, 4, 3, 2) % 11
	if n >= 2 {
		n = 11 - n
	}
	return proven(n == digit(id[9]))
}
