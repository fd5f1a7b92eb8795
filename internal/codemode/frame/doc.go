// Package frame is the protocol between the host of code mode and its worker, over two pipes.
//
// A frame is a length (four bytes, big-endian, of the rest), a kind (one byte), an id (eight bytes,
// big-endian) and a body. Bodies are JSON, or plain text for some kinds.
//
// Guarantee: a reader never allocates more memory than its limit or than the bytes that have
// arrived, whatever the length field says; a frame is read whole or not at all.
package frame
