package certs_test

import (
	"crypto/tls"
	"os"
	"testing"
	"time"

	"mcpproxy/internal/certs"
	"mcpproxy/internal/certs/certstest"
)

func TestClientCertificatesAreCheckedByTheListener(t *testing.T) {
	server, company := certstest.New(t), certstest.New(t)
	stranger := certstest.New(t)
	certFile, keyFile := server.Server("localhost")
	serverKind, serverKey := company.Server("localhost")
	forServers, err := tls.LoadX509KeyPair(serverKind, serverKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		certificates       []tls.Certificate
		required, optional bool // whether the connection is accepted
	}{
		"a certificate of the company":  {[]tls.Certificate{company.Client(time.Time{}, "ci")}, true, true},
		"no certificate":                {nil, false, true},
		"one of another authority":      {[]tls.Certificate{stranger.Client(time.Time{}, "ci")}, false, false},
		"one of the server's authority": {[]tls.Certificate{server.Client(time.Time{}, "ci")}, false, false},
		"an expired one":                {[]tls.Certificate{company.Client(time.Now().Add(-time.Minute), "ci")}, false, false},
		"one that is for servers":       {[]tls.Certificate{forServers}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			for optional, want := range map[bool]bool{false: c.required, true: c.optional} {
				address := serve(t, certs.Source{
					CertFile:       certFile,
					KeyFile:        keyFile,
					ClientCA:       company.File,
					ClientOptional: optional,
				})
				settings := believing(t, server.File)
				// Go clients omit a certificate whose authority is not in the server's list.
				settings.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
					if len(c.certificates) == 0 {
						return &tls.Certificate{}, nil
					}
					return &c.certificates[0], nil
				}
				if _, err := ask(t, settings, address); (err == nil) != want {
					t.Errorf("optional %t: the error is %v", optional, err)
				}
			}
		})
	}
}

func TestAChangedAuthorityOfClientsCountsFromTheNextConnectionOn(t *testing.T) {
	server := certstest.New(t)
	first, second := certstest.New(t), certstest.New(t)
	certFile, keyFile := server.Server("localhost")
	address := serve(t, certs.Source{CertFile: certFile, KeyFile: keyFile, ClientCA: first.File})
	settings := believing(t, server.File)
	settings.Certificates = []tls.Certificate{first.Client(time.Time{}, "ci")}
	settings.ClientSessionCache = tls.NewLRUClientSessionCache(8) // to resume a session, if the listener lets it
	for range 2 {
		if _, err := ask(t, settings, address); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(second.File)
	if err != nil {
		t.Fatal(err)
	}
	replace(t, first.File, string(raw))
	if _, err := ask(t, settings, address); err == nil {
		t.Error("a certificate of the authority before is still accepted")
	}
	replace(t, first.File, "damaged")
	settings.Certificates = []tls.Certificate{second.Client(time.Time{}, "ci")}
	if _, err := ask(t, settings, address); err != nil {
		t.Errorf("a damaged file has taken away the authority in force: %v", err)
	}
}

func TestAFileOfAuthoritiesThatCannotBeUsedEndsTheStart(t *testing.T) {
	certFile, keyFile := certstest.New(t).Server("localhost")
	for _, file := range []string{"/nowhere/ca.pem", keyFile} {
		s := certs.Source{CertFile: certFile, KeyFile: keyFile, ClientCA: file}
		if _, err := s.Server(); err == nil {
			t.Errorf("%s is accepted as a file of authorities", file)
		}
	}
}
