package flow

import (
	"fmt"
	"testing"
)

func TestTheTokensOfASessionAreBounded(t *testing.T) {
	var c carriers
	for i := range 3 * maxCarrierTokens {
		c.note(fmt.Sprintf("t%d", i))
	}
	if n := len(c.met) + len(c.older); n > 2*maxCarrierTokens || !c.has(fmt.Sprintf("t%d", 3*maxCarrierTokens-1)) {
		t.Errorf("%d tokens are stored", n)
	}
	for i := range 2 * maxCarrierSites {
		c.site(fmt.Sprintf("s%d.example", i)).bits++
	}
	if len(c.sites) > maxCarrierSites+1 || c.sites[""].bits < maxCarrierSites {
		t.Errorf("%d sites, %+v", len(c.sites), c.sites[""])
	}
}
