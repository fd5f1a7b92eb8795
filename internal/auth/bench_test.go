package auth

import (
	"fmt"
	"path/filepath"
	"testing"

	"mcpproxy/internal/token"
)

func BenchmarkAdmit(b *testing.B) {
	for _, n := range []int{1, 100} {
		store, err := token.Open(filepath.Join(b.TempDir(), "tokens.json"), nil)
		if err != nil {
			b.Fatal(err)
		}
		last := ""
		for i := range n {
			if last, _, err = store.Create(token.Spec{Name: fmt.Sprint("t", i)}); err != nil {
				b.Fatal(err)
			}
		}
		d := New(func() string { return key }, store)
		for name, given := range map[string]string{"key": key, "token": last} {
			r := request("192.0.2.1:1", "X-API-Key", given)
			b.Run(fmt.Sprintf("%s, %d tokens", name, n), func(b *testing.B) {
				for b.Loop() {
					if _, refusal := d.Admit(r, false, false); refusal != nil {
						b.Fatal(refusal)
					}
				}
			})
		}
	}
}
