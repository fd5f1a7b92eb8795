// Package certstest makes certificates for tests: an authority, and certificates that it issues.
package certstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority issues certificates and writes them into files of a test's folder.
type Authority struct {
	File string // PEM file of its certificate

	t    *testing.T
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

// New makes an authority.
func New(t *testing.T) *Authority {
	t.Helper()
	a := &Authority{
		t:    t,
		File: filepath.Join(t.TempDir(), "ca.pem"),
		cert: &x509.Certificate{
			Subject:               pkix.Name{CommonName: "an authority for tests"},
			NotBefore:             time.Now().Add(-time.Hour),
			NotAfter:              time.Now().Add(time.Hour),
			IsCA:                  true,
			BasicConstraintsValid: true,
			KeyUsage:              x509.KeyUsageCertSign,
		},
	}
	var der []byte
	a.key, der = a.sign(a.cert, a.cert, nil)
	write(t, a.File, "CERTIFICATE", der)
	var err error
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return a
}

// Server issues a certificate with the given names for a listener at 127.0.0.1.
func (a *Authority) Server(names ...string) (certFile, keyFile string) {
	a.t.Helper()
	return a.issue(&x509.Certificate{
		DNSNames:    names,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

// Client issues a certificate with the given names for a client. It is valid until expires or, if that is zero, as
// long as its authority.
func (a *Authority) Client(expires time.Time, names ...string) tls.Certificate {
	a.t.Helper()
	certFile, keyFile := a.issue(&x509.Certificate{
		DNSNames:    names,
		NotAfter:    expires,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		a.t.Fatal(err)
	}
	return pair
}

func (a *Authority) issue(template *x509.Certificate) (certFile, keyFile string) {
	a.t.Helper()
	dir := a.t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if template.NotBefore = a.cert.NotBefore; template.NotAfter.IsZero() {
		template.NotAfter = a.cert.NotAfter
	}
	key, der := a.sign(template, a.cert, a.key)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	write(a.t, certFile, "CERTIFICATE", der)
	write(a.t, keyFile, "PRIVATE KEY", secret)
	return certFile, keyFile
}

// sign makes a key, and a certificate for it that the parent signs. Without a parent's key, the certificate signs
// itself.
func (a *Authority) sign(template, parent *x509.Certificate, by *ecdsa.PrivateKey) (*ecdsa.PrivateKey, []byte) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	if by == nil {
		by = key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), by)
	if err != nil {
		a.t.Fatal(err)
	}
	return key, der
}

func write(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}
