// Package certs provides the certificates of the listener. They are either files of the user,
// which are read again when they change, or certificates for localhost that are issued by a
// certificate authority of mcpproxy's own.
//
// Guarantees:
//
//   - [Source.Server] speaks TLS 1.2 and later only.
//   - If a changed file cannot be used, the listener keeps the certificate that it has.
//   - The key of mcpproxy's own authority is readable by its owner alone (mode 0600). A critical name
//     constraint in the authority's certificate limits it to localhost and the addresses of this
//     machine. So a stolen key cannot be used to impersonate any other host.
//   - [Source.Client] trusts only the listener that it was made for, and no authority of the system.
package certs
