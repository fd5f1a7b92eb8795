package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mcpproxy/internal/keyring"
	"mcpproxy/internal/lazyregexp"
)

var reference = lazyregexp.New(`\$\{([A-Za-z_]+):([^}]*)\}`)

// expand replaces every ${kind:name} in s.
func expand(s string, lookup func(kind, name string) (string, error)) (string, error) {
	if !strings.Contains(s, "${") {
		return s, nil
	}
	var failed error
	out := reference().ReplaceAllStringFunc(s, func(ref string) string {
		m := reference().FindStringSubmatch(ref)
		v, err := lookup(m[1], m[2])
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", ref, err)
		}
		return v
	})
	return out, failed
}

// Lookup resolves one reference: env is an environment variable, file the
// content of a file without its last newline, keyring a password that the
// system's keyring keeps for the service mcpproxy.
func Lookup(kind, name string) (string, error) {
	switch kind {
	case "env":
		v, ok := os.LookupEnv(name)
		if !ok {
			return "", fmt.Errorf("the environment variable %s is not set", name)
		}
		return v, nil
	case "file":
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			name = filepath.Join(home(), rest)
		}
		b, err := os.ReadFile(name)
		return strings.TrimRight(string(b), "\r\n"), err
	case "keyring":
		return keyring.System{}.Get(name)
	}
	return "", fmt.Errorf("%q is no kind of reference: use env, file or keyring", kind)
}
