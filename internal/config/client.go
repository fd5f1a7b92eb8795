package config

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// whereKeys are the keys that say how to reach the daemon.
var whereKeys = []jsontext.Pointer{"/data_dir", "/listen"}

// clientKeys are the keys that clients read, including the hooks of agents. A ${cmd:…} reference in
// them would run at each call of an agent, in the agent's environment.
var clientKeys = append(slices.Clone(whereKeys), "/api_key", "/registry/url")

var errNotByCommand = errors.New("clients read this key: use env, file or keyring, not a command")

// LoadClient reads the file at path for a program that talks to the daemon. It resolves only the
// references that are needed to find the daemon, because only the daemon's environment contains the
// secrets of servers. [Config.Key] resolves the key. LoadClient does not validate the values: after
// a bad edit, the daemon continues with the previous configuration.
func LoadClient(path string) (*Config, error) {
	raw, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, _, err := decode(path, raw, whereOnly())
	return c, err
}

// Key returns the owner's key, which a client needs if there is no socket.
func (c *Config) Key() (string, error) {
	key, err := expand(c.APIKey, lookupOfClients)
	if err != nil {
		return "", fmt.Errorf("api_key: %w", err)
	}
	return key, nil
}

// ResolveLog resolves the references in activity.store, for a program that used [LoadClient] and
// opens the activity log itself. It may run a command, so hooks must not call it.
func (c *Config) ResolveLog(ctx context.Context) error {
	r := &resolver{run: &c.Secrets}
	lookup := func(kind, name string) (string, error) { return r.lookup(ctx, kind, name) }
	store, err := expand(c.Activity.Store, lookup)
	if err != nil {
		return fmt.Errorf("activity.store: %w", err)
	}
	c.Activity.Store = store
	return nil
}

// RegistryURL returns the address of the registry, for a program that used [LoadClient].
func (c *Config) RegistryURL() (string, error) {
	address, err := expand(c.Registry.URL, lookupOfClients)
	if err != nil {
		return "", fmt.Errorf("registry.url: %w", err)
	}
	return address, nil
}

// whereOnly resolves references only in whereKeys.
func whereOnly() json.Options {
	return json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *string) error {
		if dec.PeekKind() != '"' {
			return errors.ErrUnsupported
		}
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if *v = tok.String(); slices.Contains(whereKeys, dec.StackPointer()) {
			*v, err = expand(*v, lookupOfClients)
		}
		return err
	}))
}

// holds returns an error if a configuration is invalid, whatever the values of its references.
func holds(file string, raw []byte) error {
	c, standard, err := decode(file, raw)
	if err != nil {
		return err
	}
	if err := c.check(); err != nil && !strings.Contains(err.Error(), "${") {
		return locate(file, standard, err)
	}
	return nil
}

// lookupOfClients is [Lookup] for the values of clientKeys.
func lookupOfClients(kind, name string) (string, error) {
	if kind == commandKind {
		return "", errNotByCommand
	}
	return Lookup(kind, name)
}
