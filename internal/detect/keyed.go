package detect

import (
	"slices"
	"strings"

	"mcpproxy"
)

// keyedRules are for values of services without a rule. Their secrets have in common that the name ends with a word
// for secrets and that the value looks random.
var keyedRules = []Rule{
	{
		ID:         "generic_key",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.52,
		Check:      isKey,
		Names:      []string{"key", "auth", "pat", "cred", "creds", "jwt", "hmac", "access", "private"},
		NotNames:   generalNames,
		NotWords:   keyWords,
		Ends:       true,
		Least:      2,
		Value:      `[A-Za-z0-9_\-+/=.~]{20,200}`,
	},
	{
		ID:         "generic_bare_key",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.51,
		Check:      func(v string) bool { return isKey(v) && isScattered(v) },
		Names:      []string{"auth", "secretkey", "secretvalue", "tokenvalue"},
		NotNames:   generalNames,
		NotWords:   keyWords,
		Ends:       true,
		Value:      `[A-Za-z0-9_\-+/=.~]{24,200}`,
	},
	{
		ID:         "generic_uuid_key",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    2.5,
		Confidence: 0.45,
		Names:      []string{"key", "token", "secret", "password", "pat", "secretid", "credential", "access", "private"},
		NotNames:   generalNames,
		NotWords:   append(idWords[:len(idWords):len(idWords)], keyWords...),
		Ends:       true,
		Least:      2,
		Value:      uuid,
	},
	{
		ID:         "generic_made_up_key",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityLow,
		Confidence: 0.3,
		Check:      isMadeUpKey,
		Names:      []string{"key", "token", "secret", "access", "private", "auth", "credential"},
		NotNames:   generalNames,
		NotWords:   keyWords,
		Ends:       true,
		Least:      2,
		Value:      `[A-Za-z0-9_\-+/=]{16,200}`,
	},
	{
		ID:         "generic_short_password",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.45,
		Check:      isShortPassword,
		Names: []string{
			"pw",
			"pwd",
			"pass",
			"psw",
			"pswd",
			"psk",
			"passcode",
			"password",
			"passwd",
			"kennwort",
			"wachtwoord",
			"senha",
			"clave",
			"mdp",
			"haslo",
			"motdepasse",
			"contrasena",
			"contrasenya",
			"palavrapasse",
			"palavradepasse",
			"parola",
			"parool",
			"adgangskode",
			"losenord",
			"salasana",
			"heslo",
			"jelszo",
			"sifre",
			"lozinka",
			"zaporka",
			"geslo",
			"slaptazodis",
			"katasandi",
		},
		NotNames: generalNames,
		NotWords: []string{
			"bypass", "compass", "trespass", "lowpass", "highpass", "bandpass", "firstpass", "renderpass", "multipass",
		},
		Ends:  true,
		Value: `[^\s]{6,128}`,
	},
	{
		ID:         "generic_told_token",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.45,
		Check:      isShortPassword,
		Names:      toldTokens(),
		NotNames:   generalNames,
		NotWords:   keyWords,
		Ends:       true,
		Value:      `[^\s]{8,64}`,
	},
	{
		ID:         "generic_worded_password",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityLow,
		Confidence: 0.3,
		Check:      isWordedPassword,
		Names:      []string{"password", "passwd", "passwort", "passphrase", "pwd", "pass", "passcode"},
		NotNames:   generalNames,
		NotWords:   []string{"type", "label", "hint", "error", "message", "help", "title", "text", "url", "policy", "strength", "by", "bypass"},
		Ends:       true,
		Quoted:     true,
		Value:      `[^\s]{8,64}`,
	},
	{
		ID:         "generic_complex_secret",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.5,
		Check:      isComplex,
		Names: []string{
			"secret",
			"token",
			"accesskey",
			"secretkey",
			"privatekey",
			"apikey",
			"credential",
			"password",
			"passphrase",
		},
		NotNames: generalNames,
		Ends:     true,
		Value:    `[^\s]{8,128}`,
	},
	{
		ID:         "generic_prefixed_token",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.55,
		Check:      isPrefixedToken,
		Pattern: `\b((?:[A-Za-z][A-Za-z0-9]{1,14}[\-_.]){0,3}(?i:sk|api|key|apikey|token|tkn|tok|pat|sec|secret|live|oauth|svc|cred|private)[\-_.]` +
			`(?:[a-z0-9]{1,8}[\-_]){0,2}(?:[A-Za-z0-9]{24,128}|` + uuid + `))(?:[^A-Za-z0-9\-]|$)`,
	},
	{
		ID:         "generic_webhook_url",
		Category:   "high_entropy",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.6,
		Check:      func(v string) bool { return isUUID(v) || isToken(v) },
		Pattern:    `(?i)\bhttps?://[^\s"'<>?]{4,200}?/(?:web)?hooks?/(?:[^\s"'<>?]{1,120}/)?([A-Za-z0-9_\-]{20,})(?:[^A-Za-z0-9_\-.]|$)`,
	},
}

// keyWords are words in the names of keys that give no access: keys of rows, caches and translations, and public
// keys.
var keyWords = []string{
	"primary", "foreign", "partition", "sort", "cache", "hash", "row", "range", "shard", "bucket", "object", "lookup", "index", "dedup",
	"deduplication", "idempotency", "translation", "i18n", "locale", "message", "routing", "group", "unique", "composite", "surrogate",
	"natural", "registry", "hot", "shortcut", "mon", "tur", "don", "jock", "whis", "asset", "image", "layer", "manifest", "build",
	"artifact", "s3", "file", "blob", "path", "answer", "host", "known", "peer", "verification", "verify", "validation", "certificate",
	"cert", "x509", "jwk", "gpg", "pgp", "rsa", "ed25519", "ecdsa", "spki", "pin", "dict", "state", "event", "react", "change",
	"author", "authority", "delegation", "job", "run", "query", "field", "tree", "leaf", "merkle", "block", "data", "content",
}

// idWords are words in the names of things that a UUID identifies.
var idWords = []string{
	"session", "request", "trace", "correlation", "tenant", "user", "account", "project", "order", "item", "record", "entity", "resource",
	"node", "device", "machine", "instance", "transaction", "payment", "client", "csrf", "page", "next", "sync", "cursor", "concurrency",
	"lock", "version", "reset", "invite", "unsubscribe",
}

// toldTokens returns names with a remark, as one person passes a token to another: "token btw".
func toldTokens() (names []string) {
	for _, secret := range []string{"token", "key", "apikey", "secret"} {
		for _, aside := range []string{"btw", "fyi", "fwiw", "again", "just in case", "as promised", "for you"} {
			names = append(names, secret+" "+aside)
		}
	}
	return names
}

// isShortPassword is isPlainPassword for names that are also everyday words, such as "pass": the value after such a
// word is often the result of a test.
func isShortPassword(value string) bool {
	return isPlainPassword(value) && !strings.HasPrefix(value, "Test") && !strings.Contains(value, "/")
}

// isWordedPassword reports whether value can be a password that consists of words. It excludes what a form, a message
// or a program writes in place of a password.
func isWordedPassword(value string) bool {
	if !isPassword(value) || isExample(value) || isPath(value) || isUUID(value) ||
		isExpression(value) || isVersion(value) {
		return false
	}
	last := value[len(value)-1]
	if value[0] == '-' || last == '=' || last == '@' { // an option, or the password of anonymous FTP
		return false
	}
	c, low := count(value), strings.ToLower(value)
	if c.other > 0 || c.lower+c.upper < 6 || c.lower == 0 || saysNothing[low] {
		return false
	}
	return !slices.ContainsFunc(passwordWords, func(w string) bool { return strings.Contains(low, w) })
}

// passwordWords are words in labels and identifiers for passwords, in several languages.
var passwordWords = []string{
	"pass", "pwd", "kennwort", "wachtwoord", "contrase", "senha", "secret", "token", "hash", "parol", "salasana", "losenord", "adgangskode",
	"katasandi", "sifre", "field", "input", "value", "string", "config", "param", "option",
}

// saysNothing are words of messages about passwords.
var saysNothing = words(`required optional missing invalid incorrect expired changed generated disabled enabled unchanged protected encrypted
	redacted undefined confirmed mismatch tooshort too_short too-short too_weak too-weak unknown provided supplied prompted interactive automatic`)

// isKey reports whether value looks like the key of a service: random, and not another number that programs compute.
func isKey(value string) bool {
	if !isSecret(value) || isPath(value) {
		return false
	}
	c := count(value)
	if c.lower == 0 && c.digits < 4 && strings.Contains(value, "_") { // the name of a constant
		return false
	}
	return !c.hexadecimal() || len(value) >= 32 && len(value) != 40 && len(value) != 128
}

// isMadeUpKey reports whether value has the form of a key and counts up, as in documentation. Such a finding is an
// example and does no harm; it shows that the text has a place for a key.
func isMadeUpKey(value string) bool {
	c := count(value)
	return c.digits > 1 && c.lower+c.upper > 1 && !isPath(value) &&
		(isSequence(strings.ToLower(value)) || isExample(decoded64(value)))
}

// isComplex reports whether value has capitals, small letters, digits and punctuation, as passwords have whose rules
// require all four.
func isComplex(value string) bool {
	c := count(value)
	if c.upper == 0 || c.lower == 0 || c.digits == 0 || c.other > 0 || !strings.ContainsAny(value, "!@#$%^&*?~") {
		return false
	}
	if at := strings.IndexByte(value, '@'); at > 0 && strings.Contains(value[at:], ".") { // an address
		return false
	}
	return isPassword(value) && !isExample(value) && !isPath(value)
}

// isPrefixedToken reports whether the part of value after its readable prefix is random. Hexadecimal numbers and
// small letters alone are usually names of builds and machines, so then the prefix must say that they are secret.
func isPrefixedToken(value string) bool {
	if isExample(value) || isBranded(value) || strings.Contains(strings.ToLower(value), "public") {
		return false
	}
	at := strings.LastIndexAny(value, "-_.")
	if len(value) > 37 && isUUID(value[len(value)-36:]) {
		at = len(value) - 37
		return hasWord(strings.ToLower(value[:at]), "apikey", "token", "secret", "private")
	}
	head, tail := strings.ToLower(value[:at]), value[at+1:]
	if !isSecret(tail) {
		return false
	}
	return isScattered(tail) || len(tail) >= 32 && hasDigit(tail) && hasWord(head, "apikey", "token", "tkn", "secret", "private") ||
		len(tail) >= 32 && strings.Contains(value, "_") && hasDigit(tail) && hasWord(head, "sk", "key", "pat", "cred")
}

// hasWord reports whether s contains one of words, separated by punctuation.
func hasWord(s string, words ...string) bool {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		for _, w := range words {
			if part == w {
				return true
			}
		}
	}
	return false
}
