package detect

import (
	"encoding/base64"
	"strings"

	"mcpproxy"
)

// authRules are for credentials of requests: headers, cookies, signed addresses, password hashes and shared signing
// secrets.
var authRules = []Rule{
	{
		ID:         "basic_auth_header",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.97,
		Check:      isBasicAuth,
		Pattern:    `(?i)\bbasic\s{1,3}([A-Za-z0-9+/]{6,}={0,2})(?:[^A-Za-z0-9+/=]|$)`,
	},
	{
		ID:         "bearer_token",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Entropy:    2.8,
		Confidence: 0.9,
		Check:      isToken,
		Pattern:    `(?i)\bbearer\s{1,3}([A-Za-z0-9_\-.=+/~|:]{12,})`,
	},
	{
		ID:         "authorization_header",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Entropy:    2.8,
		Confidence: 0.88,
		Check:      isHeaderToken,
		Pattern:    `(?i)\b(?:proxy-)?authorization["']?\s{0,3}[:=,]\s{0,3}["'` + "`" + `]?(?:(?:token|apikey|api-key|api_key|key|bot|oauth|pat|access_token|ssws|geniekey|zoho-oauthtoken|discogs|splunk|klaviyo-api-key|session|jwt|apitoken|x-api-key)(?:\s{1,3}(?:token=)?|[:=]))?["']?([A-Za-z0-9_\-.=+/~|]{16,})`,
	},
	{
		ID:         "digest_auth_response",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    2.8,
		Confidence: 0.95,
		Pattern:    `(?i)\bdigest\s[^\n]*\bresponse="([0-9a-f]{32}|[0-9a-f]{64})"`,
	},
	{
		ID:         "signature_header",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    2.8,
		Confidence: 0.93,
		Pattern:    `\b(?:AWS4-HMAC-SHA256|GOOG4-RSA-SHA256|SDK-HMAC-SHA256|TC3-HMAC-SHA256)\s[^\n]*\bSignature=([0-9a-f]{64,})`,
	},
	{
		ID:         "curl_auth_user",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.93,
		Check:      isLogin,
		Pattern:    `\bcurl(?:\.exe)?\b(?:[^\n|;]|\\\r?\n)*?\s(?:-[A-Za-z#]*[uU]|--user|--proxy-user)[\s=]{0,3}["']?([^\s"'\\:]*["']?:["']?[^\s"'\\]*)`,
	},
	{
		ID:         "command_password_option",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.85,
		Check:      isPassword,
		Pattern:    `\b(?:wget|http|xh|docker login|podman login|helm registry login|az login|oc login|cf login|svn|mosquitto_pub|mosquitto_sub|net use)\s(?:[^\n|;&]*\s)?(?:--(?:http-|ftp-|proxy-)?password[ =]|-p\s|-P\s)["']?([^\s"'\-][^\s"']{3,})`,
	},
	{
		ID:         "session_cookie",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    3,
		Confidence: 0.8,
		Names: []string{
			"phpsessid",
			"jsessionid",
			"aspnetsessionid",
			"aspxauth",
			"aspnetcorecookies",
			"aspnetcoresession",
			"connectsid",
			"laravelsession",
			"ghsess",
			"usersession",
			"sessiontoken",
			"sessioncookie",
			"sessionsecret",
			"remembertoken",
			"rememberme",
			"authcookie",
			"sapisid",
			"secure1psid",
			"secure3psid",
			"liat",
			"djangosession",
			"wordpressloggedin",
			"cfauthorization",
			"awselbauth",
			"kcidentity",
			"keycloakidentity",
			"grafanasession",
			"cookie sess",
			"cookie sid",
			"cookie auth",
			"cookie token",
			"cookie jwt",
		},
		NotNames: []string{"timeout", "lifetime", "expires", "sessiontokenname", "csrf", "xsrf"},
		Value:    `[A-Za-z0-9%._~+/=|:\-]{16,}`,
		Check:    isToken,
	},
	{
		ID:         "cookie_header",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    3,
		Confidence: 0.85,
		Check:      isToken,
		Pattern: `(?i)(?:\b(?:set-)?cookie["']?\s{0,3}:\s{0,3}|\bcurl\b[^\n]*\s(?:-b|--cookie)[ =])["']?(?:[^\n"']*[;\s])?` +
			`(?:[a-z0-9.\-_]{0,30}[.\-_])?(?:session|sessionid|session_id|sess|sid|auth|auth_token|token|jwt|access_token|remember_token|user_session|login)=([A-Za-z0-9%._~+/=|\-]{16,})`,
	},
	{
		ID:         "url_token",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    2.8,
		Confidence: 0.85,
		Check:      isToken,
		Pattern:    `(?i)[?&#;](?:access_token|accesstoken|auth_token|authtoken|api_token|apitoken|id_token|refresh_token|session_token|private_token|job_token|api_key|api-key|apikey|app_key|appkey|appid|subscription-key|client_secret|secret_key|secret|auth|token|jwt|ticket|passwd|password|code|otp|magic)=([A-Za-z0-9_\-.~%+/=]{12,})`,
	},
	{
		ID:         "signed_url",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    2.8,
		Confidence: 0.95,
		Pattern:    `(?i)[?&](?:X-Goog-Signature|X-Oss-Signature|X-Tos-Signature|X-Obs-Signature|q-signature)=([0-9A-Za-z%+/=]{28,})`,
	},
	{
		ID:         "signed_url_legacy",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    3.3,
		Confidence: 0.88,
		Check:      hasDigit,
		Pattern:    `[?&](?:Signature|signature|sig|hmac|st|X-Plex-Token)=([A-Za-z0-9_\-~%+/=]{27,})(?:[^A-Za-z0-9_\-~%+/=]|$)`,
	},
	{
		ID:         "aws_session_token_url",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Entropy:    4,
		Confidence: 0.95,
		Pattern:    `(?i)[?&]X-Amz-Security-Token=([A-Za-z0-9%+/=]{80,})`,
	},
	{
		ID:         "otpauth_secret",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityCritical,
		Entropy:    2.5,
		Confidence: 0.98,
		Pattern:    `(?i)\botpauth://[th]otp/[^\s"'<>]*[?&]secret=([A-Z2-7]{16,}=*)`,
	},
	{
		ID:         "client_secret",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Entropy:    2.8,
		Confidence: 0.7,
		Check:      isSecret,
		Names: []string{
			"clientsecret",
			"consumersecret",
			"appsecret",
			"applicationsecret",
			"oauthsecret",
			"oauth2secret",
			"samlsecret",
			"ssosecret",
			"oidcsecret",
			"jwtsecret",
			"webhooksecret",
			"signingsecret",
			"cookiesecret",
			"sharedsecret",
			"hmacsecret",
			"nextauthsecret",
			"secretkeybase",
		},
		NotNames: generalNames,
		Value:    `[^\s]{12,200}`,
	},
	{
		ID:         "oauth_token",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Entropy:    2.8,
		Confidence: 0.68,
		Check:      isToken,
		Names: []string{
			"accesstoken",
			"refreshtoken",
			"bearertoken",
			"idtoken",
			"oauthtoken",
			"sessiontoken",
			"personalaccesstoken",
			"samlassertion",
			"samlresponse",
		},
		NotNames: generalNames,
		Value:    `[^\s]{16,600}`,
	},
	{
		ID:         "webhook_signing_secret",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Entropy:    3.3,
		Confidence: 0.97,
		Pattern:    `\b(whsec_[A-Za-z0-9+/]{24,}={0,2})`,
	},
	{
		ID:         "one_time_code",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.7,
		Check:      isOneTimeCode,
		Pattern: `(?i)(?:\b(?:verification|security|login|log-in|sign-in|one-time|confirmation|access|authentication|2fa|otp|sms|your)\s(?:code|passcode|pin|otp)` +
			`|\b(?:sms-)?tan|(?:bestätigungs|sicherheits|anmelde|einmal)code|\bcode\s(?:de\s(?:vérification|sécurité|confirmation|connexion)|di\s(?:verifica|sicurezza|accesso)|à\susage\sunique)` +
			`|\bcódigo\s(?:de\s(?:verificación|seguridad|acceso|verificação|segurança|acesso))|\bcodice\s(?:di\s(?:verifica|sicurezza|accesso))|\bkod\s(?:weryfikacyjny|potwierdzający)|код\s(?:подтверждения|доступа)|验证码|認証コード|인증번호)` +
			`(?:\s(?:is|ist|lautet|est|es|è|é|to)\s|\s?[:：]\s?|是|为|は|는|\s)\s?\b([0-9]{3}[ -]?[0-9]{3}|[0-9]{4,8})\b`,
	},
	{
		ID:         "bcrypt_hash",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    3.5,
		Confidence: 0.98,
		Pattern:    `(\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53})`,
	},
	{
		ID:         "argon2_hash",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    3.5,
		Confidence: 0.98,
		Pattern:    `(\$argon2(?:id|i|d)\$(?:v=[0-9]{1,3}\$)?m=[0-9]+,t=[0-9]+,p=[0-9]+\$[A-Za-z0-9+/]{8,}={0,2}\$[A-Za-z0-9+/]{16,}={0,2})`,
	},
	{
		ID:         "unix_password_hash",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    3.5,
		Confidence: 0.98,
		Pattern:    `(\$(?:6|5|1|apr1|md5|sha1|y|gy|7|scrypt|2k)\$(?:[A-Za-z0-9./=,]{1,40}\$){1,3}[./A-Za-z0-9+=]{22,}|\$[PH]\$[./A-Za-z0-9]{31})`,
	},
	{
		ID:         "framework_password_hash",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    3.5,
		Confidence: 0.97,
		Pattern:    `\b((?:pbkdf2_sha(?:1|256|512)|pbkdf2:sha(?:1|256|512)(?::[0-9]+)?|scrypt(?::[0-9]+){3}|bcrypt_sha256)\$[A-Za-z0-9./+$=,]{30,})`,
	},
	{
		ID:         "ldap_password_hash",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    3.3,
		Confidence: 0.97,
		Pattern:    `(?i)(\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT|PBKDF2(?:-SHA[0-9]+)?)\}[A-Za-z0-9+/$.=]{13,})`,
	},
	{
		ID:         "ntlm_hash",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityCritical,
		Entropy:    2.5,
		Confidence: 0.97,
		Pattern:    `:[0-9]{3,6}:[0-9a-fA-F]{32}:([0-9a-fA-F]{32}):::`,
	},
	{
		ID:         "kerberos_ticket_hash",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Entropy:    3.3,
		Confidence: 0.98,
		Pattern:    `(\$krb5(?:tgs|asrep|pa)\$[0-9]{1,2}\$[^\s"']{60,})`,
	},
	{
		ID:         "scram_secret",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Entropy:    3.5,
		Confidence: 0.98,
		Pattern:    `\b(SCRAM-SHA-(?:1|256|512)\$[0-9]+:[A-Za-z0-9+/]{16,}={0,2}\$[A-Za-z0-9+/]{26,}={0,2}:[A-Za-z0-9+/]{26,}={0,2})`,
	},
}

// isBasicAuth reports whether value is "user:password" in base64.
func isBasicAuth(value string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil {
		return false
	}
	user, password, ok := strings.Cut(string(raw), ":")
	if !ok || len(user)+len(password) < 4 {
		return false
	}
	for _, c := range raw {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return !isTemplate(user) && (password == "" || isPassword(password))
}

// isHeaderToken reports whether value is a token and not the name of a way to
// sign, which also follows "Authorization:".
func isHeaderToken(value string) bool {
	return isToken(value) && !strings.Contains(value, "HMAC") && !strings.Contains(value, "-SHA")
}

// isLogin reports whether value has the form "user:password" on a command line. One half may be empty, because a
// token can stand in either.
func isLogin(value string) bool {
	user, password, _ := strings.Cut(value, ":")
	user, password = strings.Trim(user, `"'`), strings.Trim(password, `"'`)
	if password == "" {
		return isToken(user) || isPassword(user) && hasDigit(user) && len(user) >= 8
	}
	return isPassword(password) && (user == "" || !isTemplate(user))
}

// isOneTimeCode reports whether value, which a text calls a code, is one rather than the
// number of an error or a year.
func isOneTimeCode(value string) bool {
	return len(value) != 4 || value[:2] != "20" && value[:2] != "19"
}
