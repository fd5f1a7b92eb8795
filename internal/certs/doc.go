// Package certs has the certificates of the listener: files of the user's, which are read
// again when they change, or certificates for localhost from an authority of mcpproxy's own.
//
// Guarantees: [Source.Server] speaks TLS 1.2 and later only. Files that change into something
// that cannot be used leave the certificate in force that was read before. The own authority's
// key is its owner's alone (mode 0600), and its certificate says, as a critical constraint,
// that it vouches for localhost and this machine's own addresses only: whoever believes it, and
// loses the key to a thief, is deceived about no other host. [Source.Client] believes the one
// listener that it was made for, and never every authority of the system.
package certs
