package flow

import (
	"fmt"
	"testing"
)

func TestARecordIsAboutTheOnlyPersonItNames(t *testing.T) {
	order := &concern{names: []string{typed("Gerda Hölzl")}}
	for name, c := range map[string]struct {
		record *concern
		mail   string
		want   bool
	}{
		"by the name in the address":                 {order, "gerda.hoelzl@mail.example", true},
		"by a name that another person has":          {order, "mika.sato@mail.example", false},
		"by a first name":                            {order, "gerda.moser@mail.example", false},
		"by the address":                             {&concern{mails: []string{"a@b.example"}}, "a@b.example", true},
		"an address decides before a name":           {&concern{mails: []string{"a@b.example"}, names: order.names}, "hoelzl@c.example", false},
		"a list of people is not about one person":   {&concern{mails: []string{"a@b.example"}, many: true}, "a@b.example", false},
		"a parcel is about the person in its order":  {&concern{of: order}, "g.hoelzl@mail.example", true},
		"a record without names is about nobody":     {&concern{}, "g.hoelzl@mail.example", false},
		"a short surname does not identify anybody":  {&concern{names: []string{"li wu"}}, "li.wu@mail.example", false},
		"a result that was dropped is about nobody":  {nil, "a@b.example", false},
		"only short chains of look-ups are followed": {&concern{of: &concern{of: &concern{of: &concern{of: order}}}}, "g.hoelzl@m.example", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.record.about(c.mail); got != c.want {
				t.Errorf("about(%q) = %t", c.mail, got)
			}
		})
	}
}

func TestTheValuesOfAllRecordsAreCounted(t *testing.T) {
	with := func(values ...string) *concern {
		c := &concern{values: map[string]struct{}{}}
		for _, v := range values {
			c.note(v)
		}
		return c
	}
	var c, other concerns
	for i := range maxConcerns + 20 {
		c.keep(fmt.Sprint("call ", i), with(fmt.Sprint("order-", 1000+i), "parcel-77"))
	}
	c.keep(fmt.Sprint("call ", maxConcerns), with("order-1234"))
	other.keep("call 9999", with("order-5678", "order-5679", "order-5680"))
	c.absorb(&other)
	sum := 0
	for _, record := range c.records {
		sum += len(record.values)
	}
	if c.values != sum || sum == 0 {
		t.Errorf("%d values are counted, but there are %d", c.values, sum)
	}
}
