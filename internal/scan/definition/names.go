package definition

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// names finds every part of s that could be a tool's name, and calls yield with its position. Such a name consists of
// letters and digits, and has at least one separator or one capital after a small letter.
func names(s string, yield func(start, end int)) {
	for i := 0; i < len(s); {
		c := s[i]
		if !nameByte(c) {
			i++
			continue
		}
		end := i
		parts := false
		for end < len(s) && (nameByte(s[end]) || joint(s[end]) && end+1 < len(s) && nameByte(s[end+1])) {
			parts = parts || joint(s[end]) ||
				end > i && s[end] >= 'A' && s[end] <= 'Z' && s[end-1] >= 'a' && s[end-1] <= 'z'
			end++
		}
		if parts && end-i <= maxName {
			yield(i, end)
		}
		i = end
	}
}

// maxName is the maximum length of a tool's name, in bytes.
const maxName = 128

func nameByte(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

func joint(c byte) bool { return c == '_' || c == '-' || c == '.' || c == '/' || c == ':' }

// nameWords splits a name such as get_userInfo into its words, in lower case.
func nameWords(name string) []string {
	var out []string
	start := -1
	prev := rune(0)
	flush := func(end int) {
		if start >= 0 && end > start {
			out = append(out, strings.ToLower(name[start:end]))
		}
		start = -1
	}
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
		case unicode.IsUpper(r) && unicode.IsLower(prev):
			flush(i)
			start = i
		case start < 0:
			start = i
		}
		prev = r
	}
	flush(len(name))
	return out
}

// distinctive reports whether a name can identify a server: it has two words or more, and not only common ones.
func distinctive(name string) bool {
	words := nameWords(name)
	if len(words) < 2 || utf8.RuneCountInString(name) < 6 {
		return false
	}
	return !shared()[strings.Join(words, " ")]
}

// shared are names that many servers use.
var shared = phraseSet(
	`read file, write file, edit file, create file, delete file, move file, copy file, list files, search files, read files, get file,
	list directory, create directory, read resource, list resources, list tools, run command, execute command, run code, execute code, web search,
	search web, fetch url, get url, get time, current time, get current time, get status, health check, get info, get data, sign in, log in, read-only`,
)

// phraseSet returns the set of the phrases in a list, built on first use.
func phraseSet(phrases string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, p := range list(phrases) {
			set[p] = true
		}
		return set
	})
}

// common are words in names that many servers share.
var common = wordSet(
	` read write get set list search fetch find query create delete update add remove edit move copy open close run execute exec
 start stop file files directory directories folder dir text document documents content contents page pages web url data database table tables record records item items
 info information status time date current user users all by id name path tool tools server version help resource resources code command
 shell script sql http api json image images to from and of in for multiple tree`,
)

// everyday are words in names of similar tools of many servers.
var everyday = wordSet(
	`group groups convert converter event events task tasks project projects note notes workflow workflows node nodes log logs chart
	space channel channels count describe schema view session comment comments member members role roles team account accounts customer customers
	order orders new message messages email send post reply ticket tickets issue issues branch repository repo pull request deployment service metrics
	summary today weather forecast price location address map route screenshot click navigate connection status health check validate upload download export
	import insight append`,
)

// ordinary reports whether many servers may have a tool of that name.
func ordinary(name string) bool {
	for _, w := range nameWords(name) {
		if !common()[w] && !everyday()[w] {
			return false
		}
	}
	return true
}

// wordSet returns the set of the words in a list. It is built on first use, because most runs of the program scan
// nothing.
func wordSet(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			set[w] = true
		}
		return set
	})
}
