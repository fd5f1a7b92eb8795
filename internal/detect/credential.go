package detect

// uuid is the RE2 syntax of a UUID of any version.
const uuid = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

// secretWords are words for secrets that follow the name of a service.
var secretWords = []string{"key", "token", "secret", "auth", "pass", "cred", "access"}

// labels are words in the names of values that look random and are not secret.
var labels = []string{
	"commit", "checksum", "sha1", "sha256", "sha512", "md5", "digest", "etag", "revision", "integrity", "fingerprint",
	"publickey", "pubkey", "publishable", "apiurl", "baseurl", "version", "cachekey", "filehash", "contenthash",
}

// hasDigit reports whether value contains a digit. Most random values do; most words and names do not.
func hasDigit(value string) bool {
	for i := 0; i < len(value); i++ {
		if isDigit(value[i]) {
			return true
		}
	}
	return false
}

// isMixed reports whether value contains digits and letters of both cases, as nearly all long random values of these
// 62 characters do.
func isMixed(value string) bool {
	lower, upper := false, false
	for i := 0; i < len(value); i++ {
		lower = lower || value[i] >= 'a' && value[i] <= 'z'
		upper = upper || value[i] >= 'A' && value[i] <= 'Z'
	}
	return lower && upper && hasDigit(value)
}
