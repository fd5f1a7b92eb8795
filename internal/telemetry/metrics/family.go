package metrics

import (
	"slices"
	"sort"
	"strings"
	"sync"
)

// Registry is a set of metrics. They are printed in the order in which they were added.
type Registry struct {
	mu       sync.Mutex
	families []*family
}

// family is one metric with all its label sets.
type family struct {
	name, help, kind string
	labels           []string
	limit            int
	bounds           []float64 // bucket limits of a histogram
	// read returns the current values of a metric that is not counted here.
	read func(add func(value float64, labels ...string))

	mu     sync.Mutex
	series map[string]*series
}

// series is one label set of a metric.
type series struct {
	labels []string
	value  float64  // the value of a counter, or the sum of a histogram
	counts []uint64 // count of each bucket; the last bucket has no limit
}

// Other is the value of every label for label sets beyond the limit of a metric.
const Other = "other"

func (r *Registry) add(f *family) *family {
	r.mu.Lock()
	defer r.mu.Unlock()
	f.series = map[string]*series{}
	r.families = append(r.families, f)
	return f
}

// Counter is a metric that counts.
type Counter struct{ f *family }

// Counter adds a counter with at most limit label sets.
func (r *Registry) Counter(name, help string, limit int, labels ...string) Counter {
	return Counter{r.add(&family{
		name:   name,
		help:   help,
		kind:   "counter",
		labels: labels,
		limit:  limit,
	})}
}

// Add adds n to the series with these label values, which have the order of the labels.
func (c Counter) Add(n float64, values ...string) {
	c.f.with(values, func(s *series) { s.value += n })
}

// Histogram is a metric that counts values by buckets.
type Histogram struct{ f *family }

// Histogram adds a histogram. Bounds are the upper limits of its buckets in increasing order.
func (r *Registry) Histogram(name, help string, bounds []float64, limit int, labels ...string) Histogram {
	return Histogram{r.add(&family{
		name:   name,
		help:   help,
		kind:   "histogram",
		labels: labels,
		limit:  limit,
		bounds: bounds,
	})}
}

// Observe counts one value.
func (h Histogram) Observe(v float64, values ...string) {
	h.f.with(values, func(s *series) {
		if s.counts == nil {
			s.counts = make([]uint64, len(h.f.bounds)+1)
		}
		s.counts[sort.SearchFloat64s(h.f.bounds, v)]++
		s.value += v
	})
}

// Gauge adds a metric whose values are read whenever it is printed.
func (r *Registry) Gauge(name, help string, labels []string, read func(add func(value float64, labels ...string))) {
	r.add(&family{
		name:   name,
		help:   help,
		kind:   "gauge",
		labels: labels,
		limit:  1000,
		read:   read,
	})
}

// Total is [Registry.Gauge] for values that only increase.
func (r *Registry) Total(name, help string, labels []string, read func(add func(value float64, labels ...string))) {
	r.add(&family{
		name:   name,
		help:   help,
		kind:   "counter",
		labels: labels,
		limit:  1000,
		read:   read,
	})
}

// with calls change with the series of these label values.
func (f *family) with(values []string, change func(*series)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := strings.Join(values, "\xff")
	s := f.series[key]
	if s == nil {
		if len(f.series) >= f.limit {
			values = slices.Repeat([]string{Other}, len(values))
			key = strings.Join(values, "\xff")
		}
		if s = f.series[key]; s == nil {
			s = &series{labels: slices.Clone(values)}
			f.series[key] = s
		}
	}
	change(s)
}
