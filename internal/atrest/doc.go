// Package atrest masks personal data in the records of the activity log, so that the stored log does not contain it in
// plain text.
//
// A [Sealer] replaces a value with a placeholder such as "[email:sealed:…]", which contains the value encrypted with
// a key of this installation. The placeholder is part of the record: the hash chain covers it, and retention removes
// it together with its body. [Sealer.Open] restores the values for the owner. For every other reader, [Mask] removes
// the encrypted values: "[email]".
//
// Guarantee: a placeholder can only be opened in the record for which it was made, and only with the key that made it.
// Any other placeholder, such as a forged one in a server's result, stays masked.
package atrest
