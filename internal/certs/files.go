package certs

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// readPair reads a certificate and its key.
func readPair(certFile, keyFile string) (*tls.Certificate, error) {
	cert, err := os.ReadFile(certFile)
	if err != nil {
		return nil, fmt.Errorf("tls.cert: %w", err)
	}
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, fmt.Errorf("tls.key: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("tls.cert %s and tls.key %s cannot be used: %w", certFile, keyFile, err)
	}
	return &pair, nil
}

// readPool reads a file with the certificates of authorities.
func readPool(path string) (*x509.CertPool, error) {
	all, err := readCertificates(path)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	for _, c := range all {
		pool.AddCert(c)
	}
	return pool, nil
}

// readCertificates reads a PEM file with at least one certificate.
func readCertificates(path string) ([]*x509.Certificate, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the certificate %s does not exist", path)
	}
	if err != nil {
		return nil, fmt.Errorf("reading certificates: %w", err)
	}
	return parseCertificates(raw, path)
}

// parseCertificates returns the certificates in the content of a PEM file.
func parseCertificates(raw []byte, path string) ([]*x509.Certificate, error) {
	var out []*x509.Certificate
	for {
		var block *pem.Block
		if block, raw = pem.Decode(raw); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("reading the certificates in %s: %w", path, err)
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no certificate in the PEM form (-----BEGIN CERTIFICATE-----)", path)
	}
	return out, nil
}
