package settings_test

import (
	"bytes"
	"testing"

	"mcpproxy/internal/settings"
)

// FuzzParse parses arbitrary files. An accepted file is written back unchanged. After an entry was added and removed
// again, the file is still accepted.
func FuzzParse(f *testing.F) {
	for _, raw := range []string{
		"", "{}", "\xef\xbb\xbf{\r\n\t\"a\": [1, 2], // why\r\n}\r\n", `{"a":{"b":{}},"ours":{"x":1}}`, "{\"a\":1,}\n", "[1]", "{\"a\":1,\"a\":2}", "{/*\na*/\"a\": {}}",
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := settings.Parse("settings.json", raw)
		if err != nil {
			return
		}
		if got := file.Bytes(); len(bytes.TrimSpace(raw)) > 3 && !bytes.Equal(got, raw) {
			t.Errorf("%q became %q", raw, got)
		}
		if file.Index(file.Object, "added") >= 0 {
			return
		}
		file.Add(file.Object, 1, "added", map[string]any{"x": []int{1}})
		with, err := settings.Parse("settings.json", file.Bytes())
		if err != nil {
			t.Fatalf("%q with an entry is %q: %v", raw, file.Bytes(), err)
		}
		with.Remove(with.Object, with.Index(with.Object, "added"))
		if _, err := settings.Parse("settings.json", with.Bytes()); err != nil {
			t.Errorf("%q without the entry is %q: %v", raw, with.Bytes(), err)
		}
	})
}
