package scan

// others are the most important words of further languages: Dutch, Polish, Czech, Serbian and Croatian, Swedish,
// Turkish and Indonesian.
var others = Lexicon{
	{
		"ignore",
		`negeer negeren vergeet zignoruj zignorujcie ignoruj ignorujte zapomnij zapomnijcie zapomeň zaboravi zaboravite ignoriši zanemari
		ignorera glöm yoksay unut görmezden_gel abaikan lupakan pomiń`,
	},
	{
		"prior",
		`vorige eerdere bovenstaande voorgaande poprzedni/e/ch wcześniejsz/e/ych powyższe předchozí prethodn/e/a/ih tidigare föregående
		önceki yukarıdaki sebelumnya sebelum sve`,
	},
	{
		"instr",
		`instructies aanwijzingen richtlijnen opdrachten instrukcj/e/i polecenia wytyczne instrukc/e/í pokyny instrukcije uputstva
		instruktioner anvisningar talimatları talimatlari instruksi perintah`,
	},
	{"every", `wszystkie wszystko všechny sve alle alla tüm semua`},
	{"rules", `regels zasady pravidla pravila regler kuralları kurallari aturan`},
	{"your", `jouw uw twoje swoje tvoje vaše dina senin anda`},
}
