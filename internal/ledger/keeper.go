package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"mcpproxy/internal/atomicfile"
)

// HeadsEvery is how far the heads file may lag behind a log that grows.
const HeadsEvery = time.Second

// HeadKeeper writes the heads file. Whoever has the log open for writing has the one
// keeper of its folder. It is safe for concurrent use.
type HeadKeeper struct {
	path   string
	signer *Signer
	// Lost says why the file that should have been there told nothing; nil when it did.
	Lost error

	disk sync.Mutex // held while the file is written; taken before mu

	mu     sync.Mutex
	heads  Heads
	timer  *time.Timer // until the next write; nil when nothing is to be written
	closed bool
}

// OpenHeads reads the heads file at path, to write it from now on with Save.
func OpenHeads(path string, signer *Signer) (*HeadKeeper, error) {
	if err := atomicfile.Sweep(path); err != nil {
		return nil, fmt.Errorf("the heads of the activity log: %w", err)
	}
	k := &HeadKeeper{path: path, signer: signer}
	heads, err := ReadHeads(path, signer.Keys())
	switch {
	case err == nil:
		k.heads = *heads
	case errors.Is(err, ErrNoHeads), errors.Is(err, ErrForeignHeads):
		k.Lost = err
	default:
		return nil, err
	}
	if k.heads.Files == nil {
		k.heads.Files = map[string]FileHead{}
	}
	return k, nil
}

// Heads is what the file says, or will say with the next write.
func (k *HeadKeeper) Heads() Heads {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.heads
	h.Files = maps.Clone(h.Files)
	h.Breaks = slices.Clone(h.Breaks)
	h.Accepted = slices.Clone(h.Accepted)
	return h
}

// Move follows the log to an end that is on disk. The file follows within HeadsEvery.
func (k *HeadKeeper) Move(end Checkpoint) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.heads.Log = HeadOf(end)
	k.soon()
}

// Found keeps a break. With the next write it is on disk together with the state that
// was found.
func (k *HeadKeeper) Found(b *Break) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.heads.add(*b)
	k.soon()
}

// Forget notes that the guarded files may have been there, and that nothing is known of
// them any more.
func (k *HeadKeeper) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range GuardedFiles {
		k.heads.Files[name] = FileHead{Time: now()}
	}
	k.soon()
}

// Took notes what a file holds that was read and is in use, whether or not mcpproxy
// wrote it. It returns the break when mcpproxy did not, and keeps it.
func (k *HeadKeeper) Took(name string, raw []byte) *Break {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := k.heads.FileProblem(name, raw)
	if b != nil {
		k.heads.add(*b)
	}
	f := k.heads.Files[name]
	if digest := digestOf(raw); f.Digest != digest || f.Next != "" {
		k.heads.Files[name] = FileHead{Digest: digest, Revision: f.Revision, Time: now()}
		k.soon()
	}
	return b
}

// Writing runs write, which replaces a file by raw. Until it has returned the heads
// file says that either may be there, so that a crash at any moment is no break.
func (k *HeadKeeper) Writing(name string, raw []byte, write func() error) error {
	k.mu.Lock()
	before := k.heads.Files[name]
	if before.Digest != "" { // else nothing that is there would be a break
		f := before
		f.Next = digestOf(raw)
		k.heads.Files[name] = f
	}
	k.mu.Unlock()
	if before.Digest != "" {
		if err := k.Save(); err != nil {
			return err
		}
	}
	if err := write(); err != nil {
		return err // Next stays: the file may have been replaced all the same
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.heads.Files[name] = FileHead{Digest: digestOf(raw), Revision: before.Revision + 1, Time: now()}
	k.soon()
	return nil
}

// Recorded notes that a record of the log says that a break was found.
func (k *HeadKeeper) Recorded(b Break, id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.heads.Breaks {
		if o := &k.heads.Breaks[i]; o.Reason == b.Reason && o.File == b.File && o.Problem == b.Problem {
			o.Record = id
		}
	}
	k.soon()
}

// Accept takes every break as accepted by the owner, as the record id says, and files
// that are missing as not there. It returns when that is on disk.
func (k *HeadKeeper) Accept(missing []Break, id string) error {
	k.mu.Lock()
	for _, b := range missing {
		k.heads.add(b)
		delete(k.heads.Files, b.File)
	}
	for _, b := range k.heads.Breaks {
		b.Record, b.Accepted = id, now()
		k.heads.Accepted = append(k.heads.Accepted, b)
	}
	k.heads.Breaks = nil
	k.heads.Accepted = k.heads.Accepted[max(0, len(k.heads.Accepted)-maxBreaks):]
	k.mu.Unlock()
	return k.Save()
}

// Close writes what is still to be written.
func (k *HeadKeeper) Close() error {
	k.mu.Lock()
	pending := k.timer != nil
	k.closed = true
	k.mu.Unlock()
	if !pending {
		return nil
	}
	return k.Save()
}

// soon has the file written within HeadsEvery. The caller holds mu.
func (k *HeadKeeper) soon() {
	if k.timer == nil && !k.closed {
		k.timer = time.AfterFunc(HeadsEvery, k.due)
	}
}

// due is called by the timer.
func (k *HeadKeeper) due() {
	k.mu.Lock()
	done := k.timer == nil || k.closed
	k.mu.Unlock()
	if done {
		return // it was written meanwhile
	}
	if err := k.Save(); err != nil {
		slog.Warn(
			"the heads of the activity log could not be written; the removal of a file may not be noticed",
			"error",
			err,
		)
	}
}

// Save signs and writes the file now. What changes while it is being written stands in
// the next one.
func (k *HeadKeeper) Save() error {
	k.disk.Lock()
	defer k.disk.Unlock()
	k.mu.Lock()
	if k.timer != nil {
		k.timer.Stop()
		k.timer = nil
	}
	h := k.heads
	h.Version = headsForm
	h.Time = now()
	h.Key = k.signer.id
	h.Signature = nil
	h.Signature = k.signer.sign(h.message())
	raw, err := json.MarshalIndent(h, "", " ")
	k.mu.Unlock()
	if err == nil {
		err = atomicfile.WriteBytes(k.path, 0o600, append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("the heads of the activity log: %w", err)
	}
	return nil
}
