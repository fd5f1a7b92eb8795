package certs

import "testing"

func FuzzCertificates(f *testing.F) {
	f.Add([]byte("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"))
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		all, err := parseCertificates(raw, "ca.pem")
		if (err == nil) != (len(all) > 0) {
			t.Errorf("%d certificates, and the error is %v", len(all), err)
		}
	})
}
