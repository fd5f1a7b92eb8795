// Package bind finds the hosts that a document binds a secret to: the host of the URL that it
// stands in, of its line in .netrc, .npmrc, .pgpass or a connection string, and of a setting
// that stands beside it under the same name (ACME_API_KEY beside ACME_API_URL, password beside
// host).
//
//	hosts := bind.Hosts(doc, span)
//
// The guarantee: a text is read once for all its secrets, in time linear in its length, and
// at most eight hosts are found for one secret. The package does not know who wrote a
// document: its callers do not ask about what strangers have written.
package bind
