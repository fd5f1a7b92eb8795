package detect

import (
	"strings"

	"mcpproxy"
)

// clientRules are for passwords of clients of databases, mail and other services: in SQL, in their configuration
// files and on their command lines.
var clientRules = []Rule{
	{
		ID:         "sql_identified_by",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.85,
		Check:      isPassword,
		Pattern:    `(?i)\bidentified\s+(?:with\s+["'` + "`" + `]?\w+["'` + "`" + `]?\s+)?by\s+(?:password\s+)?["']([^"'\n]{3,})["']`,
	},
	{
		ID:         "sql_identified_by_bare",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.75,
		Check:      isLoginPassword,
		Pattern:    `(?i)\b(?:user|role)\s[^;\n]{1,120}?\bidentified\s+by\s+([^\s"'` + "`" + `;,()]{4,64})`,
	},
	{
		ID:         "sql_password",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.85,
		Check:      isPassword,
		Pattern:    `(?i)\b(?:user|role|login|credential|subscription)\s+[^\s;]{1,80}\s[^;\n]{0,120}?\bpassword\s*[= ]\s*N?["']([^"'\n]{3,})["']`,
	},
	{
		ID:         "sql_password_call",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.8,
		Check:      isPassword,
		Pattern:    `(?i)(?:\bset\s+password\b[^;\n]{0,120}=\s*|=\s*)(?:old_)?password\s*\(\s*["']([^"'\n]{3,})["']\s*\)`,
	},
	{
		ID:         "openssl_pass_argument",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.9,
		Check:      isPassword,
		Pattern:    `-(?:pass|passin|passout|srppass)\s+["']?pass:([^\s"']{3,})`,
	},
	{
		ID:         "client_config_pass",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Entropy:    1.5,
		Confidence: 0.85,
		Check:      isPassword,
		Pattern:    `(?i)<(?:pass|password|passwd)(?:\s+encoding="[a-z0-9]+")?>([^<\s]{4,})</pass`,
	},
	{
		ID:         "config_password_line",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.6,
		Check:      isPlainPassword,
		Pattern:    `(?i)(?:password|passwd|passphrase|pwd|[a-z0-9]_pass)[ \t]{1,4}(?:[0-9] )?["']?([^\s"';=:,()<>]{6,64})`,
	},
	{
		ID:         "device_password",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.8,
		Check:      isLoginPassword,
		Pattern:    `(?i)\b(?:enable|username\s+\S{1,40}(?:\s+privilege\s+\d+)?)\s+(?:password|secret)\s+(?:\d\s+)?(\S{4,64})`,
	},
	{
		ID:         "login_and_password",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.7,
		Check:      isLoginPassword,
		Pattern:    `(?i)\b(?:id|user|username|login|usr|account|uid)["']?\s?[:=]\s?["']?[^\s"',;/|]{1,64}["']?\s?[/,;|]\s?["']?(?:pw|pwd|pass|password|passwd|psw)["']?\s?[:=]\s?["']?([^\s"',;]{4,64})`,
	},
	{
		ID:         "windows_password",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.85,
		Check:      isPassword,
		Pattern:    `(?i)\bConvertTo-SecureString\s+(?:-String\s+)?["']([^"'\n]{4,})["']`,
	},
	{
		ID:         "windows_password_option",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.85,
		Check:      isPassword,
		Pattern:    `(?i)\b(?:cmdkey|plink|pscp|psftp|winscp|net use)\b[^\n]{0,200}?(?:/pass:|\s-pw\s+)["']?([^\s"']{4,})`,
	},
	{
		ID:         "user_and_password_options",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.6,
		Check:      isOptionPassword,
		Pattern:    `(?i)\s(?:-u|--user|--username|/user)[ =:]\s?["']?[^\s"']{1,64}["']?\s+(?:-p|--password|--pass)[ =]["']?([^\s"'\-/][^\s"']{3,})`,
	},
	{
		ID:         "psexec_password",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityMedium,
		Confidence: 0.61,
		Check:      func(v string) bool { return isPassword(v) && !isPath(v) },
		Pattern:    `(?i)\bpsexec(?:64)?(?:\.exe)?\s[^\n]{1,120}?\s-p\s+["']?([^\s"'\-/][^\s"']{3,})`,
	},
	{
		ID:         "other_url_credentials",
		Category:   "database_credential",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.8,
		Check:      isUserPassword,
		Pattern:    `[A-Za-z0-9]://([^\s:/@"'<>?#\\]{1,64}:[^\s/"'<>?#\\@]{3,64}(?:@[^\s/"'<>?#\\@]{1,40})?)@[A-Za-z0-9]`,
	},
	{
		ID:         "chpasswd_line",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.85,
		Check:      isUserPassword,
		Pattern:    `\becho\s+(?:-n\s+)?["']?([^\s"':]{1,32}:[^\s"']{4,64})["']?\s*\|\s*(?:sudo\s+)?chpasswd`,
	},
	{
		ID:         "smb_login",
		Category:   "auth_token",
		Severity:   mcpproxy.SeverityHigh,
		Confidence: 0.85,
		Check:      isPassword,
		Pattern:    `\b(?:smbclient|rpcclient|smbmap|net rpc|winexe)\s(?:[^\n|;&]*\s)?(?:-U|--user)[\s=]*["']?[^\s"'%]{1,64}%([^\s"']{4,})`,
	},
}

// isLoginPassword reports whether value, which follows a login, is a password and not the name of a variable or a
// kind of input.
func isLoginPassword(value string) bool {
	return isPassword(value) && !isExample(value) && !isExpression(value) && !isTypeName(value) &&
		(hasDigit(value) || !isIdentifier(value))
}

// isTypeName reports whether value is the type of a parameter: "def login(user: str, password: str)".
func isTypeName(value string) bool {
	switch strings.ToLower(strings.TrimRight(value, ").:;]}=")) {
	case "str", "string", "bytes", "int", "bool", "none", "null", "optional", "any", "object", "text", "varchar", "secretstr":
		return true
	}
	return false
}

// isOptionPassword reports whether value, which follows -p after a user, is a password and not a port or a path.
func isOptionPassword(value string) bool {
	return isPassword(value) && !isExample(value) && !isPath(value) && strings.Trim(value, "0123456789:.") != "" &&
		strings.Trim(value, "abcdefghijklmnopqrstuvwxyz_") != "" // mysql -p asks for the password, a database follows
}
