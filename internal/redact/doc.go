// Package redact makes of a server's error what an agent may read of it.
//
// An agent needs an error to correct itself: which field is missing, which name was
// meant, what was not found. It does not need where the server keeps its files, which
// addresses it talks to, with which password, and through which functions the error
// came. So an error is not replaced; what gives the inside away is cut out of it:
//
//   - credentials → [credential]
//   - URLs → [url]; those of a server's own resources, such as notes://today, stay
//     while they name neither a host of the inside nor a user
//   - IP addresses with ports, those of private networks, and hosts that are dialed or of the inside → [address]
//   - paths of the host → [path]; relative ones stay
//   - stack traces of Python, Java, Node, Go, .NET, Ruby, PHP, Rust and others like them, and what caused
//     what → nothing, or [trace] where there is nothing else; the message above (in Python: below) them stays
//
// The names of tools, versions and JSON pointers into the arguments stay.
// What the agent itself has sent is not news to it and stays, except credentials.
//
// Guarantees: the text never grows; redacting twice is redacting once; the time is
// linear in the text. The room takes text and returns text; it knows no other room.
package redact
