// Package oauthtest is an authorization server and an MCP server behind it, in a process of their own, for tests.
//
// The authorization server is a real one as far as a client can tell: it registers clients, sends browsers back with
// codes, checks that each request fits the earlier ones (PKCE, redirect address, resource, client), rotates refresh
// tokens, and treats a refresh token that is used twice as stolen. Its logins need no person: whoever opens the
// address is logged in. [Behaviour] makes it misbehave.
//
// [Start] starts the test binary again as that process. The binary must call [Main] first.
package oauthtest
