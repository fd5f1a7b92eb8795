package oauth

// Keyring stores secrets for the user, outside mcpproxy's files. Get fails with
// [mcpproxy/internal/keyring.ErrNotFound] if there is no such secret.
type Keyring interface {
	Get(name string) (string, error)
	Set(name, secret string) error
	Delete(name string) error
}
