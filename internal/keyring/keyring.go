// Package keyring reads and writes secrets in the keyring of the user's system: Secret Service, Keychain or Credential
// Manager.
//
// A keyring may ask its owner before it answers. If it is locked and nobody can answer, it never returns. So no call
// waits longer than [Patience].
package keyring

import (
	"errors"
	"fmt"
	"time"

	"github.com/zalando/go-keyring"
)

// ErrNotFound is returned if the keyring has no secret with the name.
var ErrNotFound = errors.New("the keyring holds no such secret")

// service is the name under which the system's keyring stores the secrets of mcpproxy.
const service = "mcpproxy"

// Patience is the maximum time to wait for the keyring.
const Patience = 20 * time.Second

// System is the keyring of the user's system.
type System struct{}

// Get returns the secret with a name. It returns [ErrNotFound] if there is no such secret.
func (System) Get(name string) (string, error) {
	return patient(func() (string, error) {
		secret, err := keyring.Get(service, name)
		if errors.Is(err, keyring.ErrNotFound) {
			err = ErrNotFound
		}
		return secret, err
	})
}

// Set stores a secret under a name and replaces an existing one.
func (System) Set(name, secret string) error {
	_, err := patient(func() (struct{}, error) { return struct{}{}, keyring.Set(service, name, secret) })
	return err
}

// Delete deletes a secret. A missing secret is not an error.
func (System) Delete(name string) error {
	_, err := patient(func() (struct{}, error) { return struct{}{}, keyring.Delete(service, name) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

// patient calls f and waits for it, but not longer than Patience.
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
	case <-time.After(Patience):
		var none T
		return none, fmt.Errorf("the keyring did not answer within %s: it may be locked", Patience)
	}
}
