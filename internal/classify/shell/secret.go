package shell

import (
	"path"
	"slices"
	"strings"

	"mcpproxy/internal/provider"
)

// knownSecrets lists files with secrets. A pattern such as .e* may match one of them.
var knownSecrets = strings.Fields(
	".env .netrc .npmrc .pypirc .pgpass .git-credentials .vault-token .ssh .aws .gnupg .kube " +
		"id_rsa id_ed25519 id_ecdsa credentials.json secrets.yaml secrets.yml secrets.json secret.txt passwords.txt",
)

// packed are the suffixes that packing or encrypting adds to a file's name.
var packed = strings.Fields(".gz .bz2 .xz .zst .zip .tar .tgz .7z .enc .gpg .asc .b64 .base64 .bak .hex .txt")

// secretParts lists parts of the names of variables that hold secrets.
var secretParts = strings.Fields("key token secret pass pwd pw cred auth sess cookie private dsn conn cert salt sig pin webhook licen url uri")

// mayBeSecret reports whether a variable that a file sets may, by its name, hold a secret. REPOS and REGION hold none.
func mayBeSecret(name string) bool {
	if provider.Variable(name) != nil { // OPENAI
		return true
	}
	name = strings.ToLower(name)
	return slices.ContainsFunc(secretParts, func(w string) bool { return strings.Contains(name, w) })
}

// Paths returns the paths that the file may have: the path itself, the path without the suffixes of packing, and the
// paths that the pattern in its name matches.
func (s Source) Paths() []string {
	if s.Kind != File {
		return nil
	}
	name := s.Name
	if !strings.ContainsAny(name, `/\`) {
		name = "./" + name
	}
	out := []string{name}
	for _, end := range packed {
		if bare, ok := strings.CutSuffix(name, end); ok {
			out = append(out, bare)
		}
	}
	dir, base := path.Split(name)
	if !strings.ContainsAny(base, "*?[") || len(strings.Trim(base, "*?[]")) == 0 {
		return out
	}
	for _, known := range knownSecrets {
		if ok, err := path.Match(base, known); err == nil && ok && (known[0] != '.' || base[0] == '.') {
			out = append(out, dir+known)
		}
	}
	return out
}
