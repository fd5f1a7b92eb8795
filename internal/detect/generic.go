package detect

import (
	"slices"
	"strings"

	"mcpproxy"
)

// genericRules are for values that look random and whose names say that they are secret, of any issuer. Every rule
// that is more specific has a higher confidence.
var genericRules = []Rule{
	{
		ID:         "generic_secret",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.6,
		Check:      isSecret,
		Names: []string{
			"secret",
			"token",
			"credential",
			"creds",
			"passphrase",
			"privatekey",
			"userauth",
			"authkey",
			"authcode",
			"authsecret",
			"authpass",
			"apikey",
			"apipass",
			"apiauth",
			"accesskey",
			"signingkey",
			"encryptionkey",
			"encryptkey",
			"decryptionkey",
			"cryptokey",
			"cipherkey",
			"aeskey",
			"masterkey",
			"sharedkey",
			"hmackey",
			"hashkey",
			"appkey",
			"applicationkey",
			"clientkey",
			"servicekey",
			"serverkey",
			"accountkey",
			"storagekey",
			"licensekey",
			"sessionkey",
			"deploykey",
			"webhookkey",
			"integrationkey",
			"activationkey",
			"consumerkey",
			"subscriptionkey",
			"adminkey",
			"writekey",
			"rootkey",
			"userkey",
			"bearer",
		},
		NotNames: generalNames,
		Value:    `[^\s]{16,400}`,
	},
	{
		ID:         "generic_password",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.5,
		Check:      isPlainPassword,
		Names: []string{
			"password",
			"passwd",
			"passwort",
			"passphrase",
			"pwd",
			"contrasena",
			"motdepasse",
			"sshpass",
			"userpass",
			"loginpass",
			"adminpass",
			"rootpass",
			"becomepass",
			"mailpass",
			"emailpass",
			"httppass",
			"authpass",
			"keypass",
			"storepass",
			"mypass",
			"webpass",
		},
		NotNames: generalNames,
		Value:    `[^\s]{8,128}`,
	},
	{
		ID:         "password_in_prose",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.5,
		Check:      isPlainPassword,
		Pattern:    `(?i)\b(?:password|passcode|passphrase|passwort|pwd)\s{1,3}(?:is|was|will be|to|lautet|est|es)\s{1,3}["'` + "`" + `]?([^\s"'` + "`" + `,;()]{8,64})`,
	},
	{
		ID:         "secret_in_prose",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.55,
		Check:      isSecret,
		Pattern:    `(?i)\b(?:(?:api|access|secret|private|encryption|license)[ _\-]?key|token|secret|credential)s?\s{1,3}(?:is|was|will be|to)\s{1,3}["'` + "`" + `]?([A-Za-z0-9_\-./+=]{16,})`,
	},
	{
		ID:         "password_in_sentence",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.5,
		Check:      isToldPassword,
		Pattern:    `(?i)(?:\b(?:password|passcode|passphrase|passwor[td]|kennwort|` + foreignPasswords + `)|` + otherPasswords + `)` + told + `([^\s"'` + "`" + `,;()]{8,64})`,
	},
	{
		ID:         "secret_in_sentence",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.52,
		Check:      func(v string) bool { return isKey(v) && isScattered(v) },
		Pattern:    `(?i)(?:\b(?:token|jeton|secret|(?:api|access|secret)[ \-]?key|chave|clave|chiave|schl(?:ü|ue)ssel|sleutel|klucz)|токен|ключ|トークン|令牌|密钥|토큰)` + told + `([A-Za-z0-9_\-./+=]{24,200})`,
	},
	{
		ID:         "generic_uuid_secret",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    2.5,
		Confidence: 0.5,
		Names: []string{
			"apitoken",
			"apikey",
			"accesstoken",
			"authtoken",
			"secretkey",
			"apisecret",
			"clientsecret",
			"secrettoken",
			"accesskey",
		},
		NotNames: generalNames,
		Value:    uuid,
	},
}

// foreignPasswords and otherPasswords are RE2 patterns of words for passwords in other languages: words that begin
// with an ASCII letter, which \b can precede, and all others.
const (
	foreignPasswords = `mot de passe|mdp|contrase(?:ñ|n)a|clave|senha|palavra-passe|parola|wachtwoord|has(?:ł|l)o|lösenord|` +
		`adgangskode|passord|salasana|heslo|jelsz(?:ó|o)|m(?:ậ|a)t kh(?:ẩ|a)u`
	otherPasswords = `şifre|пароль|парола|лозинка|密码|密碼|パスワード|비밀번호|암호|סיסמה|κωδικός πρόσβασης`
)

// told is an RE2 pattern for the text between a name and its value in a sentence: up to four words that say what it
// is for, a word for "is", and possibly a word for "now".
const told = `(?:\s{1,3}[^\s"(),;:.=<>{}]{1,20}){0,4}\s{0,3}(?:\b(?:is|lautet|ist|est|es|jest|är|er|on|je|van)|è|é|είναι|—|–|→|は|是|为|為|:)` +
	`(?:\s{1,3}(?:now|jetzt|nun|maintenant|ahora|agora|ora|adesso|nu|nå|teraz|теперь)\s)?\s{0,3}["'` + "`" + `]?`

// isToldPassword is isShortPassword for values in a sentence. Only their form shows that they are not words: letters
// of both cases and digits, or punctuation.
func isToldPassword(value string) bool {
	value = strings.TrimRight(value, ".!?:")
	if len(value) < 8 || !isShortPassword(value) {
		return false
	}
	c := count(value)
	switch {
	case c.digits > 0 && strings.ContainsAny(value, "!#$%^&*?~"):
		return true
	case c.upper > 0 && c.lower > 0 && c.digits > 0 && strings.ContainsAny(value, "@+="):
		return true
	}
	return c.upper > 1 && c.lower > 1 && c.digits > 1 && !isIdentifier(value)
}

// generalNames are parts of names that mention secrets but do not hold one: names of public values, references to
// secrets, and page tokens.
var generalNames = []string{
	"mock",
	"dummy",
	"fake",
	"public",
	"pubkey",
	"publishable",
	"csrf",
	"xsrf",
	"antiforgery",
	"nonce",
	"recaptcha",
	"sitekey",
	"keyid",
	"keyname",
	"keyvault",
	"keyring",
	"keyfile",
	"keypath",
	"keyhash",
	"keysize",
	"keylength",
	"keytype",
	"keystore",
	"keyalias",
	"keyref",
	"keycount",
	"keyindex",
	"keypress",
	"keydown",
	"keyword",
	"keyevent",
	"keyarn",
	"keyversion",
	"keyuri",
	"keyurl",
	"keyprefix",
	"keyfield",
	"secretname",
	"secretsname",
	"secretsid",
	"secretarn",
	"secretpath",
	"secretfile",
	"secretref",
	"secretversion",
	"secretlength",
	"secretsize",
	"secretkeyref",
	"secrettype",
	"secretmanager",
	"secretsmanager",
	"secretstore",
	"tokenid",
	"tokensid",
	"tokenname",
	"tokentype",
	"tokenurl",
	"tokenuri",
	"tokenendpoint",
	"tokenfile",
	"tokenpath",
	"tokencount",
	"tokenlength",
	"tokenlimit",
	"tokenize",
	"tokenise",
	"tokenaddress",
	"tokenkind",
	"tokenhash",
	"tokenexpir",
	"tokenissuer",
	"tokenheader",
	"tokenfield",
	"nexttoken",
	"pagetoken",
	"pagingtoken",
	"paginationtoken",
	"continuationtoken",
	"continuetoken",
	"synctoken",
	"resumetoken",
	"startingtoken",
	"prevtoken",
	"cursortoken",
	"changetoken",
	"idempotencytoken",
	"clientrequesttoken",
	"maxtoken",
	"inputtoken",
	"outputtoken",
	"progresstoken",
	"credentialid",
	"credentialsid",
	"credentialname",
	"credentialsname",
	"credentialtype",
	"credentialurl",
	"credentialsurl",
	"credentialfile",
	"accessid",
	"accesskeyid",
	"passwordfile",
	"passwordfield",
	"passwordhint",
	"passwordlabel",
	"passwordpolicy",
	"passwordvariable",
	"passwordpath",
	"passwordreset",
	"passwordurl",
	"passwordname",
	"passwordid",
	"passwordref",
	"checksum",
	"sha1",
	"sha256",
	"sha512",
	"md5",
	"digest",
	"etag",
	"commitid",
	"commithash",
	"revision",
	"fingerprint",
	"integrity",
	"thumbprint",
	"0h1",
	"1h1",
	"2h1",
	"3h1",
	"4h1",
	"5h1",
	"6h1",
	"7h1",
	"8h1",
	"9h1", // a module's version and hash in go.sum
}

// isSecret reports whether value looks random and does not consist of words.
func isSecret(value string) bool {
	return !isUUID(value) && !isExample(value) && !isBranded(value) && (isToken(value) || isLongDotted(value)) &&
		!isExample(decoded64(value))
}

// isLongDotted reports whether value is a token of parts separated by dots, one of which is longer than an
// identifier.
func isLongDotted(value string) bool {
	const longestName = 40
	parts := strings.Split(value, ".")
	isLong := func(p string) bool { return len(p) > longestName && isToken(p) }
	return len(parts) <= 4 && slices.ContainsFunc(parts, isLong) &&
		!isPath(value) && !isTemplate(value) && count(value).other == 0
}

// brands are prefixes of values with their own rules. A value that these rules reject is truncated or made up.
var brands = []string{
	"xoxa-",
	"xoxb-",
	"xoxc-",
	"xoxe",
	"xoxo-",
	"xoxp-",
	"xoxr-",
	"xoxs-",
	"xapp-",
	"sk_live_",
	"sk_test_",
	"rk_live_",
	"rk_test_",
	"pk_live_",
	"pk_test_",
	"shpat_",
	"shpca_",
	"shppa_",
	"shpss_",
	"sm_aat_",
	"sm_pat_",
	"sm_sat_",
	"PMAK-",
	"EZAK",
	"EZTK",
	"duffel_",
	"shippo_",
	"FLWSECK",
	"FLWPUBK",
	"xkeysib-",
	"xsmtpsib-",
	"lin_api_",
	"lin_oauth_",
	"ATATT3",
	"CFPAT-",
	"fio-u-",
	"dnkey-",
	"pat-na1-",
	"pat-eu1-",
	"figd_",
	"ntn_",
}

func isBranded(value string) bool {
	for _, b := range brands {
		if strings.HasPrefix(value, b) {
			return true
		}
	}
	return false
}

// isToken reports whether value looks random: not a word, a name, a path, a placeholder, a number, or an expression
// of a program.
func isToken(value string) bool {
	c := count(value)
	switch {
	case c.other > 0 || isTemplate(value) || isPath(value) || isSequence(value) || isVersioned(value) ||
		isExpression(value):
		return false
	case c.lower+c.upper < 2 || c.digits == 0 && (len(value) < 20 || wordiness(value) > 45):
		return false
	case c.hexadecimal(): // no word has only these letters
		return entropy(value) >= 2.5
	}
	return entropy(value) >= min(3.3, entropyOf[min(len(value), len(entropyOf)-1)]) && !isWordy(value) &&
		!isTurned(value)
}

// entropyOf returns the minimum entropy of random text with few letters.
var entropyOf = [...]float64{
	8,
	8,
	8,
	8,
	1.5,
	1.9,
	2,
	2.2,
	2.4,
	2.5,
	2.6,
	2.7,
	2.8,
	2.9,
	2.9,
	3,
	3,
	3,
	3.1,
	3.1,
	3.2,
	3.2,
	3.2,
	3.3,
}

// isPassword reports whether value can be a password: neither a placeholder nor a word that stands for a password.
func isPassword(value string) bool {
	return len(value) >= 3 && !isTemplate(value) && !isStandIn(value)
}

// isPlainPassword reports whether value looks like a password that a person chose: letters with a digit or
// punctuation among them.
func isPlainPassword(value string) bool {
	if !isPassword(value) || isExample(value) || isPath(value) || isUUID(value) {
		return false
	}
	c := count(value)
	letters := c.lower + c.upper
	if letters < 3 || c.brackets > 0 || letters+c.digits < len(value)*2/3 || isVersion(value) {
		return false
	}
	if isIdentifier(value) && (c.digits == 0 || c.lower == 0 || isCode(value)) || isExpression(value) {
		return false
	}
	return c.digits > 0 || strings.ContainsAny(value, "!@#$%^&*+=?~") && c.upper > 0 && c.lower > 0
}

// kinds counts the characters of a value.
type kinds struct{ lower, upper, digits, hex, signs, brackets, other, length int }

func count(value string) kinds {
	k := kinds{length: len(value)}
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c >= '0' && c <= '9':
			k.digits++
			k.hex++
		case c >= 'a' && c <= 'z':
			k.lower++
			if c <= 'f' {
				k.hex++
			}
		case c >= 'A' && c <= 'Z':
			k.upper++
			if c <= 'F' {
				k.hex++
			}
		case tokenSigns[c]:
			k.signs++
		default:
			k.other++
			if brackets[c] {
				k.brackets++
			}
		}
	}
	return k
}

// hexadecimal reports whether the value is a number in base 16.
func (k kinds) hexadecimal() bool {
	return k.hex == k.length && (k.lower == 0 || k.upper == 0) && k.digits > 0
}

var (
	tokenSigns = table("+/=_-.~!@#$%^*?&")
	brackets   = table("(){}[]<>")
)
