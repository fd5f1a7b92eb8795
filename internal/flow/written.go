package flow

import (
	"maps"
	"slices"
	"strings"
)

// Write is what a call writes into one file.
type Write struct {
	Path string // its one name
	Text string // as far as it is known
	More bool   // it is added to what the file holds
	Old  string // what it stands in the place of; "" for all that the file holds
	All  bool   // it does so everywhere
}

// Bounds of what is kept of the files that an agent writes in a session.
const (
	maxWritten      = 256
	maxWrittenFile  = 16 << 10 // bytes of one file; its beginning and its end are kept
	maxWrittenBytes = 1 << 20  // of all files of a session
)

// writtenFiles are the files that an agent has written, with their contents. They are in memory
// only: no snapshot and no record has them. The map is replaced, never changed, so that who
// has it can read it.
type writtenFiles struct {
	files map[string]string
	order []string // the names of the files, that written last at the end
	bytes int
}

// Wrote keeps what a call writes. Where the call may not be made, what a file held before
// stays with it.
func (t *Tracker) Wrote(session string, list []Write, sure bool) {
	if len(list) == 0 || !t.Enabled() {
		return
	}
	t.with(session, func(s *Session) { s.written.add(list, sure) })
}

// Written are the contents of the files that were written in a session, by their names. They
// must not be changed.
func (t *Tracker) Written(session string) map[string]string {
	if !t.Enabled() {
		return nil
	}
	s, ok := t.sessions.Peek(t.Session(session))
	if !ok {
		return nil
	}
	s.lock()
	defer s.mu.Unlock()
	if s.joined != nil {
		return nil
	}
	return s.written.files
}

func (w *writtenFiles) add(list []Write, sure bool) {
	files := maps.Clone(w.files)
	if files == nil {
		files = map[string]string{}
	}
	for _, one := range list {
		old, known := files[one.Path]
		text := one.on(old)
		if !sure && known && !strings.Contains(text, old) {
			text = old + "\n" + text
		}
		w.bytes -= len(old)
		w.order = slices.DeleteFunc(w.order, func(name string) bool { return name == one.Path })
		delete(files, one.Path)
		if text == "" {
			continue
		}
		text = cut(text)
		files[one.Path] = text
		w.bytes += len(text)
		w.order = append(w.order, one.Path)
		for len(w.order) > maxWritten || w.bytes > maxWrittenBytes {
			w.bytes -= len(files[w.order[0]])
			delete(files, w.order[0])
			w.order = w.order[1:]
		}
	}
	w.files = files
}

// on is a content after the write.
func (w *Write) on(old string) string {
	switch {
	case w.Old != "" && strings.Contains(old, w.Old):
		n := 1
		if w.All {
			n = -1
		}
		return strings.Replace(old, w.Old, w.Text, n)
	case w.More || w.Old != "": // what was there is not known
		if old == "" || strings.HasSuffix(old, "\n") {
			return old + w.Text
		}
		return old + "\n" + w.Text
	}
	return w.Text
}

// cut is a text of no more than may be kept of one file.
func cut(s string) string {
	if len(s) < maxWrittenFile {
		return s
	}
	const half = maxWrittenFile / 2
	return strings.Clone(s[:half-1]) + "\n" + strings.Clone(s[len(s)-half:])
}

// absorb takes over the files of another session.
func (w *writtenFiles) absorb(from *writtenFiles) {
	var list []Write
	for _, name := range from.order {
		list = append(list, Write{Path: name, Text: from.files[name]})
	}
	if len(list) > 0 {
		w.add(list, false)
	}
	*from = writtenFiles{}
}
