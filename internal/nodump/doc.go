// Package nodump protects the memory of a process that holds keys from other programs of the same user. A server
// without isolation runs as that user: it could read the keys in the memory, or change the decisions of the process.
package nodump
