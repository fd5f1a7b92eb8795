package detect

import "strings"

// frequent are the most frequent pairs of letters in English and in identifiers.
var frequent = pairs(
	"th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur " +
		"ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am " +
		"fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op sa ay ex ke ui fr oo ag do ov gi ey ck ap ep qu ub bo da va rd bu up eb rv od ue au pi cr cl rc gr br ds ls ks gs ps ms rn rm go gl oa ok cc",
)

func pairs(list string) (t [26][26]bool) {
	for _, p := range strings.Fields(list) {
		t[p[0]-'a'][p[1]-'a'] = true
	}
	return t
}

// isWordy reports whether value consists of words.
func isWordy(value string) bool { return wordiness(value) >= 62 }

// wordiness returns the percentage of adjacent letters that are frequent pairs: about 25 for random letters, 90 for
// English.
func wordiness(value string) int {
	all, common := 0, 0
	for i := 1; i < len(value); i++ {
		a, b := value[i-1]|0x20, value[i]|0x20
		if a < 'a' || a > 'z' || b < 'a' || b > 'z' {
			continue
		}
		all++
		if frequent[a-'a'][b-'a'] {
			common++
		}
	}
	if all < 4 {
		return 0
	}
	return common * 100 / all
}

// isTurned reports whether value is words in rot13 or reversed. Words look random in the views that undo such
// encodings.
func isTurned(value string) bool {
	turned, back := make([]byte, len(value)), make([]byte, len(value))
	for i := 0; i < len(value); i++ {
		c := value[i]
		back[len(value)-1-i] = c
		if low := c | 0x20; low >= 'a' && low <= 'z' {
			c = 'a' + (low-'a'+13)%26
		}
		turned[i] = c
	}
	return wordiness(string(turned)) >= 68 || wordiness(string(back)) >= 68
}

// isIdentifier reports whether value is an identifier of a program, or several separated by dots or dashes.
func isIdentifier(value string) bool {
	for i := 0; i < len(value); i++ {
		c := value[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && c != '_' && c != '-' && c != '.' && (c < '0' || c > '9' || i == 0) {
			return false
		}
	}
	return value != ""
}

// isCode reports whether value is the name of a variable or a function: it contains a word for passwords, or has
// three words or more.
func isCode(value string) bool {
	humps, low := 0, strings.ToLower(value)
	for i := 1; i < len(value); i++ {
		if value[i] == '_' || value[i] == '-' ||
			value[i] >= 'A' && value[i] <= 'Z' && (value[i-1] < 'A' || value[i-1] > 'Z') {
			humps++
		}
	}
	return humps >= 2 && isWordy(value) && count(value).digits < 4 || strings.Contains(low, "pass") ||
		strings.Contains(low, "pwd") ||
		strings.Contains(low, "secret")
}

// isExpression reports whether value is a chain of identifiers, as in package.Function.
func isExpression(value string) bool {
	if !strings.Contains(value, ".") || !isIdentifier(value) || strings.Contains(value, "-") {
		return false
	}
	digits := 0
	for _, name := range strings.Split(value, ".") {
		if name == "" || isDigit(name[0]) {
			return false
		}
		for i := 0; i < len(name); i++ {
			if isDigit(name[i]) {
				digits++
			}
		}
	}
	return digits*6 <= len(value)
}

// isVersion reports whether value begins like a version, as in 1.2.
func isVersion(value string) bool {
	i := 0
	for i < len(value) && isDigit(value[i]) {
		i++
	}
	return i > 0 && i+1 < len(value) && value[i] == '.' && isDigit(value[i+1])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isUUID reports whether value has the form of a UUID.
func isUUID(value string) bool {
	return len(value) == 36 && value[8] == '-' && value[13] == '-' && value[18] == '-' && value[23] == '-' &&
		strings.Count(value, "-") == 4
}

// endings are file extensions and top-level domains.
var endings = []string{
	".com",
	".org",
	".net",
	".io",
	".dev",
	".local",
	".internal",
	".svc",
	".pem",
	".cer",
	".crt",
	".key",
	".p12",
	".pfx",
	".jks",
	".json",
	".xml",
	".yaml",
	".yml",
	".txt",
	".html",
	".htm",
	".css",
	".js",
	".ts",
	".tsx",
	".go",
	".py",
	".java",
	".rb",
	".rs",
	".sh",
	".md",
	".png",
	".jpg",
	".jpeg",
	".gif",
	".svg",
	".ico",
	".pdf",
	".zip",
	".gz",
	".tgz",
	".jar",
	".conf",
	".cfg",
	".ini",
	".toml",
	".log",
	".sql",
	".csv",
	".exe",
	".dll",
	".so",
	".apk",
}

// isPath reports whether value is a path, an address or a file name.
func isPath(value string) bool {
	if strings.Contains(value, "://") || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "../") ||
		strings.HasPrefix(value, "~/") ||
		strings.HasPrefix(value, "--") ||
		len(value) > 2 && value[1] == ':' && value[2] == '\\' {
		return true
	}
	if value != "" && value[0] == '/' && (strings.Count(value, "/") > 2 || isWordy(value)) {
		return true
	}
	low := strings.ToLower(value)
	for _, e := range endings {
		if strings.HasSuffix(low, e) {
			return true
		}
	}
	return false
}

// isTemplate reports whether value is a template: ${X}, {{x}}, $X, %s, %X%, <x>, [x], $(command), or a call.
func isTemplate(value string) bool {
	if value == "" {
		return false
	}
	for _, mark := range []string{"${", "$(", "{{", "}}", "<%", "%>", "#{", "%(", "[[", "@@", "__}", "…", "...", "***", "()"} {
		if strings.Contains(value, mark) {
			return true
		}
	}
	first, last := value[0], value[len(value)-1]
	inside := ""
	if len(value) > 2 {
		inside = value[1 : len(value)-1]
	}
	switch {
	case first == '<' || first == '[' && last == ']' || first == '%' && (last == '%' || len(value) == 2):
		return true
	case first == '{' && last == '}':
		return isIdentifier(inside) && (!hasDigit(inside) || isWordy(inside))
	case first == '$' || first == '@' && len(value) > 1:
		rest := strings.TrimPrefix(value[1:], "env:")
		return isIdentifier(rest) && (!hasDigit(rest) || isWordy(rest)) || len(rest) == 1
	case first == '(' || first == '`' || last == '(':
		return true
	}
	return false
}

// isVersioned reports whether value is a name with a version in it, as in
// package-1.2.3.
func isVersioned(value string) bool {
	dots := 0
	digits := 0
	last := byte('-')
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c >= '0' && c <= '9':
			if digits == 0 && dots == 0 && last|0x20 >= 'a' && last|0x20 <= 'z' && last|0x20 != 'v' &&
				last|0x20 != 'c' {
				dots = -1 // digits inside a word do not start a version
			}
			digits++
		case c == '.' && digits > 0 && digits <= 3:
			dots, digits = dots+1, 0
		default:
			dots, digits = 0, 0
		}
		if dots == 2 && digits > 0 {
			return true
		}
		last = value[i]
	}
	return false
}
