package config

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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
	return true, writeFile(path, []byte(text))
}

// EnsureKey returns the file's key, making and saving one when it is empty. The
// rest of the file, comments included, stays as it is.
func EnsureKey(path string, c *Config) error {
	if c.APIKey != "" {
		return nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	c.APIKey = newKey()
	if at := emptyKey.FindIndex(raw); at != nil {
		raw = append(append(bytes.Clone(raw[:at[0]]), `"api_key": "`+c.APIKey+`"`...), raw[at[1]:]...)
	} else if open := bytes.IndexByte(raw, '{'); open >= 0 {
		sep := ","
		if bytes.IndexByte(raw[open+1:], '"') < 0 {
			sep = ""
		}
		raw = append(append(bytes.Clone(raw[:open+1]), "\n  \"api_key\": \""+c.APIKey+`"`+sep...), raw[open+1:]...)
	} else {
		raw = []byte("{\n  \"api_key\": \"" + c.APIKey + "\"\n}\n")
	}
	return writeFile(path, raw)
}

var emptyKey = regexp.MustCompile(`"api_key"\s*:\s*""`)

// newKey is 256 random bits in hex.
func newKey() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// writeFile replaces a file at once, mode 0600.
func writeFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".mcp_config-*")
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return fmt.Errorf("writing the configuration: %w", err)
	}
	if err := tmp.Close(); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	return os.Rename(tmp.Name(), path) // CreateTemp made it 0600
}
