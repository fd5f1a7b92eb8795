// Package ship sends the activity log of a machine to its company's hub and to a bucket.
//
// A [Shipper] follows the log and sends its records in the order of the chain, sealed as the log has
// them, in batches whose end it signs with the log's key. So the hub can hold every record against the
// machine's signature, and nobody between the two can change, drop or insert one.
//
// Each record is sent at least once: the cursor, a file in the data folder, moves after the hub has
// confirmed a batch, and the hub stores no record twice. While the hub cannot be reached, the records
// stay in the log; retention spares them up to a bound on disk ([Shipper.Unsent]). If it removes some
// that were not sent, the shipper writes a gap record into the log that says how many, and tells the
// hub where the chain goes on.
//
// An [Uploader] sends the same records to a bucket of an S3-compatible store, as objects with one record a line. It
// has a cursor of its own.
//
// Every request to a hub carries its time in microseconds, which grows from request to request, and a signature
// of path, time and body. The hub refuses a request that is old or that it has seen.
package ship
