package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// peakLimit is the maximum memory, in MB, that the daemon may use for malformed input.
const peakLimit = 300

func (d *daemon) expectModest(t *testing.T) {
	t.Helper()
	peak := d.peakMemory()
	t.Logf("the daemon took %d MB", peak)
	if peak > peakLimit {
		t.Errorf("that is more than %d MB", peakLimit)
	}
}

// peakMemory returns the daemon's peak memory, in MB (VmHWM).
func (d *daemon) peakMemory() int {
	d.t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.process.PID()))
	if err != nil {
		d.t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			if err != nil {
				d.t.Fatal(err)
			}
			return kb / 1024
		}
	}
	d.t.Fatal("no VmHWM in /proc")
	return 0
}
