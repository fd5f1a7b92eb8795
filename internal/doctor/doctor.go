// Package doctor examines an installation: the configuration, the access rights of its files, the
// features of the operating system, the activity log, the running daemon and its servers, the
// service that starts it, the sandbox of scripts, the hooks of agents, and whether the deployment
// is suitable for untrusted servers. Each check has its own file and one line in a list: the list
// of sections, or the checklist of the deployment. The checks of the running daemon are in the
// files that begin with daemon.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"

	"mcpproxy/internal/api"
	"mcpproxy/internal/atomicfile"
	"mcpproxy/internal/config"
	hookeval "mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/hook/install"
	"mcpproxy/internal/redact"
	"mcpproxy/internal/remote"
)

// Checkup is the result of doctor, for programs.
type Checkup struct {
	OK              bool                 `json:"ok"`
	Checks          []Check              `json:"checks"`
	Coverage        hookeval.Coverage    `json:"security_coverage"`
	Recommendations []api.Recommendation `json:"recommendations"`
	hooked          []string             // agents with an installed hook
	running         *api.Overview        // the daemon's own state; nil if no daemon answers
}

// Check is the result of one check.
type Check struct {
	Section string `json:"section"`
	Name    string `json:"check"`
	OK      bool   `json:"ok"`
	Detail  string `json:"detail,omitempty"`
	Advice  string `json:"advice,omitempty"` // what to do if the check fails
	Grade   string `json:"grade,omitempty"`  // for the checklist and for advice: ok, could be better or broken
	Key     string `json:"key,omitempty"`    // the configuration key that the check is about
}

// Installation is the installation of mcpproxy that the checks examine.
type Installation struct {
	File string // path of the configuration

	// Hooks returns where hooks are installed, for the agents that the daemon has seen.
	Hooks func(seen []hookeval.AgentSeen) ([]install.Status, error)
}

// section checks one part of the installation. It continues after a failed check, because the next
// one may succeed.
type section func(ctx context.Context, at Installation, c *config.Config, found *Checkup)

// sections are the parts that doctor checks, in this order.
var sections = []section{
	checkConfiguration,
	checkFiles,
	checkSignOn,
	checkPlatform,
	checkLog,
	checkChain,
	checkBreaks,
	checkDaemon,
	checkService,
	checkSandbox,
	checkHooks,
	checkDeployment,
}

// Examine runs all checks.
func Examine(ctx context.Context, at Installation) *Checkup {
	found := &Checkup{
		OK:              true,
		Coverage:        hookeval.Coverage{Mode: "proxy_only", Agents: []hookeval.AgentSeen{}},
		Recommendations: []api.Recommendation{},
	}
	c, err := config.Load(ctx, at.File)
	if errors.Is(err, os.ErrNotExist) {
		found.add(Check{
			Section: "Configuration",
			Name:    "file",
			OK:      true,
			Detail:  "none yet: `mcpproxy serve` writes one",
		})
		c, err = config.Default(), nil
	}
	if err != nil {
		advice := "fix the line that is named"
		if e, ok := errors.AsType[*atomicfile.AccessError](err); ok {
			err, advice = fmt.Errorf("%s %s", e.Path, e.Problem), "run `"+e.Remedy+"`"
		}
		if errors.Is(err, os.ErrPermission) {
			advice = "give your user the right to read it"
		}
		found.add(Check{
			Section: "Configuration",
			Name:    "file",
			Detail:  redact.Secrets(err.Error()),
			Advice:  advice,
		})
		if c, err = remote.Config(at.File); err != nil {
			c = config.Default()
		}
	}
	for _, look := range sections {
		look(ctx, at, c, found)
	}
	return found
}

func (f *Checkup) add(c Check) {
	f.Checks = append(f.Checks, c)
	f.OK = f.OK && c.OK
}

// advise adds advice about something that works but could be better.
func (f *Checkup) advise(so bool, c Check) {
	if so {
		c.OK, c.Grade = true, GradeBetter
		f.add(c)
	}
}

// recommend adds advice if no hooks are active.
func (f *Checkup) recommend() {
	if !f.Coverage.Active {
		f.Recommendations = append(f.Recommendations, api.AdviseHooks(f.hooked))
	}
}
