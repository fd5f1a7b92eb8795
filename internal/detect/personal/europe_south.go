package personal

import (
	"strings"

	"mcpproxy"
)

// iberianKinds are the identifying numbers of Spain and Portugal.
var iberianKinds = []dataKind{
	{
		id:       "es_nif",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99999999A|99999999-A|9999999A|9999999-A|99.999.999-A|99.999.999A|99999999 A|A9999999A",
		check:    esNIF,
		words:    "dni, DNI, nif, documento nacional, d n i, n i f",
		topics:   aboutTax | aboutNational,
		named:    0.96,
		grouped:  0.7,
		bare:     0.55,
		alone:    true,
	},
	{
		id:       "es_nie",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A9999999A|A-9999999-A|A9999999-A|A-9999999A|A 9999999 A",
		check:    esNIE,
		words:    "nie, NIE, extranjer*",
		topics:   aboutTax | aboutNational,
		named:    0.96,
		grouped:  0.8,
		bare:     0.65,
		alone:    true,
	},
	{
		id:       "es_cif",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "A9999999X|A-9999999-X|A-9999999X|A-99999999|A99999999|AAA9999999X|AAA99999999",
		check:    esCIF,
		words:    "cif, CIF",
		topics:   aboutTax | aboutVAT | aboutCompany,
		named:    0.94,
		alone:    true,
	},
	{
		id:       "es_nss",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99/99999999/99|99 99999999 99|9{12}|99/9999999999|99-99999999-99|99 9999999999",
		check:    esNSS,
		words:    "nss, naf, seguridad social, numero de afiliacion",
		topics:   aboutSocial,
		named:    0.96,
		grouped:  0.85,
	},
	{
		id:       "es_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AAA999999|AA999999",
		topics:   aboutPassport,
		words:    "pasaporte",
		named:    0.93,
	},
	{
		id:       "es_vehicle_registration",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		forms:    "9999 AAA|9999AAA|9999-AAA",
		check:    func(id []byte) grade { return plausible(!strings.ContainsAny(string(id), "AEIOUQ")) },
		words:    "matricula",
		topics:   aboutPlate,
		named:    0.9,
		alone:    true,
	},
	{
		id:       "pt_nif",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{9}|999 999 999|AA9{9}|999-999-999",
		check:    ptNIF,
		words:    "nif, numero de contribuinte, contribuinte, nipc",
		topics:   aboutTax | aboutVAT,
		named:    0.95,
	},
	{
		id:       "pt_cartao_cidadao",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99999999 9 AA9|99999999 9AA9|9{9}AA9|99999999-9-AA9|99999999 9 XX9|99999999 9XX9|9{9}XX9",
		check:    ptCC,
		words:    "cartao de cidadao, cc, bilhete de identidade, BI, numero de cidadao",
		topics:   aboutNational,
		named:    0.95,
		grouped:  0.85,
		bare:     0.7,
	},
	{
		id:       "pt_niss",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}|999 999 999 99",
		check: func(id []byte) grade {
			return proven(
				(id[0] == '1' || id[0] == '2') &&
					9-weighted(id, 29, 23, 19, 17, 13, 11, 7, 5, 3, 2)%10 == digit(id[10]),
			)
		},
		words:  "niss, seguranca social",
		topics: aboutSocial,
		named:  0.95,
	},
	{
		id:       "pt_vehicle_registration",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		forms:    "AA-99-AA|99-AA-99|99-99-AA|AA-99-99",
		words:    "matricula",
		topics:   aboutPlate,
		named:    0.9,
	},
}

// italianKinds are the identifying numbers of Italy, San Marino, Malta and Cyprus.
var italianKinds = []dataKind{
	{
		id:       "it_codice_fiscale",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AAAAAAXXAXXAXXXA|AAA AAA XXAXX AXXXA|AAA-AAA-XXAXX-AXXXA",
		check:    itFiscalCode,
		words:    "codice fiscale, cod fisc, cf, C.F., c f, fiscal code",
		topics:   aboutTax,
		named:    0.97,
		grouped:  0.85,
		bare:     0.85,
		alone:    true,
	},
	{
		id:       "it_partita_iva",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "9{11}|AA9{11}|AA 9{11}|99999999_999",
		check:    itVAT,
		words:    "partita iva, p iva, piva, iva",
		topics:   aboutVAT | aboutTax,
		named:    0.95,
		alone:    true,
	},
	{
		id:       "it_identity_card",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AA99999AA|AA9999999|AA 9999999|9{7}AA",
		words:    "carta d identita, carta identita, cie, identity card, documento d identita",
		topics:   aboutNational,
		named:    0.92,
		alone:    true,
	},
	{
		id:       "it_passport",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AA9999999",
		words:    "passaporto",
		topics:   aboutPassport,
		named:    0.9,
	},
	{
		id:       "it_driver_license",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "AA9999999A|A9XXXXXXXA",
		check:    func(id []byte) grade { return plausible(isLetter(id[1]) || string(id[:2]) == "U1") },
		words:    "patente, patente di guida, licenza di guida",
		topics:   aboutLicence,
		named:    0.93,
		alone:    true,
	},
	{
		id:       "it_health_card",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{20}",
		check:    func(id []byte) grade { return min(startsWith("80380")(id), proven(luhn(id))) },
		words:    "tessera sanitaria, team",
		topics:   aboutHealth,
		named:    0.95,
		bare:     0.7,
	},
	{
		id:       "it_vehicle_registration",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		forms:    "AA999AA|AA 999 AA|AA-999-AA",
		check:    func(id []byte) grade { return plausible(!strings.ContainsAny(string(id), "IOQU")) },
		words:    "targa",
		topics:   aboutPlate,
		named:    0.88,
	},
	{
		id:       "mt_identity_card",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{3,7}A",
		check:    func(id []byte) grade { return plausible(strings.IndexByte("MGAPLHBZ", id[len(id)-1]) >= 0) },
		words:    "maltese id, malta id, karta tal identita, identity card, id card",
		named:    0.88,
	},
	{
		id:       "cy_tin",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "99999999A",
		check:    cyTIN,
		words:    "cyprus, tic",
		topics:   aboutTax | aboutVAT,
		named:    0.93,
	},
}

// esNIF is up to eight digits and a letter: their remainder by 23. K, L and M begin the numbers of people without a
// card.
func esNIF(id []byte) grade {
	last := len(id) - 1
	digits := id[:last]
	if isLetter(id[0]) {
		if digits = id[1:last]; strings.IndexByte("KLM", id[0]) < 0 {
			return wrong
		}
	}
	return proven(allNumbers(digits) && dniLetter(number(digits)) == id[last])
}

func dniLetter(n int) byte { return "TRWAGMYFPDXBNJZSQVHLCKE"[n%23] }

func esNIE(id []byte) grade {
	first := strings.IndexByte("XYZ", id[0])
	return proven(first >= 0 && dniLetter(first*10000000+number(id[1:8])) == id[8])
}

func esCIF(id []byte) grade {
	if len(id) == 11 {
		if string(id[:2]) != "ES" {
			return wrong
		}
		id = id[2:]
	}
	if strings.IndexByte("ABCDEFGHJNPQRSUVW", id[0]) < 0 {
		return wrong
	}
	check := (10 - luhnSum(append(append([]byte(nil), id[1:8]...), '0'))%10) % 10
	return proven(id[8] == byte('0'+check) && strings.IndexByte("PQRSNW", id[0]) < 0 || id[8] == "JABCDEFGHI"[check])
}

func esNSS(id []byte) grade {
	n, check := number(id[2:10]), number(id[10:])
	short := n < 10000000 && (n+number(id[:2])*10000000)%97 == check // old numbers
	return proven((short || number(id[:10])%97 == check) && string(id[:2]) != "00")
}

func ptNIF(id []byte) grade {
	if isLetter(id[0]) {
		if string(id[:2]) != "PT" {
			return wrong
		}
		id = id[2:]
	}
	return proven(
		id[0] != '0' && (id[0] != '4' || id[1] == '5') &&
			under10(11-weighted(id, 9, 8, 7, 6, 5, 4, 3, 2)%11) == digit(id[8]),
	)
}

func ptCC(id []byte) grade {
	sum := 0
	for i, c := range id {
		v := int(c-'A') + 10
		if isNumber(c) {
			v = digit(c)
		}
		if i%2 == 0 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return proven(sum%10 == 0 && (len(id) < 12 || isLetter(id[9]) || isLetter(id[10])))
}

// itFiscalCode checks the letter of the month, the day, to which 40 is added for women, and the check letter. Letters
// may replace digits to distinguish people with the same code. A code with a wrong check letter is still likely.
func itFiscalCode(id []byte) grade {
	at := func(i int) int {
		if isNumber(id[i]) {
			return digit(id[i])
		}
		return strings.IndexByte("LMNPQRSTUV", id[i])
	}
	sum := 0
	for _, i := range [7]int{6, 7, 9, 10, 12, 13, 14} {
		if at(i) < 0 {
			return wrong
		}
	}
	day := (at(9)*10 + at(10)) % 40
	if strings.IndexByte("ABCDEHLMPRST", id[8]) < 0 || day < 1 || day > 31 || at(9) > 7 {
		return wrong
	}
	for i, c := range id[:15] {
		v := int(c - 'A')
		if isNumber(c) {
			v = digit(c)
		}
		if i%2 == 0 {
			v = [26]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21,
				2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}[v]
		}
		sum += v
	}
	if byte('A'+sum%26) == id[15] {
		return right
	}
	return likely
}

func itVAT(id []byte) grade {
	if isLetter(id[0]) {
		if string(id[:2]) != "IT" {
			return wrong
		}
		id = id[2:]
	}
	office := number(id[7:10])
	return proven(
		luhn(id) && string(id[:7]) != "0000000" &&
			(office >= 1 && office <= 101 || office == 120 || office == 121 || office == 888 || office == 999),
	)
}

func cyTIN(id []byte) grade {
	sum := 0
	for i, c := range id[:8] {
		if i%2 == 0 {
			sum += [10]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21}[digit(c)]
		} else {
			sum += digit(c)
		}
	}
	return proven(byte('A'+sum%26) == id[8] && string(id[:2]) != "12")
}
