// Package table stores hashes in little memory. Package match recognises data by these hashes. The data itself is not
// stored.
//
//	table.go   hashes with short references to their sources
//	likely.go  hints about a table's entries, so that most lookups need not read it
//	public.go  a set that may contain a few more hashes than were added
//	sieve.go   a quick check that avoids most lookups in a table
//	hash.go    hashes of letters, of a whole text and of every stretch
//	store.go   the format of all these on disk, by codec.go
//
// All structures grow in parts, so that growing never blocks a call for long. Damaged data from disk is refused: it
// leads neither to an access outside a table nor to an endless search.
package table
