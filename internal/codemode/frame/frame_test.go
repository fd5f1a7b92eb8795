package frame_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"pgregory.net/rapid"

	"mcpproxy/internal/codemode/frame"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pipe bytes.Buffer
		w := frame.NewWriter(&pipe)
		sent := rapid.SliceOf(rapid.Custom(func(t *rapid.T) frame.Frame {
			return frame.Frame{
				Kind: frame.Kind(rapid.Byte().Draw(t, "kind")),
				ID:   rapid.Uint64().Draw(t, "id"),
				Body: rapid.SliceOf(rapid.Byte()).Draw(t, "body"),
			}
		})).Draw(t, "frames")
		for _, f := range sent {
			if err := w.Write(f); err != nil {
				t.Fatal(err)
			}
		}
		r := frame.NewReader(&pipe, 1<<16)
		for _, want := range sent {
			got, err := r.Read()
			if err != nil || got.Kind != want.Kind || got.ID != want.ID || !bytes.Equal(got.Body, want.Body) {
				t.Fatalf("read %v (%v), wrote %v", got, err, want)
			}
		}
		if _, err := r.Read(); !errors.Is(err, io.EOF) {
			t.Fatalf("after the last frame: %v", err)
		}
	})
}

func TestABrokenFrameIsRefused(t *testing.T) {
	whole := frame.Append(nil, frame.Frame{Kind: frame.Call, ID: 7, Body: []byte("{}")})
	for name, test := range map[string]struct {
		in   []byte
		want error
	}{
		"a length that overflows":       {append([]byte{255, 255, 255, 255}, whole[4:]...), frame.ErrTooLarge},
		"a length over the limit":       {append([]byte{0, 1, 0, 0}, whole[4:]...), frame.ErrTooLarge},
		"a length below the header":     {append([]byte{0, 0, 0, 3}, whole[4:]...), frame.ErrShort},
		"an end in the header":          {whole[:7], io.ErrUnexpectedEOF},
		"an end in the body":            {whole[:len(whole)-1], io.ErrUnexpectedEOF},
		"an end right after the header": {whole[:len(whole)-2], io.ErrUnexpectedEOF},
		"nothing at all":                {nil, io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			if f, err := frame.NewReader(bytes.NewReader(test.in), 1000).Read(); !errors.Is(err, test.want) {
				t.Errorf("%v, %v; wanted %v", f, err, test.want)
			}
		})
	}
}

// A length field may lie, so memory is only allocated for bytes that have arrived.
// Shows: GW-20.
func TestALengthFieldAllocatesNoMemory(t *testing.T) {
	claim := append([]byte{63, 255, 255, 255}, make([]byte, 9)...)
	taken := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = frame.NewReader(bytes.NewReader(claim), frame.MaxBody).Read()
		}
	})
	if taken.AllocedBytesPerOp() > 4<<20 {
		t.Errorf("a claim of 1 GB takes %d bytes", taken.AllocedBytesPerOp())
	}
}

func FuzzReader(f *testing.F) {
	f.Add(frame.Append(nil, frame.Frame{Kind: frame.Done, Body: []byte("1")}))
	f.Add([]byte{0, 0, 0, 9, 'c', 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1})
	f.Add([]byte{255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, in []byte) {
		r, again := frame.NewReader(bytes.NewReader(in), 1<<12), []byte(nil)
		for {
			got, err := r.Read()
			if err != nil {
				break
			}
			if len(got.Body) > 1<<12 {
				t.Fatalf("a body of %d bytes came through", len(got.Body))
			}
			again = frame.Append(again, got)
		}
		if !bytes.HasPrefix(in, again) {
			t.Fatalf("the frames read from %x are those of %x", in, again)
		}
	})
}
