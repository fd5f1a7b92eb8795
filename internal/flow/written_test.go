package flow

import (
	"fmt"
	"strings"
	"testing"
)

// A file is stored as its writes leave it.
func TestWritesFollowEachOther(t *testing.T) {
	for _, row := range []struct {
		name string
		list []Write
		want string
	}{
		{"a whole file", []Write{{Text: "a"}, {Text: "b"}}, "b"},
		{"more", []Write{{Text: "a"}, {Text: "b", More: true}}, "a\nb"},
		{"a replacement", []Write{{Text: "a a"}, {Text: "b", Old: "a"}}, "b a"},
		{"all of them", []Write{{Text: "a a"}, {Text: "b", Old: "a", All: true}}, "b b"},
		{"a replacement in a file that is not known", []Write{{Text: "b", Old: "a"}, {Text: "c", Old: "x"}}, "b\nc"},
		{"nothing", []Write{{Text: "a"}, {Text: ""}}, ""},
	} {
		var w writtenFiles
		for i := range row.list {
			row.list[i].Path = "f"
		}
		w.add(row.list, true)
		if got := w.files["f"]; got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
		if w.bytes != len(row.want) {
			t.Errorf("%s: %d bytes are counted, but there are %d", row.name, w.bytes, len(row.want))
		}
	}
}

// A write that may not be made keeps the earlier content.
func TestAnUncertainWriteKeepsTheEarlierContent(t *testing.T) {
	var w writtenFiles
	w.add([]Write{{Path: "f", Text: "before"}}, true)
	w.add([]Write{{Path: "f", Text: "after"}}, false)
	if got := w.files["f"]; got != "before\nafter" {
		t.Errorf("got %q", got)
	}
}

func TestTheFilesThatAnAgentWroteAreBounded(t *testing.T) {
	var w writtenFiles
	for i := range 3 * maxWritten {
		w.add([]Write{{Path: fmt.Sprint(i), Text: "x"}}, true)
	}
	if len(w.files) != maxWritten || len(w.order) != maxWritten || w.files[fmt.Sprint(3*maxWritten-1)] == "" {
		t.Errorf("%d files", len(w.files))
	}
	for i := range 40 {
		w.add([]Write{{Path: fmt.Sprint(i), Text: "begin" + strings.Repeat("x", 2*maxWrittenFile) + "end"}}, true)
	}
	last := w.files["39"]
	if w.bytes > maxWrittenBytes || len(last) != maxWrittenFile || !strings.HasPrefix(last, "begin") ||
		!strings.HasSuffix(last, "end") {
		t.Errorf("%d bytes in all, %d of the last one", w.bytes, len(last))
	}
}

// The written files count as memory of the sessions and are dropped if memory is short.
func TestWrittenFilesCountTowardsTheMemoryOfAllSessions(t *testing.T) {
	s := NewSession()
	before := s.bytes()
	s.written.add([]Write{{Path: "f", Text: strings.Repeat("x", 1000)}}, true)
	if got := s.bytes() - before; got != 1000 {
		t.Errorf("%d bytes are counted", got)
	}
	other := NewSession()
	other.absorb(s)
	if len(other.written.files["f"]) != 1000 || s.written.bytes != 0 {
		t.Error("a joined session has lost its files")
	}
}
