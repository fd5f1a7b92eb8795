// Package frame is what the host of code mode and its worker say to each other,
// over two pipes.
//
// A frame is a length (four bytes, big-endian, of what follows), a kind (one
// byte), an id (eight bytes, big-endian) and a body. Bodies are JSON, or plain
// text where their kind says so.
//
// The guarantee: a reader never takes more memory than its limit and what has
// really arrived, whatever a length claims; a frame is read whole or not at all.
package frame
