package main

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// statementType is the media type of an in-toto statement in a signed envelope.
const statementType = "application/vnd.in-toto+json"

// provenance writes a statement about how the results were made: an in-toto statement (in-toto.io/Statement/v1) with
// an SLSA predicate (slsa.dev/provenance/v1). If there is a key, it also writes the statement in a signed envelope.
// Without a signature, nothing proves who made the statement.
func (r *release) provenance() error {
	digests, err := r.digests()
	if err != nil {
		return err
	}
	var subject []map[string]any
	for _, name := range slices.Sorted(maps.Keys(digests)) {
		subject = append(subject, map[string]any{"name": name, "digest": map[string]string{"sha256": digests[name]}})
	}
	goSum, err := os.ReadFile(filepath.Join(r.root, "go.sum"))
	if err != nil {
		return err
	}
	source := map[string]any{"uri": "git+commit:" + r.commit, "digest": map[string]string{"gitCommit": r.commit}}
	statement, err := json.MarshalIndent(map[string]any{
		"_type":         "https://in-toto.io/Statement/v1",
		"subject":       subject,
		"predicateType": "https://slsa.dev/provenance/v1",
		"predicate": map[string]any{
			"buildDefinition": map[string]any{
				"buildType":            "urn:mcpproxy:make-release:v1",
				"externalParameters":   map[string]string{"version": r.version, "releases": r.base},
				"internalParameters":   map[string]any{"go": runtime.Version(), "flags": r.flags("MODULE")},
				"resolvedDependencies": append([]map[string]any{source}, requirements(goSum)...),
			},
			"runDetails": map[string]any{"builder": map[string]string{"id": "urn:mcpproxy:builder:make"}},
		},
	}, "", "  ")
	if err != nil {
		return err
	}
	if err := r.write("provenance.intoto.json", append(statement, '\n')); err != nil {
		return err
	}
	if r.key == "" {
		fmt.Println("THE PROVENANCE IS NOT SIGNED: give a key with KEY=FILE")
		return nil
	}
	envelope, err := sign(r.key, append(statement, '\n'))
	if err != nil {
		return err
	}
	return r.write("provenance.dsse.json", append(envelope, '\n'))
}

// sign returns a statement in an envelope (DSSE 1.0), signed with the key in a file.
func sign(file string, statement []byte) ([]byte, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, fmt.Errorf("%s holds no key in PEM; make one with: openssl genpkey -algorithm ed25519", file)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("reading the key in %s: %w", file, err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("the key must be an Ed25519 key; make one with: openssl genpkey -algorithm ed25519")
	}
	signature := ed25519.Sign(key, preAuthentication(statement))
	return json.MarshalIndent(map[string]any{
		"payloadType": statementType,
		"payload":     base64.StdEncoding.EncodeToString(statement),
		"signatures":  []map[string]string{{"sig": base64.StdEncoding.EncodeToString(signature)}},
	}, "", "  ")
}

// preAuthentication returns the bytes that are signed: the type and the statement, each with its length.
func preAuthentication(statement []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(statementType), statementType, len(statement), statement)
}
