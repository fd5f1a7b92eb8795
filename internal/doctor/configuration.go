package doctor

import (
	"context"
	"fmt"

	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
)

// checkConfiguration reports which parts of the configuration are in force.
func checkConfiguration(_ context.Context, at Installation, c *config.Config, f *Checkup) {
	if len(f.Checks) > 0 {
		return // missing or invalid
	}
	if _, err := daemon.DetectorFor(at.File, c); err != nil {
		f.add(Check{
			Section: "Configuration",
			Name:    "file",
			Detail:  err.Error(),
			Advice:  "fix the pattern that is named",
		})
		return
	}
	f.add(Check{
		Section: "Configuration",
		Name:    "file",
		OK:      true,
		Detail:  fmt.Sprintf("%s holds: %d servers", at.File, len(c.Servers)),
	})
	for _, key := range c.Idle() {
		f.advise(true, Check{Section: "Configuration", Name: key, Detail: "has no effect in this version"})
	}
}
