package personal

import "mcpproxy"

// usKinds are the identifying numbers of the United States.
var usKinds = []dataKind{
	{
		id:       "us_ssn",
		category: ofGovernment,
		severity: mcpproxy.SeverityCritical,
		forms:    "999~99~9999|999999999",
		check:    usSSN,
		words:    "SSN, ssn, social security, social sec, socialsecurity, soc sec, social number, SS number, SS no, ssn last, seguro social, taxpayer id, tax id",
		named:    0.96,
		grouped:  0.7,
	},
	{
		id:       "us_itin",
		category: ofGovernment,
		severity: mcpproxy.SeverityCritical,
		forms:    "999~99~9999|999-999999|99999-9999|999999999",
		check:    usITIN,
		words:    "ITIN, itin, individual taxpayer, taxpayer id, tax id, tax identification, ATIN",
		topics:   aboutTax,
		named:    0.95,
		grouped:  0.7,
	},
	{
		id:       "us_ein",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "99-9999999|999999999",
		check:    usEIN,
		words:    "EIN, FEIN, employer identification, employer id, federal tax id, federal employer, tax id",
		named:    0.9,
	},
	{
		id:       "us_ptin",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "A99999999",
		check:    startsWith("P"),
		words:    "PTIN, preparer tax",
	},
	{
		id:       "us_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A99999999|999999999",
		check:    usPassport,
		words:    "us passport, u s passport, american passport, united states passport, travel document, travel passport, passport number",
		topics:   aboutPassport,
		named:    0.9,
	},
	{
		id:       "us_alien_number",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A999999999|A99999999|A-999999999|999999999|A999-999-999|999-999-999",
		words:    "alien number, alien registration, a number, uscis number, uscis, green card, alien no",
	},
	{
		id:       "us_uscis_receipt",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "AAA9999999999|AAA-99-999-99999",
		check:    startsWith("EAC", "WAC", "LIN", "SRC", "MSC", "IOE", "NBC", "YSC"),
		words:    "uscis, receipt number, case number, petition, immigration",
		named:    0.9,
		bare:     0.5,
	},
	{
		id:       "us_npi",
		category: ofHealth,
		severity: mcpproxy.SeverityMedium,
		forms:    "9999999999|9999-999-999|9999 999 999",
		check:    usNPI,
		words:    "npi, national provider, provider identifier, provider id, provider number, prescriber",
		topics:   aboutDoctor,
		named:    0.95,
		grouped:  0.5,
		alone:    true,
	},
	{
		id:       "us_mbi",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "9AX9-AX9-AA99|9AX9AX9AA99|9AX9 AX9 AA99",
		check:    usMBI,
		words:    "mbi, medicare, beneficiary identifier, medicare id",
		topics:   aboutHealth | aboutMember,
		named:    0.95,
		grouped:  0.75,
		bare:     0.55,
	},
	{
		id:       "us_dea_number",
		category: ofHealth,
		severity: mcpproxy.SeverityMedium,
		forms:    "AA9999999|A99999999|AA-9999999",
		check:    usDEA,
		words:    "dea, dea number, dea no, drug enforcement",
		topics:   aboutDoctor,
		named:    0.95,
		alone:    true,
	},
	{
		id:       "us_driver_license",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A999-9999-9999|A999-999-99-999-9|A999 9999 9999|A999-9999-9999-99|99-999-9999|A{1,2}9{6,8}|A9{9,14}|9{7,10}|9{12}|AAA9{9}|AAAAA999AA9AA|AAAAA99AA999A|AAAAA99999AA|A99A99999|AA9{6}A|9{3}AA9{4}|9{2}AAA9{4,5}",
		words:    "texas driver, california driver, florida driver, us driver, dmv",
		topics:   aboutLicence,
		named:    0.88,
	},
}

// startsWith returns a check for one of some prefixes.
func startsWith(heads ...string) func([]byte) grade {
	return func(id []byte) grade {
		for _, h := range heads {
			if len(id) >= len(h) && string(id[:len(h)]) == h {
				return right
			}
		}
		return wrong
	}
}

// usSSN excludes the areas, groups and serial numbers that are never issued, and two numbers from advertisements.
func usSSN(id []byte) grade {
	area := string(id[:3])
	return plausible(
		area != "000" && area != "666" && id[0] != '9' && string(id[3:5]) != "00" && string(id[5:]) != "0000" &&
			string(id) != "078051120" && string(id) != "219099999",
	)
}

// usITIN begins with 9 and has the groups 50-65, 70-88, 90-92 and 94-99; 93 is for adoptions.
func usITIN(id []byte) grade {
	group := number(id[3:5])
	return plausible(
		id[0] == '9' && (group >= 50 && group <= 65 || group >= 70 && group <= 88 || group >= 90) &&
			string(id[5:]) != "0000",
	)
}

// usEIN begins with the prefix of a campus of the tax authority.
func usEIN(id []byte) grade {
	switch p := number(id[:2]); p {
	case 0, 7, 8, 9, 17, 18, 19, 28, 29, 49, 69, 70, 78, 79, 89, 96, 97:
		return wrong
	}
	return plausible(string(id[2:]) != "0000000")
}

func usPassport(id []byte) grade { return plausible(string(id[1:]) != "00000000") }

// usNPI is ten digits that begin with 1 or 2, with a Luhn check over 80840 and the number.
func usNPI(id []byte) grade {
	return proven((id[0] == '1' || id[0] == '2') && (luhnSum(id)+24)%10 == 0)
}

// usMBI checks that the first character is not 0, and that the letters do not include S, L, O, I, B or Z.
func usMBI(id []byte) grade {
	for _, c := range id {
		switch c {
		case 'S', 'L', 'O', 'I', 'B', 'Z':
			return wrong
		}
	}
	return plausible(id[0] != '0')
}

// usDEA is a class of registrant, a letter or 9, and seven digits with a check digit.
func usDEA(id []byte) grade {
	if isNumber(id[1]) && id[1] != '9' {
		return wrong
	}
	switch id[0] {
	case 'I', 'N', 'O', 'Q', 'V', 'W', 'Y', 'Z':
		return wrong
	}
	d := id[2:]
	sum := digit(d[0]) + digit(d[2]) + digit(d[4]) + 2*(digit(d[1])+digit(d[3])+digit(d[5]))
	return proven(sum%10 == digit(d[6]) && sum > 0)
}
