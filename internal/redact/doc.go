// Package redact reduces a server's error to what an agent may read.
//
// An agent needs an error to correct its call: which field is missing, which name was meant, what was not found. It
// does not need internals of the server: where its files are, to which addresses it connects, with which password,
// and which functions raised the error. The package therefore removes the internals and keeps the rest of the error:
//
//   - credentials → [credential]
//   - URLs → [url]. URLs of a server's own resources, such as notes://today, stay
//     unless they contain an internal host or a user.
//   - IP addresses with ports or of private networks, internal hosts, and hosts to which a
//     connection was made → [address]
//   - absolute paths → [path]; relative ones stay
//   - stack traces of Python, Java, Node, Go, .NET, Ruby, PHP, Rust and similar languages,
//     and the causes of errors → nothing, or [trace] if nothing else remains. The message
//     above them (in Python: below them) stays.
//
// The names of tools, versions, and JSON pointers into the arguments stay. Everything that the agent itself has sent
// stays, except credentials.
//
// Guarantees: the text never grows; redacting twice has the same result as redacting once; the time is linear in the
// length of the text. The package imports no other package of the module.
package redact
