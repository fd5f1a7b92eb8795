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

// HeadsEvery is how long the heads file may lag behind a log that grows.
const HeadsEvery = time.Second

// HeadWriter writes the heads file. Each folder has one writer, which belongs to the process that
// has the log open for writing. It is safe for concurrent use.
type HeadWriter struct {
	path   string
	signer *Signer
	// Lost says why the expected file could not be read; nil if it was read.
	Lost error

	disk sync.Mutex // held while the file is written; taken before mu

	mu     sync.Mutex
	heads  Heads
	timer  *time.Timer // runs until the next write; nil if no write is pending
	closed bool
}

// OpenHeads reads the heads file at path. Its Save writes the same file.
func OpenHeads(path string, signer *Signer) (*HeadWriter, error) {
	if err := atomicfile.Sweep(path); err != nil {
		return nil, fmt.Errorf("the heads of the activity log: %w", err)
	}
	k := &HeadWriter{path: path, signer: signer}
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

// Heads returns the content of the file as of the next write.
func (k *HeadWriter) Heads() Heads {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.heads
	h.Files = maps.Clone(h.Files)
	h.Replicas = maps.Clone(h.Replicas)
	h.Breaks = slices.Clone(h.Breaks)
	h.Accepted = slices.Clone(h.Accepted)
	return h
}

// Move records a new end of the log that is on disk. The file follows within HeadsEvery.
func (k *HeadWriter) Move(end Checkpoint) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.heads.Log = HeadOf(end)
	k.soon()
}

// Saw records the ends of the chains of all other gateways that write to the log.
func (k *HeadWriter) Saw(replicas map[string]Replica) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.heads.Replicas = maps.Clone(replicas)
	k.soon()
}

// Found stores a break. The next write puts it on disk together with the present state of the
// files.
func (k *HeadWriter) Found(b *Break) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.heads.add(*b)
	k.soon()
}

// Forget marks the contents of the guarded files as unknown.
func (k *HeadWriter) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range GuardedFiles {
		k.heads.Files[name] = FileHead{Time: now()}
	}
	k.soon()
}

// Took records the content of a file that was read and is in use. If mcpproxy did not write that
// content, Took stores the break and returns it.
func (k *HeadWriter) Took(name string, raw []byte) *Break {
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

// Writing runs write, which replaces the content of a file with raw. Until write has returned, the
// heads file allows both the old and the new content, so a crash in between is not a break.
func (k *HeadWriter) Writing(name string, raw []byte, write func() error) error {
	k.mu.Lock()
	before := k.heads.Files[name]
	if before.Digest != "" { // otherwise any existing content would be a break
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
		return err // Next stays set: the file may have been replaced despite the error
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.heads.Files[name] = FileHead{Digest: digestOf(raw), Revision: before.Revision + 1, Time: now()}
	k.soon()
	return nil
}

// Recorded stores the id of the record that reports a break.
func (k *HeadWriter) Recorded(b Break, id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.heads.Breaks {
		if o := &k.heads.Breaks[i]; o.Reason == b.Reason && o.File == b.File && o.Problem == b.Problem {
			o.Record = id
		}
	}
	k.soon()
}

// Accept marks every break as accepted by the owner, with the id of the record that says so, and
// records missing files as absent. It returns after the file is on disk.
func (k *HeadWriter) Accept(missing []Break, id string) error {
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

// Close writes pending changes.
func (k *HeadWriter) Close() error {
	k.mu.Lock()
	pending := k.timer != nil
	k.closed = true
	k.mu.Unlock()
	if !pending {
		return nil
	}
	return k.Save()
}

// soon schedules a write within HeadsEvery. The caller holds mu.
func (k *HeadWriter) soon() {
	if k.timer == nil && !k.closed {
		k.timer = time.AfterFunc(HeadsEvery, k.due)
	}
}

// due is called by the timer.
func (k *HeadWriter) due() {
	k.mu.Lock()
	done := k.timer == nil || k.closed
	k.mu.Unlock()
	if done {
		return // another call has written it
	}
	if err := k.Save(); err != nil {
		slog.Warn(
			"the heads of the activity log could not be written; the removal of a file may not be noticed",
			"error",
			err,
		)
	}
}

// Save signs and writes the file now. Changes during the write are part of the next one.
func (k *HeadWriter) Save() error {
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
