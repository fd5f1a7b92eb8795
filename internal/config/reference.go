package config

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcpproxy/internal/atomicfile"
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

// The bounds of what is read. A named pipe, by which password managers hand out secrets,
// has to be written within the time of secretLimits.
var (
	fileLimits   = atomicfile.Limits{Bytes: 4 << 20, Wait: 10 * time.Second}
	secretLimits = atomicfile.Limits{Bytes: 1 << 20, Wait: 5 * time.Second, Pipes: true}
)

// Lookup resolves one reference. The kind env reads an environment variable; file reads a regular
// file or a named pipe, without the last newline; keyring reads a password that the system's
// keyring stores for the service mcpproxy. Lookup refuses a file that other users can change, since
// they could choose the secret.
func Lookup(kind, name string) (string, error) {
	return new(resolver).lookup(context.Background(), kind, name)
}

// resolver resolves references, and remembers what is to be said about them.
type resolver struct {
	exposed []string // files that others can read, each with its remedy
}

func (r *resolver) lookup(ctx context.Context, kind, name string) (string, error) {
	switch kind {
	case "env":
		v, ok := os.LookupEnv(name)
		if !ok {
			return "", fmt.Errorf("the environment variable %s is not set", name)
		}
		return v, nil
	case "file":
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			name = filepath.Join(userFolder(), rest)
		}
		return r.secret(ctx, name)
	case "keyring":
		return password(ctx, name)
	}
	return "", fmt.Errorf("unknown kind of reference %q: use env, file or keyring", kind)
}

// password asks the keyring, which may ask its owner. The answer is not waited for when
// ctx has ended.
func password(ctx context.Context, name string) (string, error) {
	done := make(chan struct{})
	var got string
	var failed error
	go func() {
		defer close(done)
		got, failed = keyring.System{}.Get(name)
	}()
	select {
	case <-done:
		return got, failed
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// secret reads a file that holds a secret.
func (r *resolver) secret(ctx context.Context, path string) (string, error) {
	b, err := atomicfile.Read(ctx, path, secretLimits)
	if err == nil {
		err = atomicfile.CheckWriters(path) // second: for a device the mode says nothing
	}
	if err != nil {
		return "", err
	}
	r.expose(path)
	return strings.TrimRight(string(b), "\r\n"), nil
}

// expose notes a file with secrets in it if others can read it.
func (r *resolver) expose(path string) {
	if err := atomicfile.CheckReaders(path); err != nil {
		r.exposed = append(r.exposed, err.Error())
	}
}
