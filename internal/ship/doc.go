// Package ship sends the activity log of a machine to its company's hub and to a bucket.
//
// A [Shipper] follows the log and sends its sealed records in the order of the chain. It sends them in
// batches and signs the last hash of each batch with the log's key. So the hub can verify every
// record, and nobody between the machine and the hub can change, drop or insert one.
//
// Each record is sent at least once: the cursor, a file in the data folder, moves after the hub has
// confirmed a batch, and the hub stores no record twice. While the hub cannot be reached, the records
// stay in the log; retention keeps them while the log is smaller than a limit ([UnsentOf]). If
// retention removes records that were not sent, the shipper writes a gap record with their number
// into the log, and tells the hub where the chain continues.
//
// An [Uploader] sends the same records to a bucket of an S3-compatible store, as objects with one record a line. It
// has a cursor of its own.
//
// Every request to a hub carries its time in microseconds, which grows from request to request, and a signature
// of path, time and body. The hub refuses requests that are too old and requests that it has already
// received.
package ship
