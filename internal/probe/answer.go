package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sort"
	"strings"

	"mcpproxy/internal/probe/raw"
	"mcpproxy/internal/scan"
	"mcpproxy/internal/wire"
)

// maxShown limits a server's text in a report, in characters.
const maxShown = 200

// shown returns a server's text for a report: shortened, safe to print, and with secrets masked.
func shown(s string) string { return excerpt(s, maxShown) }

// excerpt returns the beginning of a text for a report, at most n characters.
func excerpt(s string, n int) string {
	if len(s) > 16*n {
		s = strings.ToValidUTF8(s[:16*n], "")
	}
	s = scan.Printable(masked(s))
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// isError reports whether an answer is a tool result with isError set.
func isError(a raw.Answer) bool { return string(wire.Member(a.Result, "isError")) == "true" }

// errorText returns the error message of an answer, or "" for a success.
func errorText(a raw.Answer) string {
	switch {
	case a.Error != nil:
		text := wire.String(a.Error, "message")
		if data := wire.Member(a.Error, "data"); data != nil {
			text += "\n" + plainText(data)
		}
		return text
	case isError(a):
		return plainText(a.Result)
	case a.Err != nil && !a.OK():
		return "" // the message is the probe's own, not the server's
	case a.Status >= 400:
		return string(a.Body)
	}
	return ""
}

// plainText returns all strings of a JSON value in order, one on each line, without the types of
// content blocks.
func plainText(value []byte) string {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return string(value)
	}
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			_, block := v["text"]
			for _, k := range slices.Sorted(maps.Keys(v)) {
				if k != "type" || !block {
					walk(v[k])
				}
			}
		}
	}
	walk(v)
	return strings.Join(out, "\n")
}

// refusal reports whether the server answered with an error.
func refusal(a raw.Answer) bool {
	return a.Error != nil || isError(a) || a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden ||
		a.Status >= 400 && a.Status < 500 && a.Err == nil
}

// succeeded reports whether a call was answered with a result that is not an error.
func succeeded(a raw.Answer) bool { return a.OK() && !isError(a) }

// failedToAnswer says that a server gave no answer, or returns "".
func failedToAnswer(a raw.Answer) string {
	switch {
	case a.OK() || a.Error != nil:
		return ""
	case errors.Is(a.Err, raw.ErrTimeout):
		return "gave no answer in time"
	case errors.Is(a.Err, raw.ErrUnreadable):
		return "gave an answer that is not a valid message"
	case a.Err != nil:
		return "ended the connection (" + shown(a.Err.Error()) + ")"
	case a.Status >= 500:
		return fmt.Sprintf("answered with HTTP status %d", a.Status)
	case a.Status >= 400:
		return ""
	}
	return "gave no answer that is a message"
}

// shape returns the structure of an answer without its values: the error code, or the paths of a
// result with their types.
func shape(a raw.Answer) string {
	switch {
	case a.Error != nil:
		return "error " + codeOf(a)
	case !a.OK():
		return "nothing: " + codeOf(a)
	}
	var v any
	if json.Unmarshal(a.Result, &v) != nil {
		return "unreadable"
	}
	seen := map[string]bool{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			seen[path+" object"] = true
			for k, e := range v {
				if path == "" && k == "_meta" {
					continue
				}
				walk(path+"."+k, e)
			}
		case []any:
			seen[path+" array"] = true
			for _, e := range v {
				walk(path+"[]", e)
			}
		case string:
			seen[path+" string"] = true
			if strings.HasSuffix(path, ".type") {
				seen[path+" = "+v] = true
			}
		case bool:
			seen[path+" boolean"] = true
			if path == ".isError" {
				seen[fmt.Sprint(path, " = ", v)] = true
			}
		case float64:
			seen[path+" number"] = true
		case nil:
			seen[path+" null"] = true
		}
	}
	walk("", v)
	delete(seen, ".isError boolean")
	delete(seen, ".isError = false") // equivalent to a missing member
	all := make([]string, 0, len(seen))
	for s := range seen {
		all = append(all, s)
	}
	sort.Strings(all)
	return strings.Join(all, "\n")
}

// difference returns the first line in which two shapes differ.
func difference(a, b string) string {
	first, second := strings.Split(a, "\n"), strings.Split(b, "\n")
	for _, line := range first {
		if !slices.Contains(second, line) {
			return shown(fmt.Sprintf("only the first has %q", line))
		}
	}
	for _, line := range second {
		if !slices.Contains(first, line) {
			return shown(fmt.Sprintf("only the second has %q", line))
		}
	}
	return "they differ"
}
