// Package valkey shares state between the replicas of a gateway, over one Valkey or Redis server
// (version 7 or later, without cluster mode).
//
// Each principal is served by one replica at a time, its owner. [Store.Claim] names the owner of a
// principal, and makes the caller the owner where there is none or the owner is gone.
// [Store.Commit] writes what the owner's sessions have become; it fails unless the caller is the owner
// still. [Store.Load] reads that again. A replica is there for as long as it calls [Store.Beat].
//
// Guarantee: when a Commit has returned, every Claim that begins afterwards either names its
// replica or is answered to a replica that can load what was committed. Each of the three is one
// script on the server, which runs scripts one at a time.
//
// A server that was restarted may have forgotten everything, or the last writes. The first is noticed
// by a mark that all replicas know ([Claim.Wiped]); the second by the epoch that the owner of a
// principal holds, which never goes back: the owner with the highest one wins. After a loss of
// everything no principal is claimed as new for [grace], in which owners come back with what they
// have.
//
// The server learns no principal and no session: names are keyed hashes, and what is kept is sealed
// with AES-256-GCM under the key of the group of replicas. It can refuse to answer and go back to an
// older state; it cannot read or make one.
package valkey
