// Package doctor examines an installation: the configuration, who can read its files, what
// this system lacks, the activity log, the running daemon and its servers, the service that
// starts it, the sandbox of scripts, the hooks of agents, and whether the deployment is fit
// for servers of strangers. Each check has a file of its own and one line in a list: that of
// sections, or the checklist of the deployment. What the running daemon says is checked in
// the files that begin with daemon.
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

// Checkup is what doctor found, for programs.
type Checkup struct {
	OK              bool                 `json:"ok"`
	Checks          []Check              `json:"checks"`
	Coverage        hookeval.Coverage    `json:"security_coverage"`
	Recommendations []api.Recommendation `json:"recommendations"`
	hooked          []string             // agents that have a hook installed
	running         *api.Overview        // what the daemon says about itself; nil when none answers
}

// Check is one thing that was looked at.
type Check struct {
	Section string `json:"section"`
	Name    string `json:"check"`
	OK      bool   `json:"ok"`
	Detail  string `json:"detail,omitempty"`
	Advice  string `json:"advice,omitempty"` // what to do when it is not
	Grade   string `json:"grade,omitempty"`  // of a line of the checklist, and of advice elsewhere: ok, could be better or broken
	Key     string `json:"key,omitempty"`    // the key of the configuration that it hangs on
}

// Installation is the installation of mcpproxy that the checks examine.
type Installation struct {
	File string // the configuration

	// Hooks returns where hooks are installed, for the agents that the daemon has seen.
	Hooks func(seen []hookeval.AgentSeen) ([]install.Status, error)
}

// section looks at one part of the installation. One that finds a part broken goes
// on: the next may still hold.
type section func(ctx context.Context, at Installation, c *config.Config, found *Checkup)

// sections are what doctor looks at, in this order.
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

// Examine looks at everything.
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
		advice := "mend the line that is named"
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

// advise adds what works and could be better, if it is so.
func (f *Checkup) advise(so bool, c Check) {
	if so {
		c.OK, c.Grade = true, GradeBetter
		f.add(c)
	}
}

// recommend says what to do where no hooks are active, and only there.
func (f *Checkup) recommend() {
	if !f.Coverage.Active {
		f.Recommendations = append(f.Recommendations, api.AdviseHooks(f.hooked))
	}
}
