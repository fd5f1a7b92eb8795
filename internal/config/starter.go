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

// EnsureFile creates the configuration file if it does not exist, with comments and a new key, mode
// 0600, in a folder of mode 0700. It reports whether it created the file.
func EnsureFile(path string) (made bool, err error) {
	if _, err := os.Stat(path); err == nil || !errors.Is(err, os.ErrNotExist) {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, fmt.Errorf("making the configuration's folder: %w", err)
	}
	text := strings.Replace(starter, "{{KEY}}", newKey(), 1)
	err = replace(path, nil, []byte(text))
	return err == nil, err
}

// EnsureKey sets a new key in c and in the file if c has none. The rest of the file, including
// comments, is kept.
func EnsureKey(path string, c *Config) error {
	if c.APIKey != "" {
		return nil
	}
	key := newKey()
	err := rewrite(path, func(raw []byte) ([]byte, error) {
		v, err := hujson.Parse(whole(raw))
		if err != nil {
			return nil, fmt.Errorf("reading the configuration: %w", err)
		}
		object, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil, &Error{path, 0, "the file must be a JSON object"}
		}
		if err := setKey(object, key); err != nil {
			return nil, &Error{path, 0, err.Error()}
		}
		return v.Pack(), nil
	})
	if err == nil {
		c.APIKey = key
	}
	return err
}

// setKey sets the member api_key to key. If the object has no such member, it is added as the first one.
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

// newKey returns 256 random bits in hex.
func newKey() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// mostTries limits how often a change is repeated because another program wrote the file meanwhile.
const mostTries = 20

// rewrite replaces a configuration with the result of change. Changes that other programs make at the
// same time are kept.
func rewrite(path string, change func(raw []byte) ([]byte, error)) error {
	for try := 1; ; try++ {
		raw, err := ReadFile(path)
		if err != nil {
			return err
		}
		after, err := change(raw)
		if err != nil {
			return err
		}
		if err = replace(path, raw, after); !errors.Is(err, atomicfile.ErrChanged) || try == mostTries {
			return err
		}
	}
}

// replace replaces a configuration file, which contains keys. A file that everybody can read
// becomes readable by its owner only; other modes are kept.
func replace(path string, before, after []byte) error {
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o004 != 0 {
		if err := os.Chmod(path, 0o600); err != nil {
			return fmt.Errorf("writing the configuration: %w", err)
		}
	}
	edit := atomicfile.Edit{
		Path:   path,
		Before: before,
		After:  after,
		Mode:   0o600,
	}
	if err := edit.Apply(); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	return nil
}
