package surprise_test

import (
	"testing"

	"mcpproxy/internal/flow/surprise"
)

func TestTheBitsOfATokenAreWithinBounds(t *testing.T) {
	for token, c := range map[string]struct{ least, most float64 }{
		"invoice":                          {0, 0},
		"OffersOfProduct":                  {0, 0},
		"2027":                             {1, 1},
		"12":                               {2, 2},
		"39441364":                         {26, 27},
		"python3":                          {0, 4},
		"seguridad":                        {12, 12},
		"qxdprlclf":                        {42, 43},
		"353d323f3e352f":                   {56, 56},
		"Hx8W1NcTJg93anG8BH4CDLhLaqEKVZkC": {190, 191},
	} {
		if got := surprise.Bits(token); got < c.least || got > c.most {
			t.Errorf("Bits(%s) = %v, want %v to %v", token, got, c.least, c.most)
		}
	}
}
