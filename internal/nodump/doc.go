// Package nodump closes the memory of a process that holds keys to the other programs of the same user. A server
// without isolation runs as that user: it could read the keys there, or change what the process decides.
package nodump
