package personal

import (
	"strings"

	"mcpproxy"
)

// chineseKinds are the identifying numbers of China, Hong Kong, Macau, Taiwan and Japan.
var chineseKinds = []dataKind{
	{
		id:       "cn_resident_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{17}X|9{15}|999999 99999999 999X",
		check:    cnResident,
		words:    "身份证, 身份證, 居民身份, 公民身份, resident identity, chinese id, shenfenzheng",
		topics:   aboutNational,
		named:    0.98,
		bare:     0.8,
	},
	{
		id:       "cn_credit_code",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "X{18}",
		check:    cnCreditCode,
		words:    "统一社会信用代码, uscc, 信用代码, 税号",
		topics:   aboutCompany,
		named:    0.96,
		bare:     0.5,
	},
	{
		id:       "cn_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A99999999|AA9999999",
		check:    func(id []byte) grade { return plausible(strings.IndexByte("EGDSPHMK", id[0]) >= 0) },
		words:    "护照, 護照, chinese passport",
		topics:   aboutPassport,
		named:    0.93,
	},
	{
		id:       "hk_hkid",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A999999(X|AA999999(X|A999999X|AA999999X|A999999 (X",
		check:    hkID,
		words:    "hkid, hong kong id*, hong kong identity, 身份證",
		topics:   aboutNational,
		named:    0.96,
		grouped:  0.85,
		alone:    true,
	},
	{
		id:       "mo_bir",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9999999(9|9/999999/9|9{8}",
		check:    func(id []byte) grade { return plausible(strings.IndexByte("157", id[0]) >= 0) },
		words:    "bir, macau id*, macao id*, 澳門",
		named:    0.93,
	},
	{
		id:       "tw_national_id",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A999999999|AA99999999",
		check:    twID,
		words:    "身分證, 統一編號, 居留證, taiwan id*, arc number, ui no",
		topics:   aboutNational,
		named:    0.96,
		alone:    true,
	},
	{
		id:       "tw_ubn",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{8}",
		check:    twCompany,
		words:    "統編, 統一編號, ubn, gui number",
		topics:   aboutCompany,
		named:    0.94,
	},
	{
		id:       "jp_my_number",
		category: ofGovernment,
		severity: mcpproxy.SeverityCritical,
		forms:    "9{12}|9999 9999 9999|9999-9999-9999",
		check:    jpMyNumber,
		words:    "マイナンバー, 個人番号, my number, mynumber, individual number, kojin bango",
		topics:   aboutNational | aboutTax,
		named:    0.96,
		alone:    true,
	},
	{
		id:       "jp_corporate_number",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{13}|9-9999-9999-9999|A9{13}",
		check:    jpCorporate,
		words:    "法人番号, corporate number, インボイス, 登録番号",
		topics:   aboutCompany,
		named:    0.95,
		grouped:  0.5,
	},
	{
		id:       "jp_driver_license",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{12}",
		check:    jpLicence,
		words:    "運転免許*, 免許証番号",
		topics:   aboutLicence,
		named:    0.94,
	},
	{
		id:       "jp_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AA9999999",
		words:    "旅券番号, パスポート, japanese passport",
		topics:   aboutPassport,
		named:    0.92,
	},
	{
		id:       "jp_residence_card",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AA99999999AA",
		words:    "在留カード, residence card, zairyu",
		topics:   aboutNational,
		named:    0.95,
	},
	{
		id:       "jp_pension_number",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9999-999999|9{10}",
		words:    "基礎年金番号, 年金番号, pension number",
		named:    0.93,
	},
}

// koreanKinds are the identifying numbers of South Korea.
var koreanKinds = []dataKind{
	{
		id:       "kr_rrn",
		category: ofGovernment,
		severity: mcpproxy.SeverityCritical,
		forms:    "999999-9999999|9{13}|999999 9999999",
		check:    krResident("1234", 11),
		words:    "rrn, 주민등록번호, 주민번호, 주민등록, resident registration",
		topics:   aboutNational,
		named:    0.97,
		grouped:  0.75,
		bare:     0.5,
		alone:    true,
	},
	{
		id:       "kr_frn",
		category: ofGovernment,
		severity: mcpproxy.SeverityCritical,
		forms:    "999999-9999999|9{13}|999999 9999999",
		check:    krResident("5678", 13),
		words:    "frn, 외국인등록번호, 외국인등록, foreigner registration, alien registration",
		topics:   aboutNational,
		named:    0.97,
		grouped:  0.75,
		bare:     0.5,
		alone:    true,
	},
	{
		id:       "kr_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A99999999|A999A9999|AA9999999",
		check:    krPassport,
		words:    "여권, 여권번호, korean passport",
		topics:   aboutPassport,
		named:    0.94,
		alone:    true,
		strict:   true,
	},
	{
		id:       "kr_driver_license",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99-99-999999-99|9{12}|99 99 999999 99|99-999999-99",
		check:    krLicence,
		words:    "운전면허, 면허번호, 운전면허번호",
		topics:   aboutLicence,
		named:    0.95,
		grouped:  0.75,
	},
	{
		id:       "kr_business_number",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "999-99-99999|9{10}",
		check:    krBusiness,
		words:    "brn, 사업자등록번호, 사업자번호, business registration",
		topics:   aboutCompany,
		named:    0.96,
		grouped:  0.75,
		alone:    true,
	},
}

// cnResident is a region, a date, a serial number and a check digit that may be X. Old numbers have no check digit.
func cnResident(id []byte) grade {
	if number(id[:2]) < 11 || number(id[:2]) > 83 {
		return wrong
	}
	if len(id) == 15 {
		if isShortDate(id[6:12]) {
			return likely
		}
		return wrong
	}
	return proven(isLongDate(id[6:14]) && (isNumber(id[17]) || id[17] == 'X') && iso112(id))
}

func cnCreditCode(id []byte) grade {
	const alphabet = "0123456789ABCDEFGHJKLMNPQRTUWXY"
	sum, weight := 0, 1
	for _, c := range id[:17] {
		v := strings.IndexByte(alphabet, c)
		if v < 0 {
			return wrong
		}
		sum += v * weight
		weight = weight * 3 % 31
	}
	if !allNumbers(id[2:8]) || strings.IndexByte("123456789ANYGE", id[0]) < 0 {
		return wrong
	}
	if allNumbers(id) && alphabet[(31-sum%31)%31] == id[17] {
		return likely
	}
	return proven(alphabet[(31-sum%31)%31] == id[17])
}

// hkID is one or two letters, six digits and a check digit that may be A. A missing letter counts as 36.
func hkID(id []byte) grade {
	letters := len(id) - 7
	sum := 36 * 9
	if letters == 2 {
		sum = (int(id[0]-'A') + 10) * 9
	}
	sum += (int(id[letters-1]-'A') + 10) * 8
	sum += weighted(id[letters:], 7, 6, 5, 4, 3, 2)
	check := int(id[len(id)-1] - '0')
	if id[len(id)-1] == 'A' {
		check = 10
	}
	return proven(check <= 10 && (sum+check)%11 == 0)
}

// twID counts the letter of the place as two digits, and the second letter of foreigners' old cards as its last
// digit.
func twID(id []byte) grade {
	value := func(c byte) int { return strings.IndexByte("ABCDEFGHJKLMNPQRSTUVXYWZIO", c) + 10 }
	first, second := value(id[0]), digit(id[1])
	if isLetter(id[1]) {
		if id[1] > 'D' {
			return wrong
		}
		second = value(id[1]) % 10
	} else if strings.IndexByte("1289", id[1]) < 0 {
		return wrong
	}
	return proven((first/10+first%10*9+second*8+weighted(id[2:], 7, 6, 5, 4, 3, 2, 1, 1))%10 == 0)
}

func twCompany(id []byte) grade {
	sum := 0
	for i, w := range [8]int{1, 2, 1, 2, 1, 2, 4, 1} {
		p := digit(id[i]) * w
		sum += p/10 + p%10
	}
	return proven(sum%5 == 0 || id[6] == '7' && (sum+1)%5 == 0)
}

func jpMyNumber(id []byte) grade {
	n := weighted(id, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2) % 11
	if n <= 1 {
		return proven(id[11] == '0')
	}
	return proven(11-n == digit(id[11]))
}

func jpCorporate(id []byte) grade {
	if isLetter(id[0]) {
		if id[0] != 'T' {
			return wrong
		}
		id = id[1:]
	}
	return proven(9-weighted(id[1:], 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1)%9 == digit(id[0]))
}

func jpLicence(id []byte) grade {
	n := 11 - weighted(id, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11
	if n > 9 {
		n = n % 10
	}
	return proven(n == digit(id[10]))
}

// krResident is a date, the sex and century, and four digits for the place. Numbers issued since 2020 have no check
// digit.
func krResident(sexes string, base int) func([]byte) grade {
	return func(id []byte) grade {
		if !isShortDate(id) || strings.IndexByte(sexes, id[6]) < 0 {
			return wrong
		}
		if (base-weighted(id, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)%11)%10 == digit(id[12]) {
			return right
		}
		return likely
	}
}

// krPassport begins with the kind of passport. New numbers have a letter in the middle.
func krPassport(id []byte) grade {
	switch {
	case strings.IndexByte("MSRODGPT", id[0]) < 0:
		return wrong
	case isLetter(id[4]):
		return right
	}
	return likely
}

// krLicence begins with a region and has two check digits whose algorithm is not published.
func krLicence(id []byte) grade {
	region := number(id[:2])
	return plausible(len(id) == 10 || region >= 11 && region <= 28 && id[4] != '9')
}

func krBusiness(id []byte) grade {
	sum := weighted(id, 1, 3, 7, 1, 3, 7, 1, 3, 5) + digit(id[8])*5/10
	return proven((10-sum%10)%10 == digit(id[9]) && string(id[3:5]) != "00")
}
