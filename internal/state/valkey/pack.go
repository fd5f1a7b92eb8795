package valkey

import (
	"encoding/binary"
	"errors"
)

// pack encodes the key of a session and its content as one byte slice.
func pack(session string, content []byte) []byte {
	out := binary.AppendUvarint(make([]byte, 0, len(session)+len(content)+binary.MaxVarintLen64), uint64(len(session)))
	out = append(out, session...)
	return append(out, content...)
}

// unpack decodes the result of pack.
func unpack(packed []byte) (session string, content []byte, err error) {
	n, size := binary.Uvarint(packed)
	if size <= 0 || n > uint64(len(packed)-size) {
		return "", nil, errors.New("a session in the state store is damaged")
	}
	end := size + int(n)
	return string(packed[size:end]), packed[end:], nil
}
