package flow

import (
	"maps"
	"slices"
	"strings"
)

// Write is what a call writes to one file.
type Write struct {
	Path string // the canonical name of the file
	Text string // the known part
	More bool   // the text is appended to the file
	Old  string // the part of the file that the text replaces; "" for the whole file
	All  bool   // the text replaces every occurrence of Old
}

// Limits of the file contents that are stored of what an agent writes in a session.
const (
	maxWritten      = 256
	maxWrittenFile  = 16 << 10 // bytes of one file; its beginning and its end are kept
	maxWrittenBytes = 1 << 20  // bytes of all files of a session
)

// writtenFiles holds the files that an agent has written, with their contents. It exists in memory only, in no
// snapshot and no record. A change replaces the map, so it can be read without a lock.
type writtenFiles struct {
	files map[string]string
	order []string // names of the files, the last written one at the end
	bytes int
}

// Wrote records the files that a call writes. If sure is false, the call may not be made, so the earlier content of
// each file is kept too.
func (t *Tracker) Wrote(session string, list []Write, sure bool) {
	if len(list) == 0 || !t.Enabled() {
		return
	}
	t.with(session, func(s *Session) { s.written.add(list, sure) })
}

// Written returns the contents of the files that were written in a session, by name. The caller must not change the
// map.
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

// on returns the content after the write.
func (w *Write) on(old string) string {
	switch {
	case w.Old != "" && strings.Contains(old, w.Old):
		n := 1
		if w.All {
			n = -1
		}
		return strings.Replace(old, w.Old, w.Text, n)
	case w.More || w.Old != "": // the earlier content is not known
		if old == "" || strings.HasSuffix(old, "\n") {
			return old + w.Text
		}
		return old + "\n" + w.Text
	}
	return w.Text
}

// cut shortens a text to the length that is stored of one file.
func cut(s string) string {
	if len(s) < maxWrittenFile {
		return s
	}
	const half = maxWrittenFile / 2
	return strings.Clone(s[:half-1]) + "\n" + strings.Clone(s[len(s)-half:])
}

// absorb adds the files of another session.
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
