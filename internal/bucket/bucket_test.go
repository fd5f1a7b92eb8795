package bucket

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestSignaturesMatchAmazonsManual signs the two requests whose signatures Amazon's manual shows ("Signature
// Calculations for the Authorization Header").
func TestSignaturesMatchAmazonsManual(t *testing.T) {
	c := Credentials{ID: "AKIAIOSFODNN7EXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
	now := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	for name, example := range map[string]struct {
		method, key, body, signature string
		header                       map[string]string
	}{
		"get an object": {
			method:    http.MethodGet,
			key:       "/test.txt",
			header:    map[string]string{"Range": "bytes=0-9"},
			signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
		},
		"put an object": {
			method:    http.MethodPut,
			key:       "/test$file.text",
			body:      "Welcome to Amazon S3.",
			header:    map[string]string{"Date": "Fri, 24 May 2013 00:00:00 GMT", "X-Amz-Storage-Class": "REDUCED_REDUNDANCY"},
			signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
		},
	} {
		o := Object{Bucket: "examplebucket", Key: example.key[1:]}
		u, err := o.URL()
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequest(example.method, u.String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "examplebucket.s3.amazonaws.com"
		for name, value := range example.header {
			r.Header.Set(name, value)
		}
		c.Sign(r, "", []byte(example.body), now)
		if got := r.Header.Get("Authorization"); !strings.HasSuffix(got, "Signature="+example.signature) {
			t.Errorf("%s: %s, want the signature %s", name, got, example.signature)
		}
	}
}

func TestTheURLOfAnObject(t *testing.T) {
	for address, want := range map[string]string{
		"s3://acme/bundle.json":     "https://acme.s3.eu-central-1.amazonaws.com/bundle.json",
		"s3://acme/a b/ä+$.json":    "https://acme.s3.eu-central-1.amazonaws.com/a%20b/%C3%A4%2B%24.json",
		"s3://acme":                 "https://acme.s3.eu-central-1.amazonaws.com/",
		"s3://Acme/bundle.json":     "",
		"s3://acme@evil/b":          "",
		"s3://acme:80/b":            "",
		"s3:///bundle.json":         "",
		"s3://acme/../other/b":      "",
		"s3://acme/x/./b":           "",
		"https://acme/bundle.json":  "",
		"s3://acme.example?x=1/key": "",
	} {
		o, err := Parse(address)
		if (err == nil) != (want != "") {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if err != nil {
			continue
		}
		o.Region = "eu-central-1"
		u, err := o.URL()
		if err != nil || u.String() != want {
			t.Errorf("%s is at %v (%v), want %s", address, u, err, want)
		}
	}
	o := Object{Bucket: "acme", Key: "b.json", Endpoint: "https://minio.example:9000/"}
	if u, err := o.URL(); err != nil || u.String() != "https://minio.example:9000/acme/b.json" {
		t.Errorf("an object in a store other than AWS: %v, %v", u, err)
	}
	o.Endpoint = "minio"
	if u, err := o.URL(); err == nil {
		t.Errorf("an endpoint that is not a URL: %v", u)
	}
}

func TestWithoutCredentialsNothingIsSigned(t *testing.T) {
	r, err := http.NewRequest(http.MethodGet, "https://acme.example/b", nil)
	if err != nil {
		t.Fatal(err)
	}
	Credentials{}.Sign(r, "", nil, time.Now())
	if len(r.Header) != 0 {
		t.Errorf("the request has %v", r.Header)
	}
}
