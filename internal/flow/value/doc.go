// Package value recognises single values of earlier results in later arguments.
//
//	value.go   whole secrets, addresses and accounts; token.go finds them in texts
//	record.go  several values of one record
//	number.go  several numbers of one source
//	shard.go   pieces of a secret, over all calls of a session
//	letters.go the letters of a text, for all ways of recognising
//	pointer.go references: URLs, paths, UUIDs, hashes, dates
//
// [Values] stores hashes and no values. Evidence is measured in bits; the caller decides how many are enough.
package value
