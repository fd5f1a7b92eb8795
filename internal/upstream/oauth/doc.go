// Package oauth gets and keeps the tokens for MCP servers that require OAuth 2.1.
//
// An [Account] is the account of one MCP server at its authorization server. [Account.Login] finds
// the authorization server from the MCP server's metadata (RFC 9728 and RFC 8414), registers a
// client if necessary (RFC 7591), sends a person's browser there and receives the result. The
// result is a [Grant], which the [Store] keeps. For connections, an account is an
// [upstream.Credentials]: it returns the token, and renews it before it expires. If only a person
// can help, it names the command to run. [Account.Logout] revokes the token (RFC 7009) and deletes it.
//
// The daemon never opens a browser. A command logs in, and the daemon reads the grant from the store.
//
// Guarantees:
//
//   - A token is sent only to the server that it was issued for. A grant is bound to the server's
//     name and address, the issuer and the client id. If the configuration differs, the grant is
//     ignored.
//   - A response belongs to the login that began: PKCE with S256 is required, and each login has its own
//     state, the discovered issuer (RFC 9207) and the resource (RFC 8707).
//   - Tokens are renewed at the token endpoint of the login. If the MCP server names another
//     authorization server later, no token goes there.
//   - A renewed token is stored before it is used. It never replaces a token that another process has
//     stored meanwhile.
//   - Requests to addresses that the server names use https (except on this machine), follow no
//     redirect to another origin, and read bounded answers. They never reach link-local addresses. If the
//     server is public, they never reach private addresses.
//   - Errors, log lines and the status contain no token, code or secret.
package oauth
