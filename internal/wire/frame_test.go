package wire_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcpproxy/internal/wire"
)

// drain reads frames until the stream ends. A frame over the limit is returned as "<too large>".
func drain[T any](t *testing.T, next func() (T, error), show func(T) string) []string {
	t.Helper()
	var got []string
	for range 10_000 {
		v, err := next()
		var tooLarge *wire.TooLargeError
		switch {
		case errors.As(err, &tooLarge):
			got = append(got, "<too large>")
		case err == io.EOF:
			return got
		case err != nil:
			t.Fatal(err)
		default:
			got = append(got, show(v))
		}
	}
	t.Fatal("the reader does not come to an end")
	return nil
}

func lines(t *testing.T, in string, limit int) []string {
	t.Helper()
	return drain(t, wire.NewLineReader(strings.NewReader(in), limit).Next, func(b []byte) string { return string(b) })
}

func events(t *testing.T, in string, limit int) []string {
	t.Helper()
	return drain(t, wire.NewEventReader(strings.NewReader(in), limit).Next,
		func(e wire.Event) string { return e.Name + "/" + e.ID + "/" + string(e.Data) })
}

func TestLineReader(t *testing.T) {
	const limit = 10
	cases := []struct {
		name, in string
		want     []string
	}{
		{"one message a line", "{}\n[]\n", []string{"{}", "[]"}},
		{"CRLF ends a line too", "{}\r\n[]\r\n", []string{"{}", "[]"}},
		{"the last line needs no newline", "{}\n[]", []string{"{}", "[]"}},
		{"empty lines are skipped", "\n\r\n  \n{}\n\n", []string{"{}"}},
		{"an empty stream is at its end", "", nil},
		{"a line of the limit passes", strings.Repeat("x", limit) + "\n", []string{strings.Repeat("x", limit)}},
		{
			"a line of the limit passes with CRLF",
			strings.Repeat("x", limit) + "\r\n",
			[]string{strings.Repeat("x", limit)},
		},
		{"a line over the limit is reported", strings.Repeat("x", limit+1) + "\n", []string{"<too large>"}},
		{"the last line over the limit is reported", strings.Repeat("x", limit+1), []string{"<too large>"}},
		{
			"reading goes on after a large line",
			"a\n" + strings.Repeat("x", 300_000) + "\nb\n",
			[]string{"a", "<too large>", "b"},
		},
		{
			"two large lines in a row are two reports",
			strings.Repeat("x", 99) + "\n" + strings.Repeat("y", 99) + "\nb",
			[]string{"<too large>", "<too large>", "b"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, lines(t, c.in, limit)); diff != "" {
				t.Error(diff)
			}
			halting := wire.NewLineReader(&halting{r: strings.NewReader(c.in)}, limit)
			next := func() (line []byte, err error) {
				for again := true; again; again = errors.Is(err, os.ErrDeadlineExceeded) {
					line, err = halting.Next()
				}
				return line, err
			}
			if diff := cmp.Diff(c.want, drain(t, next, func(b []byte) string { return string(b) })); diff != "" {
				t.Error("of a stream that halts:", diff)
			}
		})
	}
}

// halting is a stream that returns a few bytes at a time, and a temporary error before each.
type halting struct {
	r    io.Reader
	goes bool
}

func (h *halting) Read(b []byte) (int, error) {
	if h.goes = !h.goes; h.goes {
		return 0, os.ErrDeadlineExceeded
	}
	return h.r.Read(b[:min(len(b), 3)])
}

func TestLineReaderKeepsTheHeadOfALargeLine(t *testing.T) {
	_, err := wire.NewLineReader(strings.NewReader(`{"jsonrpc":"2.0","id":5,`+strings.Repeat("x", 1<<20)), 8192).Next()
	var tooLarge *wire.TooLargeError
	if !errors.As(err, &tooLarge) {
		t.Fatalf("err = %v", err)
	}
	if !bytes.HasPrefix(tooLarge.Head, []byte(`{"jsonrpc":"2.0","id":5,`)) || len(tooLarge.Head) > 4096 ||
		tooLarge.Limit != 8192 {
		t.Errorf("head of %d bytes %.30q, limit %d", len(tooLarge.Head), tooLarge.Head, tooLarge.Limit)
	}
}

func TestEventReader(t *testing.T) {
	long := strings.Repeat("x", 16<<10-len("data:")-1) // its CR is the last byte in the reader's buffer
	cases := []struct {
		name, in string
		limit    int
		want     []string
	}{
		{"an event ends at a blank line", "data: a\n\ndata: b\n\n", 99, []string{"message//a", "message//b"}},
		{"CRLF ends lines too", "event: x\r\nid: 7\r\ndata: a\r\n\r\n", 99, []string{"x/7/a"}},
		{"data lines are joined by newlines", "data: a\ndata:  b\ndata:c\n\n", 99, []string{"message//a\n b\nc"}},
		{
			"comments, retry and unknown fields are skipped",
			": hi\nretry: 5\nfoo: b\nnonsense\ndata: a\n\n",
			99,
			[]string{"message//a"},
		},
		{"an event without data is skipped", "event: ping\n\ndata: a\n\n", 99, []string{"message//a"}},
		{"an unfinished event is dropped", "data: a\n\ndata: b\n", 99, []string{"message//a"}},
		{"an unfinished line is dropped", "data: a\n\ndata: b", 99, []string{"message//a"}},
		{
			"data of the limit passes",
			"event: message\ndata: " + strings.Repeat("x", 99) + "\n\n",
			99,
			[]string{"message//" + strings.Repeat("x", 99)},
		},
		{"data over the limit is reported", "data: " + strings.Repeat("x", 100) + "\n\n", 99, []string{"<too large>"}},
		{
			"reading goes on after a large event",
			"data: " + strings.Repeat("x", 300_000) + "\n\ndata: b\n\n",
			99,
			[]string{"<too large>", "message//b"},
		},
		{
			"many data lines are counted together",
			strings.Repeat("data: 0123456789\n", 50) + "\ndata: b\n\n",
			99,
			[]string{"<too large>", "message//b"},
		},
		{
			"CRLF across the reader's buffer is no data",
			"data:" + long + "\r\n\r\n",
			1 << 20,
			[]string{"message//" + long},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, events(t, c.in, c.limit)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// flood is a stream of n bytes that repeats chunk.
type flood struct {
	chunk string
	n, at int
}

func newFlood(unit string, n int) *flood { return &flood{chunk: strings.Repeat(unit, 1000), n: n} }

func (f *flood) Read(p []byte) (int, error) {
	if f.n <= 0 {
		return 0, io.EOF
	}
	n := copy(p, f.chunk[f.at:])
	f.at = (f.at + n) % len(f.chunk)
	f.n -= n
	return n, nil
}

func TestReadersBoundTheirMemory(t *testing.T) {
	const limit, sent = 64 << 10, 16 << 20
	cases := []struct{ name, unit string }{
		{"one endless line", "x"},
		{"an event of endless data", "data: 0123456789012345678901234567890123456789\n"},
		{"an event of endless empty data lines", "data:x\ndata:\ndata:\ndata:\ndata:\ndata:\ndata:\n"},
		{"an endless comment", ": x\n"},
		{"endless event names", "event: 0123456789\nid: 0123456789\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for kind, next := range map[string]func() error{
				"event": func() error { _, err := wire.NewEventReader(newFlood(c.unit, sent), limit).Next(); return err },
				"line": func() error {
					_, err := wire.NewLineReader(newFlood(strings.ReplaceAll(c.unit, "\n", " "), sent), limit).Next()
					return err
				},
			} {
				taken := large(func() {
					if err := next(); err == nil {
						t.Errorf("the %s reader accepted %d bytes", kind, sent)
					}
				})
				if taken > 2<<20 {
					t.Errorf("the %s reader took %d KB at a limit of %d KB", kind, taken>>10, limit>>10)
				}
			}
		})
	}
}

// large returns how many bytes f has allocated in large pieces, as the growing buffer of a reader without a limit
// would.
func large(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	total := after.TotalAlloc - before.TotalAlloc
	var small uint64
	for i := range after.BySize {
		small += uint64(after.BySize[i].Size) * (after.BySize[i].Mallocs - before.BySize[i].Mallocs)
	}
	return total - min(total, small)
}

func TestAppendEventRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.StringOfN(rapid.RuneFrom([]rune("ab: {}\té\n")), 1, 60, -1).Draw(t, "data")
		r := wire.NewEventReader(bytes.NewReader(wire.AppendEvent([]byte(": c\n\n"), []byte("x"+data))), 1000)
		ev, err := r.Next()
		if err != nil || string(ev.Data) != "x"+data || ev.Name != "message" {
			t.Fatalf("%q came back as %q, %v", data, ev.Data, err)
		}
		if _, err := r.Next(); err != io.EOF {
			t.Fatalf("a second event: %v", err)
		}
	})
}

// A carriage return ends a line of an event stream, but is white space in JSON.
func TestAppendEventWritesNoBareCarriageReturn(t *testing.T) {
	if got := wire.AppendEvent(nil, []byte("{\"a\":\r1,\r\n\"b\":2}")); bytes.ContainsRune(got, '\r') {
		t.Errorf("%q would be cut at the carriage return", got)
	}
}

func FuzzLineReader(f *testing.F) {
	f.Add([]byte("{}\r\n\n[]"), 4)
	f.Add([]byte(strings.Repeat("x", 100)+"\n{}"), 10)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		limit = 1 + (limit&0xffff)%200
		r := wire.NewLineReader(bytes.NewReader(in), limit)
		for range len(in) + 2 {
			line, err := r.Next()
			var tooLarge *wire.TooLargeError
			switch {
			case err == io.EOF:
				return
			case errors.As(err, &tooLarge):
			case err != nil:
				t.Fatal(err)
			case len(line) == 0 || bytes.IndexByte(line, '\n') >= 0 || !bytes.Contains(in, line):
				t.Fatalf("line %q of %q", line, in)
			}
		}
		t.Fatal("more lines than bytes")
	})
}

func FuzzEventReader(f *testing.F) {
	f.Add([]byte("event: message\r\ndata: {}\r\n\r\ndata: a\ndata:\n\n"), 40)
	f.Add([]byte("data: "+strings.Repeat("x", 100)+"\n\n: c\n\n"), 10)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		limit = 1 + (limit&0xffff)%200
		r := wire.NewEventReader(bytes.NewReader(in), limit)
		for range len(in) + 2 {
			ev, err := r.Next()
			var tooLarge *wire.TooLargeError
			switch {
			case err == io.EOF:
				return
			case errors.As(err, &tooLarge):
			case err != nil:
				t.Fatal(err)
			case len(ev.Data) == 0 || len(ev.Data) > limit || ev.Name == "" && !bytes.Contains(in, []byte("event")):
				t.Fatalf("event %+v of %q at limit %d", ev, in, limit)
			}
		}
		t.Fatal("more events than bytes")
	})
}
