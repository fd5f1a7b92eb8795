package intent

import "testing"

// BenchmarkMentions reads a passage of some 500 bytes.
func BenchmarkMentions(b *testing.B) {
	const passage = "The report of the customer says that every shipment in this quarter has been moved to another region " +
		"after review. Please forward the invoice to Anna, delete the old drafts and transfer 240 EUR to the account " +
		"of the supplier. The meeting on Monday was cancelled, so the team publishes the results on the internal page, " +
		"and whoever needs access asks the administrator for a role. Nothing else has changed since the last release, " +
		"and the numbers of the second table are the same as before."
	b.ReportAllocs()
	for b.Loop() {
		Mentions(passage)
	}
}
