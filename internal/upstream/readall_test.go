package upstream

import (
	"bytes"
	"strings"
	"testing"
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
