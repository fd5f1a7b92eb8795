// Package sealed stores state in encrypted files that only this installation can read and write.
//
// A file consists of a line that names its format, a random salt, and chunks of 64 KiB. Each chunk is encrypted with
// AES-256-GCM. The key is derived from the installation's key and the salt. A chunk's nonce contains its number and
// whether it is the last one. So chunks cannot be moved, omitted or cut off without being noticed (the STREAM
// construction of V. T. Hoang et al., 2015).
//
// Guarantee: [Read] passes on exactly the bytes that [Write] wrote, from the beginning, and returns an error if they
// are not complete. Without the key, a file reveals only its length.
package sealed

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"mcpproxy/internal/atomicfile"
)

const (
	form      = "mcpproxy state 1\n"
	chunkSize = 64 << 10
	saltSize  = 32
	keySize   = 32
)

// ErrDamaged is returned for a file that was changed, or was written with another key.
var ErrDamaged = errors.New("the file is damaged, or of another installation")

// Key reads the installation's key from a file. It creates the key if the file does not exist.
func Key(path string) ([]byte, error) {
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, keySize)
		_, _ = rand.Read(key) // never fails
		return key, atomicfile.WriteBytes(path, 0o600, key)
	}
	if err == nil && len(key) != keySize {
		return nil, fmt.Errorf("%s is not a valid key; remove it, and mcpproxy makes a new one", path)
	}
	return key, err
}

// Write writes a file with the bytes that save writes. Only the owner can read it. The file is replaced atomically: an
// existing one stays until the new one is complete. No other program may write the file at the same time.
func Write(path string, key []byte, save func(io.Writer) error) error {
	if err := atomicfile.Sweep(path); err != nil { // remove unfinished files of a crash, which are large
		return err
	}
	return atomicfile.Write(path, 0o600, func(w io.Writer) error {
		salt := make([]byte, saltSize)
		_, _ = rand.Read(salt) // never fails
		aead, err := cipherFor(key, salt)
		if err != nil {
			return err
		}
		if _, err := w.Write(append([]byte(form), salt...)); err != nil {
			return err
		}
		s := &sealer{w: w, aead: aead, chunk: make([]byte, 0, chunkSize)}
		if err := save(s); err != nil {
			return err
		}
		return s.seal(true)
	})
}

// Read passes the content of a file to load. It returns [fs.ErrNotExist] if the file does not exist, and [ErrDamaged]
// if the content cannot be trusted. In that case, load may have read a part of it.
func Read(path string, key []byte, load func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, len(form)+saltSize)
	if _, err := io.ReadFull(f, head); err != nil || string(head[:len(form)]) != form {
		return ErrDamaged
	}
	aead, err := cipherFor(key, head[len(form):])
	if err != nil {
		return err
	}
	o := &opener{r: f, aead: aead, sealed: make([]byte, chunkSize+aead.Overhead())}
	if err := load(o); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, o) // also check the part that load has not read
	return err
}

func cipherFor(key, salt []byte) (cipher.AEAD, error) {
	k, err := hkdf.Key(sha256.New, key, salt, form, keySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(k)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// nonce returns the nonce of a chunk.
func nonce(number uint64, last bool) []byte {
	n := binary.BigEndian.AppendUint64(make([]byte, 3, 12), number)
	if last {
		return append(n, 1)
	}
	return append(n, 0)
}

// sealer is a writer that encrypts what is written, chunk by chunk.
type sealer struct {
	w      io.Writer
	aead   cipher.AEAD
	chunk  []byte
	number uint64
}

func (s *sealer) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		if len(s.chunk) == chunkSize { // there are more bytes, so the chunk is not the last one
			if err := s.seal(false); err != nil {
				return 0, err
			}
		}
		n := min(len(p), chunkSize-len(s.chunk))
		s.chunk, p = append(s.chunk, p[:n]...), p[n:]
	}
	return written, nil
}

func (s *sealer) seal(last bool) error {
	_, err := s.w.Write(s.aead.Seal(nil, nonce(s.number, last), s.chunk, nil))
	s.chunk, s.number = s.chunk[:0], s.number+1
	return err
}

// opener is a reader that decrypts chunks.
type opener struct {
	r      io.Reader
	aead   cipher.AEAD
	sealed []byte
	plain  []byte // the part of the current chunk that was not read yet
	number uint64
	last   bool
}

func (o *opener) Read(p []byte) (int, error) {
	for len(o.plain) == 0 {
		if o.last {
			return 0, io.EOF
		}
		if err := o.open(); err != nil {
			return 0, err
		}
	}
	n := copy(p, o.plain)
	o.plain = o.plain[n:]
	return n, nil
}

// open reads and decrypts the next chunk. A full chunk may also be the last one.
func (o *opener) open() error {
	n, err := io.ReadFull(o.r, o.sealed)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrDamaged
	}
	for _, o.last = range []bool{false, true} {
		if o.plain, err = o.aead.Open(nil, nonce(o.number, o.last), o.sealed[:n], nil); err == nil {
			o.number++
			return nil
		}
	}
	return ErrDamaged
}
