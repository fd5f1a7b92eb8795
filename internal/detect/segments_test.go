package detect

import (
	"strings"
	"testing"
)

func TestANameIsReadInWords(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"ACME_API_KEY", "acme api key"},
		{"acmeApiKey", "acme api key"},
		{"acmeAPIKey", "acme api key"},
		{"the acme's key", "the acme s key"},
		{"acmeapikey", "acmeapikey"},
		{"S3Key2", "s3 key2"},
		{"", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := segmented(tt.name)
			var words []string
			for i, from := 1, 0; i <= len(s.plain); i++ {
				if s.starts[i] {
					words, from = append(words, s.plain[from:i]), i
				}
			}
			if got := strings.Join(words, " "); got != tt.want || s.words != len(words) {
				t.Errorf("read as %q with %d words", got, s.words)
			}
		})
	}
}

func TestARuleKnowsItsNamesByWords(t *testing.T) {
	service := newNames([]Rule{{ID: "x", Names: []string{"meraki"}}})
	word := newNames([]Rule{{
		ID:       "x",
		Names:    []string{"key"},
		NotWords: []string{"sort", "lock"},
		Ends:     true,
		Least:    2,
	}})
	for _, tt := range []struct {
		what  string
		rules *names
		name  string
		want  bool
	}{
		{"a service is a word", service, "MERAKI_KEY", true},
		{"a service is part of a word", service, "mymerakikey", true},
		{"a service is words run together", service, "meRakiKey", true},
		{"the seam of two words is no service", service, "ReactNativeCameraKit", false},
		{"the seam of two words with a sign is no service", service, "camera-kit", false},
		{"an everyday word ends a name", word, "ACME_KEY", true},
		{"an everyday word ends a word", word, "the acmekey", true},
		{"a plural", word, "acme keys", true},
		{"a longer word", word, "acme keyboard", false},
		{"a word alone", word, "key", false},
		{"an exception", word, "sort_key", false},
		{"an exception in one word", word, "acme sortkey", false},
		{"an exception's letters in another word", word, "blockwise_assorted_key", true},
	} {
		t.Run(tt.what, func(t *testing.T) {
			if got := len(tt.rules.lookup().of(tt.name)) > 0; got != tt.want {
				t.Errorf("%q is known: %v", tt.name, got)
			}
		})
	}
}
