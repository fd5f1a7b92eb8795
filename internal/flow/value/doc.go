// Package value recognises single values of earlier results in later arguments.
//
//	value.go   secrets whole, addresses and accounts; token.go finds them in texts
//	record.go  several values of one record
//	number.go  several numbers of one source
//	shard.go   pieces of a secret, over all calls of a session
//	letters.go the letters of a text, which all ways of recognising share
//	pointer.go what only points at something: URLs, paths, UUIDs, hashes, dates
//
// [Values] keeps hashes and no values. Evidence is in bits; whoever asks decides how
// many are enough.
package value
