package text

import "unicode/utf8"

// minHidden is the minimum number of invisible characters that form a text.
const minHidden = 4

// hiddenText decodes texts in invisible characters: Unicode tags (U+E0020 to U+E007E, one for each ASCII character)
// and runs of variation selectors (one for each byte value).
func hiddenText(v *View) []*View {
	s := v.Text
	var tags, bytes builder
	for at := 0; at < len(s); {
		if s[at] < 0xE0 { // invisible characters have three or four bytes
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case r >= 0xE0020 && r <= 0xE007E:
			tags.put(string(rune(r-0xE0000)), at, size)
		case r >= 0xFE00 && r <= 0xFE0F:
			bytes.put(string([]byte{byte(r - 0xFE00)}), at, size)
		case r >= 0xE0100 && r <= 0xE01EF:
			bytes.put(string([]byte{byte(r - 0xE0100 + 16)}), at, size)
		}
		at += size
	}
	var out []*View
	if len(tags.text) >= minHidden && isText(tags.text) {
		out = append(out, tags.view(v, "tag characters"))
	}
	if len(bytes.text) >= minHidden && isText(bytes.text) {
		out = append(out, bytes.view(v, "variation selectors"))
	}
	return out
}
