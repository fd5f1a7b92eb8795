package risk

import (
	"fmt"
	"math"
	"slices"
	"time"

	"mcpproxy"
)

// How much must be known about a tool before a call can be unusual.
const (
	minSends     = 20                 // calls, for its destinations
	minSizes     = 10                 // calls, for its sizes
	minHours     = 50                 // calls, for its hours,
	minDays      = 3 * 24 * time.Hour // over this time
	maxNews      = 0.2                // share of calls with a new destination; above it, new ones are usual
	maxKnown     = 256                // destinations of one tool
	minJump      = 4096               // bytes below which no call is large
	jumpFactor   = 4                  // a call is large from this multiple of the usual size
	jumpSpread   = 6                  // a size is unusual if it is this many deviations above the usual one
	normalSpread = 1.4826             // converts a median deviation to a standard deviation
	minSpread    = 0.05               // of the usual size, for tools whose calls all have the same size
)

// baseline describes the usual calls of a tool.
type baseline struct {
	sends int
	first time.Time
	hours [24]int // calls by hour of the day, UTC
	known map[string]bool
	sizes sizes
}

// learn adds a call to the baseline.
func (b *baseline) learn(s Send) {
	if b.sends == 0 {
		b.first, b.known = s.At, map[string]bool{}
	}
	b.sends++
	b.hours[s.At.UTC().Hour()]++
	b.sizes.add(s.Bytes)
	for _, d := range s.Destinations {
		if len(b.known) < maxKnown {
			b.known[d] = true
		}
	}
}

// strange returns signals for what is unusual in a call of the tool.
func (b *baseline) strange(s Send) []mcpproxy.Signal {
	var out []mcpproxy.Signal
	news := float64(len(b.known)) / float64(max(b.sends, 1))
	if b.sends >= minSends && news <= maxNews && len(b.known) < maxKnown {
		if i := slices.IndexFunc(s.Destinations, func(d string) bool { return !b.known[d] }); i >= 0 {
			out = append(out, behavioural(
				"new_destination",
				mcpproxy.SeverityMedium,
				0.8*(1-news),
				fmt.Sprintf(
					"%s is new for %s, which had %d in %d calls",
					s.Destinations[i],
					s.Tool,
					len(b.known),
					b.sends,
				),
			))
		}
	}
	hour := s.At.UTC().Hour()
	near := b.hours[hour] + b.hours[(hour+1)%24] + b.hours[(hour+23)%24]
	if b.sends >= minHours && s.At.Sub(b.first) >= minDays && near == 0 {
		out = append(out, behavioural("unusual_hour", mcpproxy.SeverityLow, 0.5,
			fmt.Sprintf("%s has never been called around %02d:00 UTC, in %d calls", s.Tool, hour, b.sends)))
	}
	return out
}

// sizes are the sizes of the last calls, in bytes.
type sizes struct {
	last [64]int
	n    int // number of sizes ever added
}

func (s *sizes) add(bytes int) {
	s.last[s.n%len(s.last)] = bytes
	s.n++
}

// volumeJump reports a call that is far larger than usual for a tool or session. It compares with the median, which a
// few large calls do not change.
func volumeJump(s sizes, bytes int, whom string) (mcpproxy.Signal, bool) {
	if s.n < minSizes || bytes < minJump {
		return mcpproxy.Signal{}, false
	}
	all := slices.Clone(s.last[:min(s.n, len(s.last))])
	usual := median(all)
	for i := range all {
		all[i] = max(all[i]-usual, usual-all[i])
	}
	spread := normalSpread * max(float64(median(all)), minSpread*float64(usual))
	if float64(bytes) < float64(usual)+jumpSpread*spread || bytes < jumpFactor*usual {
		return mcpproxy.Signal{}, false
	}
	times := float64(bytes) / float64(max(usual, 1))
	return behavioural("volume_jump", mcpproxy.SeverityMedium, between(0.5, 0.1*math.Log2(times)+0.3, 0.9),
		fmt.Sprintf("%d bytes, where %d are usual for %s", bytes, usual, whom)), true
}

// median sorts s and returns its median.
func median(s []int) int {
	slices.Sort(s)
	return s[len(s)/2]
}
