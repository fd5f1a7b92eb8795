package config

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
			failed = fmt.Errorf("%s: %w", shown(m[1], m[2]), err)
		}
		return v
	})
	return out, failed
}

// shown returns a reference as errors display it: without the arguments of a command.
func shown(kind, name string) string {
	if kind == commandKind {
		all, err := words(name)
		switch {
		case err != nil:
			name = "…"
		case len(all) > 1:
			name = all[0] + " …"
		}
	}
	return "${" + kind + ":" + name + "}"
}

// Limits for reading files. A named pipe, by which password managers provide secrets, must be
// written within the time in secretLimits.
var (
	fileLimits   = atomicfile.Limits{Bytes: 4 << 20, Wait: 10 * time.Second}
	secretLimits = atomicfile.Limits{Bytes: 1 << 20, Wait: 5 * time.Second, Pipes: true}
)

// Lookup resolves one reference. The kind env reads an environment variable; file reads a regular
// file or a named pipe, without the last newline; keyring reads a password that the system's
// keyring stores for the service mcpproxy. Lookup refuses a file that other users can change,
// because they could choose the secret.
//
// Lookup runs no command: for the kind cmd it checks that the command can be run and returns the
// reference unchanged. It is used for untrusted text. [Load] runs the commands of the user's own
// file.
func Lookup(kind, name string) (string, error) {
	return new(resolver).lookup(context.Background(), kind, name)
}

// hiddenFrom is the minimum length of a secret that is hidden in errors. A shorter one appears in
// many messages by chance.
const hiddenFrom = 4

// resolver resolves references and collects warnings and secrets.
type resolver struct {
	run     *Secrets          // how commands are run; nil to run none
	exposed []string          // files that others can read, each with what to do
	secrets map[string]string // secrets that were read, with their references
}

func (r *resolver) lookup(ctx context.Context, kind, name string) (string, error) {
	value, err := r.read(ctx, kind, name)
	if err == nil && kind != "env" && len(value) >= hiddenFrom && (kind != commandKind || r.run != nil) {
		if r.secrets == nil {
			r.secrets = map[string]string{}
		}
		r.secrets[value] = shown(kind, name)
	}
	return value, err
}

// hide replaces secrets in err with their references.
func (r *resolver) hide(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	hidden := *e
	// The longest first, because a secret may contain a shorter one.
	longestFirst := func(a, b string) int { return len(b) - len(a) }
	for _, value := range slices.SortedFunc(maps.Keys(r.secrets), longestFirst) {
		quoted := strings.Trim(strconv.Quote(value), `"`)
		hidden.Msg = strings.NewReplacer(quoted, r.secrets[value], value, r.secrets[value]).Replace(hidden.Msg)
	}
	return &hidden
}

func (r *resolver) read(ctx context.Context, kind, name string) (string, error) {
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
	case commandKind:
		if r.run != nil {
			return ownCommands.get(ctx, name, *r.run)
		}
		_, err := newCommand(name)
		return "${" + kind + ":" + name + "}", err
	}
	return "", fmt.Errorf("unknown kind of reference %q: use env, file, keyring or cmd", kind)
}

// password asks the keyring, which may ask the user. It stops waiting when ctx ends.
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

// secret reads a file that contains a secret.
func (r *resolver) secret(ctx context.Context, path string) (string, error) {
	b, err := atomicfile.Read(ctx, path, secretLimits)
	if err == nil {
		err = atomicfile.CheckWriters(path) // checked second, because the mode of a device is meaningless
	}
	if err != nil {
		return "", err
	}
	r.expose(path)
	return strings.TrimRight(string(b), "\r\n"), nil
}

// expose records a file with secrets if others can read it.
func (r *resolver) expose(path string) {
	if err := atomicfile.CheckReaders(path); err != nil {
		r.exposed = append(r.exposed, err.Error())
	}
}
