// Package keyring reads and writes the secrets that the user's system keeps for
// mcpproxy: Secret Service, Keychain or Credential Manager.
//
// A keyring may ask its owner before it answers, and one that is locked with nobody
// there to ask never does. No call waits longer than [Patience].
package keyring

import (
	"errors"
	"fmt"
	"time"

	"github.com/zalando/go-keyring"
)

// ErrNotFound is returned if the keyring has no secret with the name.
var ErrNotFound = errors.New("the keyring holds no such secret")

// service is under what mcpproxy's secrets lie in the system's keyring.
const service = "mcpproxy"

// Patience bounds the wait for a keyring.
const Patience = 20 * time.Second

// System is the keyring of the user's system.
type System struct{}

// Get returns a secret. It fails with [ErrNotFound] when there is none of that name.
func (System) Get(name string) (string, error) {
	return patient(func() (string, error) {
		secret, err := keyring.Get(service, name)
		if errors.Is(err, keyring.ErrNotFound) {
			err = ErrNotFound
		}
		return secret, err
	})
}

// Set keeps a secret under a name, in place of the one that was there.
func (System) Set(name, secret string) error {
	_, err := patient(func() (struct{}, error) { return struct{}{}, keyring.Set(service, name, secret) })
	return err
}

// Delete forgets a secret. That there was none is not an error.
func (System) Delete(name string) error {
	_, err := patient(func() (struct{}, error) { return struct{}{}, keyring.Delete(service, name) })
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
	case <-time.After(Patience):
		var none T
		return none, fmt.Errorf("the keyring did not answer within %s: it may be locked", Patience)
	}
}
