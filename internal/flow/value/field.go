package value

// AddressFields lists parameters that name a destination. Their values are not content.
var AddressFields = map[string]bool{
	"to":           true,
	"cc":           true,
	"bcc":          true,
	"recipient":    true,
	"recipients":   true,
	"channel":      true,
	"channel_id":   true,
	"id":           true,
	"owner":        true,
	"repo":         true,
	"path":         true,
	"url":          true,
	"uri":          true,
	"user":         true,
	"username":     true,
	"file_path":    true,
	"cwd":          true,
	"branch":       true,
	"ref":          true,
	"sha":          true,
	"cursor":       true,
	"name":         true,
	"participants": true,
	"attendees":    true,
	"assignee":     true,
	"assignees":    true,
}

// PeopleFields lists parameters with recipients. The names of the recipients may be included.
var PeopleFields = map[string]bool{
	"to":           true,
	"cc":           true,
	"bcc":          true,
	"recipient":    true,
	"recipients":   true,
	"participants": true,
	"attendees":    true,
}

// Breaks marks the bytes that separate words. Bytes that tokens and keys contain are not marked.
var Breaks = func() (table [256]bool) {
	for c := range byte(' ' + 1) {
		table[c] = true
	}
	for _, c := range []byte("\"'<>()[]{},;:=|`") {
		table[c] = true
	}
	return table
}()

// IsAlnum reports whether c is an ASCII letter or digit, or a byte of a character beyond ASCII.
func IsAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }
