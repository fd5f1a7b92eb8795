package oauth

import (
	"errors"
	"fmt"
	"time"

	"github.com/zalando/go-keyring"
)

// Keyring keeps secrets for the user, outside of mcpproxy's files. Get of what is
// not there fails with [ErrNoSecret].
type Keyring interface {
	Get(name string) (string, error)
	Set(name, secret string) error
	Delete(name string) error
}

// ErrNoSecret says that a keyring holds nothing under a name.
var ErrNoSecret = errors.New("the keyring holds no such secret")

// keyringService is under what mcpproxy's secrets lie in the system's keyring.
const keyringService = "mcpproxy"

// keyringPatience bounds the wait for a keyring, which may ask its owner first.
const keyringPatience = 20 * time.Second

// SystemKeyring is the keyring of the desktop: Secret Service, Keychain or
// Credential Manager.
func SystemKeyring() Keyring { return systemKeyring{} }

type systemKeyring struct{}

func (systemKeyring) Get(name string) (string, error) {
	return patient(func() (string, error) {
		secret, err := keyring.Get(keyringService, name)
		if errors.Is(err, keyring.ErrNotFound) {
			err = ErrNoSecret
		}
		return secret, err
	})
}

func (systemKeyring) Set(name, secret string) error {
	_, err := patient(func() (struct{}, error) { return struct{}{}, keyring.Set(keyringService, name, secret) })
	return err
}

func (systemKeyring) Delete(name string) error {
	_, err := patient(func() (struct{}, error) { return struct{}{}, keyring.Delete(keyringService, name) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

// patient waits for f, but not for ever.
func patient[T any](f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-time.After(keyringPatience):
		var none T
		return none, fmt.Errorf("the keyring did not answer within %s", keyringPatience)
	}
}
