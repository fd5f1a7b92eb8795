package personal

import (
	"strings"

	"mcpproxy"
)

// latinKinds are the identifying numbers of South America.
var latinKinds = []dataKind{
	{
		id:       "br_cpf",
		category: ofGovernment,
		severity: mcpproxy.SeverityCritical,
		forms:    "999.999.999-99|9{11}|999 999 999 99|999-999-999-99|999999999-99",
		check:    brCPF,
		words:    "cpf, cadastro de pessoas",
		topics:   aboutTax,
		named:    0.96,
		grouped:  0.9,
		alone:    true,
	},
	{
		id:       "br_cnpj",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "XX.XXX.XXX/XXXX-99|X{12}99",
		check:    brCNPJ,
		words:    "cnpj, cadastro nacional da pessoa juridica",
		topics:   aboutCompany,
		named:    0.96,
		grouped:  0.9,
		alone:    true,
	},
	{
		id:       "br_rg",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99.999.999-X|9.999.999-X|9{7,9}|9{8}X|9{2}.9{3}.9{3}|AA-99.999.999|AA 9{7,8}",
		words:    "RG, registro geral, carteira de identidade, identidade",
		named:    0.88,
	},
	{
		id:       "br_cnh",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{11}",
		words:    "CNH, cnh, carteira nacional de habilitacao, carteira de motorista, habilitacao",
		named:    0.88,
	},
	{
		id:       "br_pis",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "999.99999.99-9|9{11}|999.9999.999-9",
		check:    brPIS,
		words:    "pis, pasep, nis, nit, pis pasep",
		topics:   aboutSocial,
		named:    0.94,
		grouped:  0.8,
	},
	{
		id:       "br_titulo_eleitor",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "9{12}|9999 9999 9999",
		check:    func(id []byte) grade { uf := number(id[8:10]); return plausible(uf >= 1 && uf <= 28) },
		words:    "titulo de eleitor, titulo eleitor*, eleitor",
		topics:   aboutVoter,
		named:    0.9,
	},
	{
		id:       "br_cns",
		category: ofHealth,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{15}|999 9999 9999 9999",
		check:    brCNS,
		words:    "cns, sus, cartao sus, cartao nacional de saude",
		topics:   aboutHealth,
		named:    0.94,
		grouped:  0.6,
	},
	{
		id:       "br_renavam",
		category: ofVehicle,
		severity: mcpproxy.SeverityLow,
		forms:    "9{11}|9{9}",
		words:    "renavam",
		named:    0.9,
	},
	{
		id:       "ar_cuit",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99-99999999-9|99 99999999 9|9{11}|99.99999999.9",
		check:    arCUIT,
		words:    "cuit, cuil, cdi, clave unica",
		topics:   aboutTax,
		named:    0.95,
		grouped:  0.85,
		alone:    true,
	},
	{
		id:       "ar_dni",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99.999.999|9.999.999|9{7,8}",
		check:    notDate,
		words:    "dni, documento nacional, libreta civica, documento, doc nro",
		named:    0.88,
	},
	{
		id:       "cl_rut",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "99.999.999-X|9.999.999-X|?9{7,8}-X|9{7,8}X",
		check:    clRUT,
		words:    "rut, run, rol unico, rol unico tributario, cedula",
		topics:   aboutTax,
		named:    0.95,
		grouped:  0.75,
	},
	{
		id:       "co_nit",
		category: ofOrganisation,
		severity: mcpproxy.SeverityLow,
		forms:    "999.999.999-9|999999999-9|9{10}|9{9}-9",
		check:    coNIT,
		words:    "nit, identificacion tributaria",
		topics:   aboutTax,
		named:    0.93,
		grouped:  0.6,
	},
	{
		id:       "co_cedula",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9.999.999.999|99.999.999|9{6,8}|9{10}",
		check:    notDate,
		words:    "cedula*, cedula de ciudadania, CC, C.C., ciudadania, tarjeta de identidad",
		named:    0.86,
	},
	{
		id:       "pe_ruc",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "9{11}",
		check:    peRUC,
		words:    "ruc, registro unico",
		topics:   aboutTax,
		named:    0.94,
		alone:    true,
	},
	{
		id:       "pe_dni",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{8}|9{8}-X",
		check:    notDate,
		words:    "dni, documento nacional, cui",
		named:    0.86,
	},
	{
		id:       "ec_cedula",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{10}|999999999-9",
		check:    ecCedula,
		words:    "cedula*, cedula de identidad, ci, CI",
		topics:   aboutNational,
		named:    0.93,
	},
	{
		id:       "ec_ruc",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "9{13}|9{10}-9{3}",
		check: func(id []byte) grade {
			return ecCedula(id[:10]) * grade(btog(string(id[10:12]) == "00" && id[12] != '0'))
		},
		words:  "ruc, registro unico",
		topics: aboutTax,
		named:  0.94,
		alone:  true,
	},
	{
		id:       "uy_ci",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9.999.999-9|999.999-9|9{7}-9|9{8}",
		check:    uyCI,
		words:    "cedula*, ci, CI, cedula de identidad",
		topics:   aboutNational,
		named:    0.93,
		grouped:  0.75,
	},
	{
		id:       "ve_rif",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "A-99999999-9|A999999999|?A-999999999",
		check:    veRIF,
		words:    "rif, registro unico de informacion fiscal",
		topics:   aboutTax,
		named:    0.95,
		grouped:  0.8,
		alone:    true,
	},
	{
		id:       "ve_cedula",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "A-9{7,8}|A-9{2}.9{3}.9{3}|A9{7,8}",
		check:    startsWith("V", "E"),
		words:    "cedula*, cedula de identidad, ci, venezuela",
		topics:   aboutNational,
		named:    0.9,
	},
	{
		id:       "py_ruc",
		category: ofGovernment,
		severity: mcpproxy.SeverityMedium,
		forms:    "9{6,8}-9",
		check:    func(id []byte) grade { return proven(pyRUC(id)) },
		words:    "ruc, paraguay",
		topics:   aboutTax,
		named:    0.92,
	},
	{
		id:       "bo_ci",
		category: ofGovernment,
		severity: mcpproxy.SeverityHigh,
		forms:    "9{7} AA|9{7}",
		words:    "carnet de identidad, cedula de identidad, bolivia",
		named:    0.85,
	},
}

func brCPF(id []byte) grade {
	return proven(
		under10(11-weighted(id, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11) == digit(id[9]) &&
			under10(11-weighted(id, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11) == digit(id[10]),
	)
}

// under10 returns a check digit; it is 0 if n is not a digit.
func under10(n int) int {
	if n > 9 {
		return 0
	}
	return n
}

// brCNPJ counts letters, which new numbers contain, by their ASCII distance from '0'.
func brCNPJ(id []byte) grade {
	check := func(n int) int {
		sum := 0
		for i := range n {
			sum += int(id[i]-'0') * ((n-1-i)%8 + 2)
		}
		return under10(11 - sum%11)
	}
	if !allNumbers(id) && !isNumber(id[0]) && !isNumber(id[1]) && allNumbers(id[2:]) {
		return wrong // a code of two letters and a number
	}
	return proven(check(12) == digit(id[12]) && check(13) == digit(id[13]) && string(id[:8]) != "00000000")
}

func brPIS(id []byte) grade {
	return proven(under10(11-weighted(id, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)%11) == digit(id[10]))
}

func brCNS(id []byte) grade {
	sum := 0
	for i, c := range id {
		sum += digit(c) * (15 - i)
	}
	return proven(sum%11 == 0 && strings.IndexByte("12789", id[0]) >= 0)
}

func arCUIT(id []byte) grade {
	switch string(id[:2]) {
	case "20", "23", "24", "25", "26", "27", "30", "33", "34", "50", "51", "55":
		return proven("012345678990"[11-weighted(id, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11] == id[10])
	}
	return wrong
}

func clRUT(id []byte) grade {
	sum, last := 0, len(id)-1
	if !allNumbers(id[:last]) {
		return wrong
	}
	for i := range last {
		sum += digit(id[last-1-i]) * (i%6 + 2)
	}
	return proven("0123456789K0"[11-sum%11] == id[last])
}

func coNIT(id []byte) grade {
	sum, last := 0, len(id)-1
	for i := range last {
		sum += digit(id[last-1-i]) * [...]int{3, 7, 13, 17, 19, 23, 29, 37, 41, 43, 47, 53, 59, 67, 71}[i]
	}
	return proven("01987654321"[sum%11] == id[last])
}

func peRUC(id []byte) grade {
	switch string(id[:2]) {
	case "10", "15", "16", "17", "20":
		return proven((11-weighted(id, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11)%10 == digit(id[10]))
	}
	return wrong
}

func ecCedula(id []byte) grade {
	province := number(id[:2])
	return proven((province >= 1 && province <= 24 || province == 30) && id[2] < '6' && luhn(id))
}

func uyCI(id []byte) grade {
	weights := []int{2, 9, 8, 7, 6, 3, 4}
	return proven((10-weighted(id, weights[8-len(id):]...)%10)%10 == digit(id[len(id)-1]))
}

func veRIF(id []byte) grade {
	head := map[byte]int{
		'V': 4,
		'E': 8,
		'J': 12,
		'C': 12,
		'P': 16,
		'G': 20,
	}[id[0]]
	return proven(head > 0 && "00987654321"[(head+weighted(id[1:], 3, 2, 7, 6, 5, 4, 3, 2))%11] == id[9])
}

func pyRUC(id []byte) bool {
	sum, last := 0, len(id)-1
	for i := range last {
		sum += digit(id[last-1-i]) * (i + 2)
	}
	return (11-sum%11)%11%10 == digit(id[last])
}

func btog(b bool) int {
	if b {
		return 1
	}
	return 0
}
