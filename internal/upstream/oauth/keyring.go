package oauth

// Keyring keeps secrets for the user, outside of mcpproxy's files. Get of what is
// not there fails with [mcpproxy/internal/keyring.ErrNotFound].
type Keyring interface {
	Get(name string) (string, error)
	Set(name, secret string) error
	Delete(name string) error
}
