package flow

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const (
	maxName  = 64
	maxFrame = 1 << 30
)

// writeFrame writes one frame, whose body is in parts.
func writeFrame(w io.Writer, name string, body ...[]byte) error {
	size := 0
	for _, part := range body {
		size += len(part)
	}
	head := binary.AppendUvarint(nil, uint64(len(name)))
	head = append(head, name...)
	head = binary.AppendUvarint(head, uint64(size))
	if _, err := w.Write(head); err != nil {
		return err
	}
	for _, part := range body {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(w io.Writer, name string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFrame(w, name, body)
}

// readFrame reads one frame. A false length makes it allocate no more memory than there are bytes to read.
func readFrame(r *bufio.Reader) (name string, body []byte, err error) {
	raw, err := readBytes(r, maxName)
	if err != nil {
		return "", nil, err
	}
	body, err = readBytes(r, maxFrame)
	return string(raw), body, err
}

func readBytes(r *bufio.Reader, limit uint64) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err == nil && n > limit {
		err = fmt.Errorf("the length %d of the frame exceeds the maximum of %d", n, limit)
	}
	var buf bytes.Buffer
	if err == nil {
		_, err = io.CopyN(&buf, r, int64(n))
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // the input ended before the frame "end"
	}
	return buf.Bytes(), err
}
