package personal

import (
	"strings"

	"mcpproxy"
)

// indianKinds are the identifying numbers of India, Pakistan, Bangladesh, Sri Lanka and Nepal.
var indianKinds = []dataKind{
	{
		id:       "in_aadhaar",
		category: ofGovernment,
		severity: mcpproxy.SeverityCritical,
		forms:    "9999 9999 9999|9999-9999-9999|9{12}|?9999.9999.9999",
		check:    inAadhaar,
		words:    "aadhaar*, aadhar*, adhaar*, uidai, uid, UID, आधार",
		topics:   aboutNational,
		named:    0.97,
		grouped:  0.7,
		alone:    true,
	},
	{
		id:       "in_pan",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AAAAA9999A",
		check: func(id []byte) grade {
			return plausible(strings.IndexByte("PCHFATBLJGK", id[3]) >= 0 && string(id[5:9]) != "0000")
		},
		words:  "pan, PAN, pan card, pan no, pan number, permanent account number, income tax",
		topics: aboutTax,
		named:  0.96,
		bare:   0.6,
		alone:  true,
	},
	{
		id:       "in_gstin",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "99AAAAA9999AXAX",
		check:    inGSTIN,
		words:    "gst*, gstin",
		topics:   aboutVAT,
		named:    0.97,
		bare:     0.75,
		alone:    true,
	},
	{
		id:       "in_voter_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AAA9999999",
		check: func(id []byte) grade {
			if luhn(id[3:]) {
				return right
			}
			return likely
		},
		words:  "epic, voter*, election card",
		topics: aboutVoter,
		named:  0.95,
		alone:  true,
	},
	{
		id:       "in_vehicle_registration",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		forms:    "AA9{1,2}A{1,3}9{4}|AA 9{1,2} A{1,3} 9{4}|AA-9{1,2}-A{1,3}-9{4}|AA9{2} A{1,3} 9{4}|AA9{2} A{1,3}9{4}|AA 9{1,2}A{1,3} 9{4}|AA-9{2}-A{1,3} 9{4}|99AA9999A{1,2}|99 AA 9999 A{1,2}|AA9{5,6}|AA9{2}9{4}",
		check:    inPlate,
		words:    "vehicle number, rto",
		topics:   aboutPlate,
		named:    0.92,
		grouped:  0.55,
		bare:     0.4,
		alone:    true,
	},
	{
		id:       "in_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A9999999|A 9999999",
		check:    func(id []byte) grade { return plausible(id[0] != 'Q' && id[0] != 'X' && id[1] != '0') },
		words:    "indian passport",
		topics:   aboutPassport,
		named:    0.93,
	},
	{
		id:       "in_driver_license",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AA9{13}|AA99 9{11}|AA-9{13}|AA99-9{11}|AA-99-9{4}-9{7}|AA 99 9{11}|AA99 9999 9999999|AA-99 9{4} 9{7}",
		check: func(id []byte) grade {
			y := number(id[4:8])
			return plausible(isIndianState(id) && y >= 1950 && y <= 2035)
		},
		words:   "dl no, dl number, driving licen*",
		topics:  aboutLicence,
		named:   0.96,
		grouped: 0.7,
		bare:    0.6,
	},
	{
		id:       "in_uan",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "9{12}|9999 9999 9999",
		words:    "uan, epfo, universal account number, provident fund",
		named:    0.9,
	},
	{
		id:       "in_abha",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "99-9999-9999-9999|99 9999 9999 9999|9{14}",
		words:    "abha, health id, ayushman*, abdm",
		named:    0.93,
	},
	{
		id:       "pk_cnic",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99999-9999999-9|9{13}|99999 9999999 9",
		check:    func(id []byte) grade { return plausible(id[0] >= '1' && id[0] <= '8') },
		words:    "cnic, nicop, nadra, snic, شناختی کارڈ",
		named:    0.96,
		grouped:  0.75,
	},
	{
		id:       "bd_nid",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{10}|9{13}|9{17}|999 999 9999",
		words:    "nid number, nid, bangladesh*, জাতীয় পরিচয়পত্র",
		named:    0.88,
	},
	{
		id:       "lk_nic",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{9}A|9{12}",
		check:    lkNIC,
		words:    "nic, nic no, national identity, sri lanka*",
		named:    0.94,
	},
	{
		id:       "np_citizenship",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99-99-99-99999|9{2}-9{2}-9{2}-9{3,5}",
		words:    "citizenship no, citizenship number, nagarikta",
		named:    0.9,
	},
}

// southEastKinds are the identifying numbers of Singapore, Malaysia, Thailand, Indonesia, the Philippines and Vietnam.
var southEastKinds = []dataKind{
	{
		id:       "sg_nric_fin",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A9999999A",
		check:    sgNRIC,
		words:    "nric, fin, NRIC, FIN, nric no, singapore*, work permit",
		topics:   aboutNational,
		named:    0.97,
		bare:     0.65,
		alone:    true,
	},
	{
		id:       "sg_uen",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{8}A|9{9}A|A99AA9999A",
		check:    sgUEN,
		words:    "uen, UEN, unique entity, acra, singapore*",
		topics:   aboutCompany,
		named:    0.96,
		bare:     0.45,
		alone:    true,
	},
	{
		id:       "sg_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A9999999A",
		check:    startsWith("E", "K", "X"),
		words:    "singapore passport",
		topics:   aboutPassport,
		named:    0.94,
	},
	{
		id:       "my_mykad",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999999-99-9999|9{12}|999999 99 9999",
		check:    myKad,
		words:    "mykad*, nric, ic no, ic number, kad pengenalan, no kp, mykid, IC",
		topics:   aboutNational,
		named:    0.95,
		grouped:  0.75,
		alone:    true,
	},
	{
		id:       "th_national_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9-9999-99999-99-9|9 9999 99999 99 9|9{13}",
		check:    thID,
		words:    "thai id*, thailand*, thai national, บัตรประชาชน, เลขบัตร, เลขประจำตัว",
		topics:   aboutNational | aboutTax,
		named:    0.97,
		grouped:  0.9,
		alone:    true,
	},
	{
		id:       "id_nik",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{16}|999999.999999.9999|9999 9999 9999 9999",
		check:    idNIK,
		words:    "nik, NIK, ktp, e ktp, nomor induk, kartu keluarga, no kk",
		topics:   aboutNational,
		named:    0.95,
		alone:    true,
	},
	{
		id:       "id_npwp",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99.999.999.9-999.999|9{15}|99 999 999 9 999 999",
		check:    func(id []byte) grade { return max(likely, proven(luhn(id[:9]))) },
		words:    "npwp, nomor pokok wajib pajak",
		named:    0.95,
		grouped:  0.9,
	},
	{
		id:       "ph_tin",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999-999-999|999-999-999-999|999-999-999-99999|9{9}|9{12}|999 999 999|999 999 999 999",
		check:    phTIN,
		words:    "tin, TIN, bir, tin no, tax identification",
		topics:   aboutTax,
		named:    0.92,
	},
	{
		id:       "ph_sss",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99-9999999-9|9{10}",
		words:    "sss, sss no, sss number, SSS",
		named:    0.93,
	},
	{
		id:       "ph_philhealth",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "99-999999999-9|9{12}",
		words:    "philhealth*, pin philhealth",
		named:    0.94,
		grouped:  0.45,
	},
	{
		id:       "ph_umid",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9999-9999999-9|9{12}|9999-9999-9999",
		words:    "umid, crn, pag ibig, pagibig, hdmf",
		named:    0.92,
	},
	{
		id:       "ph_national_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9999-9999-9999-9999|9999-9999-9999|9{12}|9{16}",
		words:    "philsys, psn, pcn, philid, philippine id*",
		named:    0.94,
	},
	{
		id:       "vn_cccd",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{12}|9{9}|999 999 999 999",
		check: func(id []byte) grade {
			return plausible(len(id) == 9 || id[0] == '0' && number(id[:3]) <= 96 && number(id[:3]) > 0)
		},
		words: "cccd, cmnd, can cuoc*, căn cước, chứng minh*, chung minh*, vietnam* id, so cccd, so cmnd",
		named: 0.95,
	},
	{
		id:       "vn_tax_code",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "9{10}|9{10}-9{3}",
		check: func(id []byte) grade {
			return proven(10-weighted(id, 31, 29, 23, 19, 17, 13, 7, 5, 3)%11 == digit(id[9]))
		},
		words:  "mst, ma so thue, mã số thuế",
		topics: aboutTax,
		named:  0.94,
	},
}

// inAadhaar does not begin with 0 or 1, is not a palindrome, and has a Verhoeff check digit.
func inAadhaar(id []byte) grade {
	palindrome := true
	for i := range 6 {
		palindrome = palindrome && id[i] == id[11-i]
	}
	return proven(id[0] > '1' && !palindrome && verhoeff(id))
}

func inGSTIN(id []byte) grade {
	state := number(id[:2])
	if !(state >= 1 && state <= 38 || state == 97 || state == 99) || strings.IndexByte("PCHFATBLJGK", id[5]) < 0 ||
		id[13] != 'Z' {
		return wrong
	}
	sum := 0
	for i, c := range id[:14] {
		v := strings.IndexByte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", c) * (1 + i%2)
		sum += v/36 + v%36
	}
	if "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(36-sum%36)%36] == id[14] {
		return right
	}
	return likely
}

func isIndianState(id []byte) bool {
	i := strings.Index(
		"AN AP AR AS BR CG CH DD DL DN GA GJ HP HR JH JK KA KL LA LD MH ML MN MP MZ NL OD OR PB PY RJ SK TG TN TR TS UK UP UT WB",
		string(id[:2]),
	)
	return i >= 0 && i%3 == 0
}

func inPlate(id []byte) grade {
	if isNumber(id[0]) {
		return plausible(string(id[2:4]) == "BH")
	}
	if !isIndianState(id) || string(id[len(id)-4:]) == "0000" {
		return wrong
	}
	if allNumbers(id[2:]) {
		return likely
	}
	return right
}

// lkNIC is the year and the day of the year, plus 500 for women.
func lkNIC(id []byte) grade {
	day := number(id[2:5])
	if len(id) == 12 {
		if y := number(id[:4]); y < 1890 || y > 2035 {
			return wrong
		}
		day = number(id[4:7])
	} else if id[9] != 'V' && id[9] != 'X' {
		return wrong
	}
	if day > 500 {
		day -= 500
	}
	return plausible(day >= 1 && day <= 366)
}

func sgNRIC(id []byte) grade {
	sum := weighted(id[1:], 2, 7, 6, 5, 4, 3, 2)
	switch id[0] {
	case 'S':
		return proven("JZIHGFEDCBA"[sum%11] == id[8])
	case 'T':
		return proven("JZIHGFEDCBA"[(sum+4)%11] == id[8])
	case 'F':
		return proven("XWUTRQPNMLK"[sum%11] == id[8])
	case 'G':
		return proven("XWUTRQPNMLK"[(sum+4)%11] == id[8])
	case 'M':
		return proven("XWUTRQPNJLK"[(sum+3)%11] == id[8])
	}
	return wrong
}

func sgUEN(id []byte) grade {
	switch {
	case len(id) == 9:
		return proven("XMKECAWLJDB"[weighted(id, 10, 4, 9, 3, 8, 2, 7, 1)%11] == id[8])
	case isNumber(id[0]):
		y := number(id[:4])
		return proven(y >= 1800 && y <= 2035 && "ZKCMDNERGWH"[weighted(id, 10, 8, 6, 4, 9, 7, 5, 3, 1)%11] == id[9])
	case id[0] != 'T' && id[0] != 'S' && id[0] != 'R':
		return wrong
	}
	const alphabet = "ABCDEFGHJKLMNPQRSTUVWX0123456789"
	sum := 0
	for i, w := range [9]int{4, 3, 5, 3, 10, 2, 2, 5, 7} {
		v := strings.IndexByte(alphabet, id[i])
		if v < 0 {
			return wrong
		}
		sum += v * w
	}
	return proven(alphabet[((sum-5)%11+11)%11] == id[9])
}

// myKad is a date, the place of birth and a serial number.
func myKad(id []byte) grade {
	place := number(id[6:8])
	return plausible(
		isShortDate(id) && place > 0 && !(place >= 17 && place <= 20) && place != 69 && place != 70 &&
			place != 73 && place != 80 && place != 81 &&
			!(place >= 94 && place <= 97),
	)
}

func thID(id []byte) grade {
	return proven(
		id[0] != '0' && id[0] != '9' &&
			(11-weighted(id, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11)%10 == digit(id[12]),
	)
}

// idNIK is a district, a date whose day is increased by 40 for women, and a serial number.
func idNIK(id []byte) grade {
	province, day := number(id[:2]), number(id[6:8])
	if day > 40 {
		day -= 40
	}
	return plausible(
		province >= 11 && province <= 96 && string(id[2:4]) != "00" && string(id[4:6]) != "00" &&
			isDate(0, number(id[8:10]), day) && string(id[12:]) != "0000" &&
			number(id[12:]) < 3000,
	)
}

func phTIN(id []byte) grade {
	return proven(weighted(id, 9, 8, 7, 6, 5, 4, 3, 2)%11 == digit(id[8]) && (len(id) == 9 || number(id[9:]) < 1000))
}
