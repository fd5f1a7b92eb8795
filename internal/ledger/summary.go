package ledger

import (
	"time"

	"mcpproxy"
)

// Top is the length of the lists in a summary.
const Top = 10

// Breakdown counts the matching records by type, server, rule and other fields.
type Breakdown struct {
	Total       int                        `json:"total"`
	Status      map[mcpproxy.Status]int    `json:"by_status"`
	Risk        map[mcpproxy.RiskLevel]int `json:"by_risk"`
	AtLeastRisk map[mcpproxy.RiskLevel]int `json:"at_least_risk" doc:"Records of this level and above"`
	Blocked     int                        `json:"blocked" doc:"Records of calls that were stopped"`
	Sensitive   int                        `json:"sensitive" doc:"Records with secrets or personal data"`
	Types       []Value                    `json:"by_type"`
	Decisions   []Value                    `json:"by_decision"`
	FlowTypes   []Value                    `json:"by_flow_type"`
	Servers     []Value                    `json:"top_servers" doc:"The ten most frequent"`
	Tools       []Value                    `json:"top_tools" doc:"The ten most frequent, as server:tool"`
	Rules       []Value                    `json:"top_rules" doc:"The ten rules that decided most often"`
	Detections  []Value                    `json:"top_detections" doc:"The ten most frequent kinds of sensitive data"`
	// Buckets cover the time from the first matching record to the last without a gap.
	Buckets []Bucket `json:"buckets" doc:"Over time, at most 100"`
	Width   int      `json:"bucket_seconds" doc:"Length of a bucket"`
}

// Value is a value with the number of its records.
type Value struct {
	Value   string `json:"value"`
	Records int    `json:"records"`
}

// Bucket counts the records of one span of time.
type Bucket struct {
	Start   time.Time `json:"start"`
	Total   int       `json:"total"`
	Blocked int       `json:"blocked"`
	Risky   int       `json:"risky" doc:"Records of risk high and above"`
}

// MaxBuckets is the largest number of buckets in a summary.
const MaxBuckets = 100

// BucketWidth returns the length of the buckets for a span of time: the shortest round length that
// needs at most MaxBuckets.
func BucketWidth(span time.Duration) time.Duration {
	for _, width := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
		3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
		24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour} {
		if span/width < MaxBuckets-1 {
			return width
		}
	}
	return (span/(MaxBuckets-2)/time.Hour + 1) * time.Hour
}
