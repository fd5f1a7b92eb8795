// Package value recognises single values of earlier results in later arguments.
//
//	value.go   whole secrets, addresses and accounts; token.go finds them in texts
//	record.go  several values of one record
//	number.go  several numbers of one source
//	shard.go   pieces of a secret, over all calls of a session
//	letters.go the letters of a text, which all other files read
//	pointer.go references: URLs, paths, UUIDs, hashes, dates
//
// [Values] stores hashes and no values. Evidence is measured in bits. The caller decides how many bits are enough.
package value
