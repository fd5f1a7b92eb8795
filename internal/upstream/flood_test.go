package upstream

import (
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// endless is a source that always has more data.
type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// linkOf returns a link to a server with these limits.
func linkOf(sizes Sizes) *Link {
	return &Link{server: &Server{sizes: sizes.settled()}, done: make(chan struct{})}
}

// This test uses its own clock.
func TestOnlyALongStreamIsSlowedDown(t *testing.T) {
	sudden := int64(Sizes{}.settled().frame())
	for name, c := range map[string]struct {
		sizes Sizes
		size  int64
		want  time.Duration
	}{
		"the largest answer comes at once":                     {Sizes{}, sudden, 0},
		"a larger answer too, if it is allowed":                {Sizes{Text: 100 << 20}, 100 << 20, 0},
		"the bytes of a second beyond the burst wait a second": {Sizes{}, sudden + streamRate, time.Second},
		"a hundred megabytes beyond the limit are slowed down": {Sizes{}, 100 << 20, time.Duration(100<<20-sudden) * time.Second / streamRate},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				r := linkOf(c.sizes).pace(endless{})
				if _, err := io.CopyN(io.Discard, r, c.size); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begin); took < c.want || took > c.want+100*time.Millisecond {
					t.Errorf("%d bytes took %s, want %s", c.size, took, c.want)
				}
				time.Sleep(streamBurst * time.Second / streamRate)
				begin = time.Now()
				if _, err := io.CopyN(io.Discard, r, streamBurst); err != nil || time.Since(begin) > time.Millisecond {
					t.Errorf("after a rest the next took %s, %v", time.Since(begin), err)
				}
			})
		})
	}
}

func TestNobodyWaitsForAStreamOfALinkThatEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := linkOf(Sizes{})
		r := l.pace(io.LimitReader(endless{}, 1<<30))
		time.AfterFunc(time.Second, func() { close(l.done) })
		begin := time.Now()
		if n, err := io.Copy(io.Discard, r); n != 1<<30 || err != nil || time.Since(begin) != time.Second {
			t.Errorf("%d bytes in %s, %v", n, time.Since(begin), err)
		}
	})
}
