// Package bind finds the hosts to which a document binds a secret. These are the host of the URL that contains the
// secret, the host that is named on the secret's line in .netrc, .npmrc, .pgpass or a connection string, and the host
// in a setting beside the secret whose name has the same beginning (ACME_API_KEY and ACME_API_URL, password and host).
//
//	hosts := bind.New(doc).Hosts(span)
//
// Guarantee: a text is read once for all its secrets, in time linear in its length, and at most eight hosts are found
// for one secret. The package does not know who wrote a document, so callers must not ask about documents that
// strangers may have written.
package bind
