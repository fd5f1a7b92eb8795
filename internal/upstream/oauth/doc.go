// Package oauth gets and keeps the tokens for MCP servers that want OAuth 2.1.
//
// An [Account] is one server's standing with its authorization server.
// [Account.Login] finds that server from what the MCP server says (RFC 9728 and
// 8414), registers there where nobody has (RFC 7591), sends a person's browser
// there and takes what it brings back; the result, a [Grant], goes into the
// [Store]. To the connections an account is [upstream.Credentials]: it hands out
// the token, renews it before it expires, and says which command to run when only
// a person can help. [Account.Logout] revokes (RFC 7009) and forgets.
//
// The daemon never opens a browser: logging in is a command's work, and the store
// is where the two meet.
//
// Guarantees:
//
//   - A token is sent to the server that it was made for and to no other. A grant
//     is bound to the server's name and address, its issuer and the client id; when
//     the configuration says another, the grant is as good as absent.
//   - A login is bound to its beginning: PKCE with S256 or nothing, a state of its
//     own, the issuer that was found (RFC 9207), the resource (RFC 8707).
//   - Renewing talks to the token endpoint of the login. What the MCP server says
//     later about its authorization server leads no token anywhere.
//   - A renewed token is kept before it is used, and never takes the place of what
//     another process has put there meanwhile.
//   - Where the server's words lead, requests go over https (this machine excepted),
//     follow no redirect to another origin, read bounded answers, and reach neither
//     addresses of the local link nor, from a public server, private ones.
//   - No token, code or secret stands in an error, a log line or a status.
package oauth
