// Package atrest masks personal data in records of the activity log, so that the log at rest holds none of it in the
// clear.
//
// A [Sealer] replaces a value by a placeholder such as "[email:sealed:…]", which carries the value encrypted with a
// key of this installation. The placeholder is a part of the record: the hash chain covers it, and it is removed
// together with the body that it stands in. [Sealer.Open] puts the values back for the owner. [Mask] removes the
// encrypted values, for every other reader: "[email]".
//
// Guarantee: a placeholder opens only in the record for which it was made, and only with the key that made it. One
// that does not open, such as a forged one in a result of a server, stays masked.
package atrest
