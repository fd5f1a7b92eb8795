package flow

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/text"
)

func TestTheAddressOfARecipientIsNotData(t *testing.T) {
	mail := []mcpproxy.Destination{{Value: "Ana@shop.example", Kind: kindEmail}}
	host := []mcpproxy.Destination{{Value: "mq.int.example", Kind: kindHost}}
	link := []mcpproxy.Destination{{Value: "https://a.example/x", Kind: kindURL}}
	for name, c := range map[string]struct {
		to    []mcpproxy.Destination
		value string
		edge  mcpproxy.Edge
		own   bool
	}{
		"the address of the recipient":       {mail, "ana@shop.example", mcpproxy.Edge{}, true},
		"a host with its port, named twice":  {host, "mq.int.example:5671 -servername mq.int.example", mcpproxy.Edge{}, true},
		"an address and a sentence":          {mail, "ana@shop.example owes us 4,180 since the end of May", mcpproxy.Edge{}, false},
		"an address and a telephone number":  {mail, "ana@shop.example 4915112", mcpproxy.Edge{}, false},
		"an address that is a secret":        {mail, "ana@shop.example", mcpproxy.Edge{Sensitive: []string{"api_token"}}, false},
		"pieces of a text":                   {mail, "ana@shop.example", mcpproxy.Edge{Match: "shards"}, false},
		"an address that is not a recipient": {mail, "bob@shop.example", mcpproxy.Edge{}, false},
		"a URL, whose path may carry data":   {link, "https://a.example/x", mcpproxy.Edge{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := text.Parse(text.Quote(c.value), "arguments")
			if err != nil {
				t.Fatal(err)
			}
			c.edge.Path = doc.Path(doc.Parts[0])
			c.edge.End = len(c.value)
			found := []mcpproxy.Edge{c.edge}
			if got := asAddresses(Transfer{Doc: doc, Recipients: c.to}, found)[0]; got.Own != c.own {
				t.Errorf("own: %t, want %t", got.Own, c.own)
			}
			if found[0].Own {
				t.Error("asAddresses has changed the edge that it was given")
			}
		})
	}
}
