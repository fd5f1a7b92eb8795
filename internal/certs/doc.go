// Package certs provides the certificates of the listener. They are either files of the user, which are read again
// when they change, or certificates for localhost that mcpproxy's own certificate authority issues.
//
// Guarantees:
//
//   - [Source.Server] speaks TLS 1.2 and later only.
//   - If a changed file cannot be used, the listener keeps its current certificate.
//   - Only the owner can read the key of mcpproxy's own authority (mode 0600). A critical name constraint in the
//     authority's certificate limits it to localhost and the loopback addresses. So a stolen key cannot be used to
//     impersonate any other host.
//   - [Source.Client] trusts only the listener of the same Source, and no authority of the system.
package certs
