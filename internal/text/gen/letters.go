package main

// prototypes are characters that Unicode's data treats as distinct shapes, with many lookalikes. People read them as
// these letters: small capitals, letters of the phonetic alphabet, turned and reversed letters.
var prototypes = map[rune]string{
	'ᴀ': "a",
	'ʙ': "b",
	'ƅ': "b",
	'ᴅ': "d",
	'ẟ': "d",
	'ᴇ': "e",
	'ꞓ': "e",
	'Ꞓ': "E",
	'ǝ': "e",
	'Ə': "E",
	'Ɛ': "E",
	'Ʃ': "E",
	'ɢ': "g",
	'ʜ': "h",
	'ȷ': "j",
	'ᴊ': "j",
	'ĸ': "k",
	'ʟ': "l",
	'ʍ': "m",
	'ᴎ': "n",
	'π': "n",
	'Π': "N",
	'ᴘ': "p",
	'þ': "p",
	'Þ': "P",
	'ʀ': "r",
	'ᴙ': "r",
	'ɾ': "r",
	'ƨ': "s",
	'ᴛ': "t",
	'ƫ': "t",
	'Ʌ': "A",
	'χ': "x",
	'ω': "w",
	'ш': "w",
	'Ш': "W",
	'ɜ': "3",
}

// additions are lookalikes of ASCII characters that the data does not map to ASCII, or maps to the wrong character.
var additions = map[rune]string{
	'ɴ': "n",
	'ꜰ': "f",
	'ꞯ': "q",
	'ɐ': "a",
	'β': "b",
	'μ': "u",
	'щ': "w",
	'Щ': "W",
	'ς': "c",
	'ŋ': "n",
	'Ŋ': "N",
	'Ⲁ': "A",
	'ⲁ': "a",
	'Ⲃ': "B",
	'ⲃ': "b",
	'Ⲍ': "Z",
	'ⲍ': "z",
	'ⲏ': "h",
	'ⲓ': "i",
	'ⲙ': "m",
	'ⲛ': "n",
	'ⲧ': "t",
	'ӏ': "l",
	'—': "-",
	'―': "-",
	'⸺': "-",
	'⸻': "-",
}

// alphabets are sequences of framed or coloured letters or digits that NFKC does not map.
var alphabets = []struct {
	first rune
	ascii string
}{
	{0x1f150, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, // white on a black disc
	{0x1f170, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, // white on a black square
	{0x1f1e6, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, // regional indicators
	{0x24f5, "123456789"},                   // in a double circle
	{0x2776, "123456789"},                   // white on a black disc
	{0x2780, "123456789"},                   // in a circle, without serifs
	{0x278a, "123456789"},                   // the same, white on black
	{0x24ff, "0"}, {0x1f10b, "0"}, {0x1f10c, "0"},
}
