// Package table holds the memory that data is recognised with: many hashes in few
// bytes, and no data.
//
//	table.go   hashes and short references to what has them
//	likely.go  hints at what a table has, so that most of it is never read
//	public.go  a set that may hold a little more than was put into it
//	sieve.go   a fast look that spares most looks into a table
//	hash.go    hashes of letters, whole and of every stretch of a text
//	store.go   their form on disk, through codec.go
//
// All of them grow with what is put in, a part at a time: none of it stops a call
// for long. What is read from disk may be damaged: it is then refused, and can
// neither lead outside a table nor into a search without end.
package table
