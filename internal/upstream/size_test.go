package upstream

import "testing"

func TestHowMuchIsDeliveredInPages(t *testing.T) {
	for name, c := range map[string]struct {
		given Sizes
		paged int
	}{
		"usually":                     {Sizes{}, 15 << 20},
		"in small pages":              {Sizes{Text: 100 << 10}, 15 << 20},
		"of a server with long texts": {Sizes{Text: 20 << 20}, 30 << 20},
		"as configured":               {Sizes{Text: 1 << 20, Paged: 2 << 20}, 2 << 20},
		"if pages are off":            {Sizes{Text: 1 << 20, Paged: 1 << 20}, 1 << 20},
	} {
		if got := c.given.settled().Paged; got != c.paged {
			t.Errorf("%s: %d bytes, want %d", name, got, c.paged)
		}
	}
}

func TestASizeIsShownInMegabytes(t *testing.T) {
	for bytes, want := range map[int]string{209715: "0.2 MB", 10 << 20: "10 MB", 3 << 19: "1.5 MB", 1500 << 20: "1500 MB"} {
		if got := Megabytes(bytes); got != want {
			t.Errorf("%d bytes are shown as %s, want %s", bytes, got, want)
		}
	}
}
