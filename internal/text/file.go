package text

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

const (
	minWriting = 8        // minimum number of consecutive characters of a text inside a file
	maxWriting = 64 << 10 // bytes of such texts that are read
)

// files are the first bytes of formats that contain text in addition to their data: comments, titles, authors.
var files = [][]byte{
	[]byte("\x89PNG\r\n"),
	[]byte("\xff\xd8\xff"),
	[]byte("GIF8"),
	[]byte("RIFF"),
	[]byte("%PDF-"),
	[]byte("II*\x00"),
	[]byte("MM\x00*"),
	[]byte("ID3"),
	[]byte("OggS"),
	[]byte("PK\x03\x04"),
}

// fileByte are the first bytes of these formats; most texts begin with another byte.
var fileByte = byteSet(func(c byte) bool {
	return slices.ContainsFunc(files, func(f []byte) bool { return f[0] == c })
})

// isFile reports whether b begins like an image, a sound, a document or an archive.
func isFile(b []byte) bool {
	if len(b) == 0 || !fileByte[b[0]] {
		return false
	}
	for _, f := range files {
		if bytes.HasPrefix(b, f) {
			return true
		}
	}
	return false
}

// writing returns the texts in a file's bytes, such as the comments of an image, one on each line; nil if there are
// none.
func writing(b []byte) []byte {
	var out []byte
	start := 0
	for i := 0; i <= len(b) && len(out) < maxWriting; {
		size := 0
		if i < len(b) && b[i] >= ' ' && b[i] != 0x7f {
			if b[i] < utf8.RuneSelf {
				size = 1
			} else if r, n := utf8.DecodeRune(b[i:]); r != utf8.RuneError {
				size = n
			}
		}
		if size > 0 {
			i += size
			continue
		}
		if i-start >= minWriting {
			out = append(append(out, b[start:i]...), '\n')
		}
		i++
		start = i
	}
	return out
}
