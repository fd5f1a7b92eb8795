package classify

import (
	"testing"

	"mcpproxy"
	"mcpproxy/internal/text"
)

func TestWhatArgumentsSetTellsMoreThanTheName(t *testing.T) {
	for name, test := range map[string]struct {
		tool, args, about string
		want              mcpproxy.Effect
	}{
		"a guard that is switched off":      {"set_guard", `{"sku":"A","enabled":false}`, "", mcpproxy.EffectWeaken},
		"a lamp that is switched off":       {"set_lamp", `{"id":"A","enabled":false}`, "", mcpproxy.EffectChange},
		"rules that only count":             {"set_mode", `{"mode":"count"}`, "Set the mode of a rule.", mcpproxy.EffectWeaken},
		"the account of a record":           {"update", `{"field":"iban","value":"DK1254790001883244"}`, "", mcpproxy.EffectPay},
		"the address of a record":           {"update", `{"field":"address","value":"14 Quay Street"}`, "", mcpproxy.EffectChange},
		"a code for a lock, by description": {"add_code", `{"name":"Ann"}`, "Add an access code to a lock", mcpproxy.EffectGrant},
	} {
		t.Run(name, func(t *testing.T) {
			def := &mcpproxy.Tool{Name: test.tool, Description: test.about}
			doc, err := text.Parse([]byte(test.args), "arguments")
			if err != nil {
				t.Fatal(err)
			}
			if got := Describe(test.tool, def).Effect(nil, doc); got != test.want {
				t.Errorf("the effect of %s is %q, want %q", test.args, got, test.want)
			}
		})
	}
	if got := CommandEffect(`aws s3api put-bucket-policy --policy '{"Principal":"*"}'`); got != mcpproxy.EffectWeaken {
		t.Errorf("the effect of a bucket policy for everybody is %q", got)
	}
}
