package detect

import "strings"

// foreign translates words for secrets from languages with other scripts, and removes the accents of Latin letters,
// because rules contain ASCII names.
var foreign = strings.NewReplacer(append([]string{
	"ключ api", " api key ", "Ключ API", " api key ", "ключ API", " api key ", "Ключ api", " api key ",
	"пароль", " password ", "Пароль", " password ", "ПАРОЛЬ", " password ", "парола", " password ", "Парола", " password ",
	"лозинка", " password ", "Лозинка", " password ", "токен", " token ", "Токен", " token ", "секрет", " secret ",
	"密码", " password ", "密碼", " password ", "口令", " password ", "令牌", " token ", "密钥", " secret key ", "密鑰", " secret key ",
	"パスワード", " password ", "トークン", " token ", "秘密鍵", " private key ", "비밀번호", " password ", "암호", " password ",
	"토큰", " token ", "비밀키", " secret key ", "סיסמה", " password ", "كلمة المرور", " password ", "κωδικός πρόσβασης", " password ",
	"Κωδικός πρόσβασης", " password ", "mật khẩu", " password ", "Mật khẩu", " password ", "รหัสผ่าน", " password ",
	"पासवर्ड", " password ",
}, accents()...)...)

// accents returns pairs of letters with and without their accents.
func accents() (pairs []string) {
	for plain, marked := range map[string]string{
		"a": "áàâäãåāăą", "c": "çćč", "d": "ďđ", "e": "éèêëēěęė", "g": "ğģ", "i": "íìîïīįı", "l": "łľļ", "n": "ñńňņ",
		"o": "óòôöõøōő", "r": "řŕ", "s": "şśšș", "t": "ťț", "u": "úùûüūůűų", "y": "ýÿ", "z": "žźż",
	} {
		for _, letter := range marked {
			pairs = append(pairs, string(letter), plain, strings.ToUpper(string(letter)), strings.ToUpper(plain))
		}
	}
	return pairs
}

// inEnglish returns a name in ASCII, as far as its words are known.
func inEnglish(name string) string {
	for i := range len(name) {
		if name[i] >= 0x80 {
			return foreign.Replace(name)
		}
	}
	return name
}
