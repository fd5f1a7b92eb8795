package config

import (
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"

	"mcpproxy/internal/atomicfile"
)

//go:embed starter.jsonc
var starter string

// EnsureFile makes the configuration file when there is none: commented, mode
// 0600 in a folder of mode 0700, with a fresh key. It reports whether it did.
func EnsureFile(path string) (made bool, err error) {
	if _, err := os.Stat(path); err == nil || !errors.Is(err, os.ErrNotExist) {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, fmt.Errorf("making the configuration's folder: %w", err)
	}
	text := strings.Replace(starter, "{{KEY}}", newKey(), 1)
	return true, write(path, []byte(text))
}

// EnsureKey gives c a key when it has none, and saves it. The rest of the file,
// comments included, stays as it is.
func EnsureKey(path string, c *Config) error {
	if c.APIKey != "" {
		return nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	v, err := hujson.Parse(whole(raw))
	if err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return &Error{path, 0, "an object is wanted"}
	}
	key := newKey()
	if err := setKey(object, key); err != nil {
		return &Error{path, 0, err.Error()}
	}
	c.APIKey = key
	return write(path, v.Pack())
}

// setKey puts the key where the object has its api_key, else before everything.
func setKey(object *hujson.Object, key string) error {
	for i := range object.Members {
		m := &object.Members[i]
		if name, ok := m.Name.Value.(hujson.Literal); !ok || name.String() != "api_key" {
			continue
		}
		if old, ok := m.Value.Value.(hujson.Literal); ok && strings.Contains(old.String(), "${") {
			return fmt.Errorf("api_key: %s is empty", old.String())
		}
		m.Value.Value = hujson.String(key)
		return nil
	}
	member := hujson.ObjectMember{Name: hujson.Value{BeforeExtra: []byte("\n  "), Value: hujson.String("api_key")},
		Value: hujson.Value{BeforeExtra: []byte(" "), Value: hujson.String(key)}}
	object.Members = append([]hujson.ObjectMember{member}, object.Members...)
	return nil
}

// newKey is 256 random bits in hex.
func newKey() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// write replaces the configuration at path, which holds keys.
func write(path string, data []byte) error {
	if err := atomicfile.WriteBytes(path, 0o600, data); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	return nil
}
