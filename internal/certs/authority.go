package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mcpproxy/internal/atomicfile"
)

const (
	authorityLife = 10 * 365 * 24 * time.Hour
	leafLife      = 90 * 24 * time.Hour
	renewBefore   = 30 * 24 * time.Hour // a certificate with less time left is replaced
	skew          = time.Hour           // tolerated difference between clocks
)

// localNames are the host names for which mcpproxy's own authority issues certificates.
var localNames = []string{"localhost"}

// keyPath returns the path of the private key of mcpproxy's own authority.
func (s Source) keyPath() string { return filepath.Join(s.Folder, "tls", "ca-key.pem") }

// makeAuthority creates mcpproxy's own authority, unless one exists that is valid for another year.
func (s Source) makeAuthority() error {
	old, err := readPair(s.AuthorityPath(), s.keyPath())
	switch {
	case err == nil && time.Until(old.Leaf.NotAfter) > 365*24*time.Hour:
		return atomicfile.CheckWriters(s.keyPath())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("mcpproxy's own authority: %w; remove the folder %s, and a new one is made",
			err, filepath.Dir(s.keyPath()))
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("making a key: %w", err)
	}
	host, _ := os.Hostname() // only distinguishes the authorities of several machines in a browser's list
	now := time.Now()
	template := &x509.Certificate{
		Subject:                     pkix.Name{CommonName: "mcpproxy on " + host + ", for localhost only"},
		NotBefore:                   now.Add(-skew),
		NotAfter:                    now.Add(authorityLife),
		IsCA:                        true,
		BasicConstraintsValid:       true,
		MaxPathLenZero:              true,
		KeyUsage:                    x509.KeyUsageCertSign,
		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         localNames,
		PermittedIPRanges: []*net.IPNet{
			{IP: net.IPv4(127, 0, 0, 0).To4(), Mask: net.CIDRMask(8, 32)},
			{IP: net.IPv6loopback, Mask: net.CIDRMask(128, 128)},
		},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return fmt.Errorf("making a certificate: %w", err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("writing a key: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(s.keyPath()), 0o700); err != nil {
		return fmt.Errorf("making the folder of mcpproxy's own authority: %w", err)
	}
	// Write the key first: a certificate without a key would look like a damaged pair.
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	if err := atomicfile.WriteBytes(s.keyPath(), 0o600, keyPEM); err != nil {
		return fmt.Errorf("saving mcpproxy's own authority: %w", err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := atomicfile.WriteBytes(s.AuthorityPath(), 0o600, certPEM); err != nil {
		return fmt.Errorf("saving mcpproxy's own authority: %w", err)
	}
	return nil
}

// localLeaf is the listener's certificate, issued by mcpproxy's own authority. It is kept in memory and replaced
// before it expires.
type localLeaf struct {
	mu  sync.Mutex
	now *tls.Certificate
}

func (l *localLeaf) get(s Source) (*tls.Certificate, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now != nil && time.Until(l.now.Leaf.NotAfter) > renewBefore {
		return l.now, nil
	}
	made, err := s.issue()
	if err != nil {
		return nil, err
	}
	l.now = made
	return made, nil
}

// issue issues a certificate for localhost.
func (s Source) issue() (*tls.Certificate, error) {
	authority, err := readPair(s.AuthorityPath(), s.keyPath())
	if err != nil {
		return nil, fmt.Errorf("mcpproxy's own authority: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "mcpproxy"},
		NotBefore:   now.Add(-skew),
		NotAfter:    now.Add(leafLife),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    localNames,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority.Leaf, key.Public(), authority.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate that was made: %w", err)
	}
	return &tls.Certificate{
		Certificate: [][]byte{der, authority.Certificate[0]},
		PrivateKey:  key,
		Leaf:        leaf,
	}, nil
}
