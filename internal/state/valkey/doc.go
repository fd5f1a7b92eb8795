// Package valkey shares session state between the replicas of a gateway. It uses one Valkey or Redis
// server (version 7 or later, without cluster mode).
//
// At any time, one replica owns a principal. [Store.Claim] returns the owner. If the principal has no
// owner, or its owner has stopped, the caller becomes the owner. [Store.Commit] writes what has changed
// in the sessions of a principal; it fails unless the caller still owns the principal. [Store.Load] reads the
// sessions. A replica counts as running as long as it calls [Store.Beat].
//
// Guarantee: every Claim that begins after a Commit has returned either names the replica that
// committed, or makes its caller the owner, which can then load the committed sessions. Claim, Commit
// and Beat are one script each, and the server runs scripts one at a time.
//
// A server that restarts may have lost all its data or its last writes. Replicas detect the loss of all
// data by a random mark on the server, which then differs from the one that they know ([Wiped]). They
// detect the loss of the last writes by the epoch of a principal, which grows with each new owner: the
// replica with the highest epoch stays the owner. A commit names the revision that it changes, so that it
// notices if the server has lost earlier commits ([ErrStale]). After the loss of all data, the server accepts no new
// principal for the time [grace], in which the former owners claim their principals again.
//
// The server cannot read the names of principals and sessions, which are keyed hashes, or their content,
// which is encrypted with AES-256-GCM under the key of the group. It can see which parts of a
// principal's sessions stay the same from one commit to the next. An attacker on the server can withhold
// the state or restore an older one, but cannot read or forge one.
package valkey
