package definition_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mcpproxy/internal/scan/definition"
)

// manyTools returns n tools with ordinary definitions, a hundred for each server.
func manyTools(tb testing.TB, n int) []definition.ToolView {
	tb.Helper()
	views := make([]definition.ToolView, n)
	verbs := []string{"list", "create", "update", "delete", "find"}
	things := []string{"invoice", "shipment", "contract", "campaign", "ledger_entry", "work_order", "payslip"}
	for i := range views {
		verb, thing := verbs[i%len(verbs)], things[i/len(verbs)%len(things)]
		raw := fmt.Sprintf(
			`{"name":"%s_%s","title":"%s","description":%q,"inputSchema":{"type":"object","properties":{
			"id":{"type":"string","description":"The number of the %s, as it stands on the printed copy"},
			"status":{"type":"string","enum":["open","closed","waiting"],"description":"Only those in this state"},
			"limit":{"type":"integer","default":25,"description":"How many to return at most, between 1 and 100"}},"required":["id"]}}`,
			verb,
			thing,
			strings.ToUpper(verb),
			fmt.Sprintf(
				"Works on one %s of the office at place %d. Returns its number, its state and the day on which it was last changed. "+
					"Use it when the user asks about a %s by number. Dates are given as year, month and day; amounts are in the currency of the customer.",
				thing,
				i,
				thing,
			),
			thing,
		)
		v, err := definition.FromTool(fmt.Sprintf("office-%d", i/100), json.RawMessage(raw))
		if err != nil {
			tb.Fatal(err)
		}
		views[i] = v
	}
	return views
}

func BenchmarkScan(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n, " tools"), func(b *testing.B) {
			views := manyTools(b, n)
			b.ResetTimer()
			for b.Loop() {
				definition.Scan(views, nil)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "tools/s")
		})
	}
}
