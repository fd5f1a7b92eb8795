package fetch

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcpproxy/internal/bucket"
	"mcpproxy/internal/bundle"
)

// managed returns a managed machine that fetches its bundles from a source.
func managed(t *testing.T, source string) *bundle.Managed {
	t.Helper()
	key, err := bundle.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	m, err := bundle.ParseManaged([]byte(fmt.Sprintf(`{"source": %q, "public_keys": [%q], "on_expiry": "keep"}`, source, key.Public())))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAFileAndAFolderAreRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, bundle.FileName)
	if err := os.WriteFile(file, []byte("signed"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{dir, file} {
		if raw, err := new(Source).Get(t.Context(), managed(t, source)); err != nil || string(raw) != "signed" {
			t.Errorf("%s: got %q, %v", source, raw, err)
		}
	}
	if err := os.WriteFile(file, make([]byte, bundle.MaxSize+1), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{dir, filepath.Join(dir, "none.json"), os.DevNull} {
		if _, err := new(Source).Get(t.Context(), managed(t, source)); err == nil {
			t.Errorf("%s is read", source)
		}
	}
}

func TestAnUnchangedBundleIsNotDownloadedAgain(t *testing.T) {
	sent := 0
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		sent++
		fmt.Fprint(w, "signed")
	}))
	defer srv.Close()
	s := &Source{Client: srv.Client()}
	for range 3 {
		if raw, err := s.Get(t.Context(), managed(t, srv.URL+"/bundle.json?signature=s3cret")); err != nil || string(raw) != "signed" {
			t.Fatalf("got %q, %v", raw, err)
		}
	}
	if sent != 1 {
		t.Errorf("it was sent %d times", sent)
	}
	if raw, err := s.Get(t.Context(), managed(t, srv.URL+"/other.json")); err != nil || string(raw) != "signed" || sent != 2 {
		t.Errorf("from another address: got %q, %v", raw, err)
	}
}

func TestErrorsOfBadAnswersDoNotQuoteTheAddress(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			for range bundle.MaxSize/(1<<16) + 1 {
				_, _ = w.Write(make([]byte, 1<<16))
			}
		case "/cut":
			w.Header().Set("Content-Length", "10")
			fmt.Fprint(w, "half")
		case "/plain":
			http.Redirect(w, r, "http://files.example/bundle.json", http.StatusFound)
		case "/circle":
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
		case "/unchanged":
			w.WriteHeader(http.StatusNotModified)
		default:
			http.NotFound(w, r)
		}
	}))
	defer srv.Close()
	for path, want := range map[string]string{
		"/none":      "404",
		"/large":     "larger than 4 MB",
		"/cut":       "unexpected EOF",
		"/plain":     "which is not https",
		"/circle":    "redirects too often",
		"/unchanged": "was never fetched before",
	} {
		s := &Source{Client: srv.Client()}
		_, err := s.Get(t.Context(), managed(t, srv.URL+path+"?signature=s3cret"))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the error is %v, want %q", path, err, want)
		}
	}
	_, err := new(Source).Get(t.Context(), managed(t, srv.URL+"/none?signature=s3cret"))
	if err == nil || !strings.Contains(err.Error(), "certificate") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a server with an untrusted certificate: %v", err)
	}
}

// store returns a stand-in for an S3-compatible store with one object, which only the user AKID may read.
func store(t *testing.T, content string) *httptest.Server {
	user := bucket.Credentials{ID: "AKID", Secret: "s3cret", Session: "for an hour"}
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
		if err != nil || time.Since(at).Abs() > 15*time.Minute {
			http.Error(w, "RequestTimeTooSkewed", http.StatusForbidden)
			return
		}
		same := r.Clone(r.Context())
		user.Sign(same, "eu-central-1", nil, at)
		switch {
		case same.Header.Get("Authorization") != r.Header.Get("Authorization"):
			http.Error(w, "SignatureDoesNotMatch", http.StatusForbidden)
		case r.URL.Path == "/away/policy/bundle.json":
			http.Redirect(w, r, "https://elsewhere.example/policy/bundle.json", http.StatusTemporaryRedirect)
		case r.URL.Path != "/acme/a policy/bundle.json":
			http.Error(w, "NoSuchKey", http.StatusNotFound)
		default:
			fmt.Fprint(w, content)
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

func TestABundleComesFromABucket(t *testing.T) {
	srv := store(t, "signed")
	t.Setenv("AWS_ACCESS_KEY_ID", "AKID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
	t.Setenv("AWS_SESSION_TOKEN", "for an hour")
	get := func(source string) (string, error) {
		m := managed(t, source)
		m.S3 = bundle.Store{Endpoint: srv.URL, Region: "eu-central-1"}
		raw, err := (&Source{Client: srv.Client()}).Get(t.Context(), m)
		return string(raw), err
	}
	for _, source := range []string{"s3://acme/a policy/bundle.json", "s3://acme/a policy/"} {
		if raw, err := get(source); err != nil || raw != "signed" {
			t.Errorf("%s: got %q, %v", source, raw, err)
		}
	}
	if _, err := get("s3://acme/other.json"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a missing object: %v", err)
	}
	if _, err := get("s3://away/policy/"); err == nil || !strings.Contains(err.Error(), "set s3.region") {
		t.Errorf("a store that redirects: %v", err)
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "another")
	if _, err := get("s3://acme/a policy/"); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("with a wrong secret: %v", err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	if _, err := get("s3://acme/a policy/"); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("without credentials: %v", err)
	}
}

func TestTheAddressOfABucketIsValidated(t *testing.T) {
	for text, want := range map[string]string{
		`"source": "s3://acme/bundle.json"`:                                                "",
		`"source": "s3://acme/b", "s3": {"endpoint": "https://minio.example"}`:             "",
		`"source": "s3://acme/b", "s3": {"endpoint": "http://minio.example"}`:              "s3.endpoint: an https address is needed",
		`"source": "s3://ACME/b"`:                                                          "must look like s3://bucket",
		`"source": "ftp://acme/b"`:                                                         "an https or s3 address",
		`"source": "s3://acme/b", "s3": {"endpoint": "https://minio.example", "key": "x"}`: "key",
	} {
		key, err := bundle.NewKey()
		if err != nil {
			t.Fatal(err)
		}
		_, err = bundle.ParseManaged([]byte(fmt.Sprintf(`{%s, "public_keys": [%q], "on_expiry": "keep"}`, text, key.Public())))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
