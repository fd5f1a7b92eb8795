package text

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// maxInflated is the maximum size of one decompressed text.
const maxInflated = 256 << 10

// textOf returns the text in decoded bytes: UTF-8, UTF-16, or either of them compressed; nil if they are not text.
func textOf(b []byte) []byte {
	if len(b) < minBytes {
		return nil
	}
	if isText(b) {
		return b
	}
	if wide := fromUTF16(b); wide != nil {
		return wide
	}
	return inflate(b)
}

// looksDecoded reports whether b may be the beginning of a text for textOf.
func looksDecoded(b []byte) bool {
	return isText(b) || fromUTF16(b) != nil || compressed(b)
}

// isText reports whether nearly all of b is printable UTF-8. A character may be cut at either end.
func isText(b []byte) bool {
	for n := 0; n < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); n++ {
		b = b[1:]
	}
	odd, n := 0, 0
	for i := 0; i < len(b); n++ {
		if b[i] < utf8.RuneSelf {
			if b[i] < ' ' && b[i] != '\n' && b[i] != '\r' && b[i] != '\t' || b[i] == 0x7f {
				odd++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			if !utf8.FullRune(b[i:]) && len(b)-i < utf8.UTFMax {
				return odd*20 <= n
			}
			return false
		case !unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r):
			odd++
		}
		i += size
	}
	return n > 0 && odd*20 <= n
}

// fromUTF16 decodes little-endian UTF-16 of mostly Latin text, in which PowerShell encodes commands.
func fromUTF16(b []byte) []byte {
	if len(b) < 2*minBytes {
		return nil
	}
	zeros := 0
	for i := 1; i < len(b); i += 2 {
		if b[i] == 0 {
			zeros++
		}
	}
	if zeros*4 < len(b)/2*3 {
		return nil
	}
	units := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		units = append(units, uint16(b[i])|uint16(b[i+1])<<8)
	}
	if s := []byte(string(utf16.Decode(units))); isText(s) {
		return s
	}
	return nil
}

// compressed reports whether b begins like gzip (RFC 1952) or zlib (RFC 1950).
func compressed(b []byte) bool {
	return len(b) > 2 && (b[0] == 0x1f && b[1] == 0x8b || b[0] == 0x78 && (int(b[0])<<8|int(b[1]))%31 == 0)
}

// inflate decompresses the text in b, up to a limit.
func inflate(b []byte) []byte {
	if !compressed(b) {
		return nil
	}
	var r io.Reader
	var err error
	if b[0] == 0x1f {
		r, err = gzip.NewReader(bytes.NewReader(b))
	} else {
		r, err = zlib.NewReader(bytes.NewReader(b))
	}
	if err != nil {
		return nil
	}
	out, _ := io.ReadAll(io.LimitReader(r, maxInflated)) // a truncated stream is read as far as possible
	if len(out) == 0 || !isText(out) {
		return nil
	}
	return out
}
