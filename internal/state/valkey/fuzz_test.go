package valkey

import (
	"reflect"
	"testing"

	"mcpproxy/internal/state"
)

// A value of another field, turn or key is not accepted as a decision.
func FuzzOpened(f *testing.F) {
	s, err := New(Options{URL: "valkey://127.0.0.1:1/0", Key: "a key of the group, of no value at all"})
	if err != nil {
		f.Fatal(err)
	}
	decided := state.Decision{
		Kind:    "approval",
		Name:    "a tool",
		Content: []byte("yes"),
		Turn:    7,
	}
	field, value, err := s.sealed(decided)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(field, value)
	f.Add("another field", value)
	f.Add(field, "8"+value[1:])
	f.Add(field, "7:")
	f.Add(field, "")
	f.Fuzz(func(t *testing.T, at, with string) {
		d, err := s.opened(at, with)
		// Another process of the fuzzer encrypts the same decision differently, so its seeds can be decrypted here
		// too.
		own := at == field && reflect.DeepEqual(d, decided)
		if own != (err == nil) || at == field && with == value && err != nil {
			t.Errorf("opening %q at %q gave %+v, %v", with, at, d, err)
		}
	})
}
