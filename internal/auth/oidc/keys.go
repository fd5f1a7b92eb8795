package oidc

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"

	"github.com/go-jose/go-jose/v4"
)

// algorithms are the accepted signature algorithms. All are asymmetric.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512,
	jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512,
	jose.EdDSA,
}

// curves are the curves of the ECDSA algorithms.
var curves = map[jose.SignatureAlgorithm]elliptic.Curve{
	jose.ES256: elliptic.P256(),
	jose.ES384: elliptic.P384(),
	jose.ES512: elliptic.P521(),
}

// minRSABits is the size of the smallest accepted RSA key.
const minRSABits = 2048

// maxTried limits the keys that are tried on a token that does not name its key.
const maxTried = 10

// signedBy returns the payload of a token if one of the keys has signed it. A token that names a
// key is checked against that key only.
func signedBy(keys []jose.JSONWebKey, jws *jose.JSONWebSignature) ([]byte, bool) {
	header := jws.Signatures[0].Protected
	tried := 0
	for _, k := range keys {
		if header.KeyID != "" && k.KeyID != header.KeyID || !fits(k, jose.SignatureAlgorithm(header.Algorithm)) {
			continue
		}
		if payload, err := jws.Verify(k.Key); err == nil {
			return payload, true
		}
		if tried++; tried == maxTried {
			break
		}
	}
	return nil, false
}

// fits reports whether a key can be used with an algorithm.
func fits(k jose.JSONWebKey, alg jose.SignatureAlgorithm) bool {
	if k.Algorithm != "" && k.Algorithm != string(alg) {
		return false
	}
	switch key := k.Key.(type) {
	case *rsa.PublicKey:
		return alg[:2] == "RS" || alg[:2] == "PS"
	case *ecdsa.PublicKey:
		return curves[alg] != nil && curves[alg] == key.Curve
	case ed25519.PublicKey:
		return alg == jose.EdDSA
	}
	return false
}

// usable returns the public half of a signing key; ok is false for every other key.
func usable(k jose.JSONWebKey) (public jose.JSONWebKey, ok bool) {
	if k.Use != "" && k.Use != "sig" || !k.Valid() {
		return k, false
	}
	public = k.Public() // the zero value for a symmetric key
	switch key := public.Key.(type) {
	case *rsa.PublicKey:
		return public, key.N.BitLen() >= minRSABits
	case *ecdsa.PublicKey, ed25519.PublicKey:
		return public, true
	}
	return public, false
}
