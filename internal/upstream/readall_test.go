package upstream

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

func TestABodyTakesNoMoreMemoryThanItNeeds(t *testing.T) {
	const megabytes = 5<<20 + 17
	for name, test := range map[string]struct {
		size      int
		announced int64
	}{
		"an empty one":                          {0, 0},
		"a short one of a length that is known": {100, 100},
		"a long one of a length that is known":  {megabytes, megabytes},
		"a long one that says nothing":          {megabytes, -1},
		"a long one that says too little":       {megabytes, 2 << 20},
		"a long one that says too much":         {2 << 20, megabytes},
		"a short one that says too much":        {100, megabytes},
	} {
		t.Run(name, func(t *testing.T) {
			want := strings.Repeat("0123456789abcdef!", test.size/17+1)[:test.size]
			body, err := readAll(strings.NewReader(want), test.announced)
			if err != nil || !bytes.Equal(body, []byte(want)) {
				t.Fatalf("read %d bytes, %v; there are %d", len(body), err, test.size)
			}
			if spare := cap(body) - len(body); test.size > 1<<20 && spare > len(body)/8 {
				t.Errorf("%d bytes are kept for nothing", spare)
			}
		})
	}
}

func TestABodyOfUnknownLengthTakesItsOwnSizeWhileItIsRead(t *testing.T) {
	want := bytes.Repeat([]byte("x"), 9<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	body, err := readAll(bytes.NewReader(want), -1)
	runtime.ReadMemStats(&after)
	if err != nil || !bytes.Equal(body, want) {
		t.Fatalf("read %d bytes, %v", len(body), err)
	}
	// The test allows the pieces, the whole body and the first megabyte. A buffer that doubles takes four times the
	// size.
	if took := after.TotalAlloc - before.TotalAlloc; took > 3*uint64(len(want)) {
		t.Errorf("%d bytes were allocated for a body of %d", took, len(want))
	}
}

func TestABodyThatEndsTooEarlyIsAnError(t *testing.T) {
	for _, announced := range []int64{-1, 100, 9 << 20} {
		for _, size := range []int{0, 100, 1 << 20, 5<<20 + 17} {
			cut := io.MultiReader(bytes.NewReader(make([]byte, size)), iotest.ErrReader(io.ErrUnexpectedEOF))
			if _, err := readAll(cut, announced); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%d of %d bytes announced: %v", size, announced, err)
			}
		}
	}
}
