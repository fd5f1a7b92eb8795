package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpproxy/internal/api"
	"mcpproxy/internal/config"
	hookeval "mcpproxy/internal/hook/evaluate"
	"mcpproxy/internal/redact"
	"mcpproxy/internal/upstream"
)

// checkup is what doctor found, for programs.
type checkup struct {
	OK              bool                 `json:"ok"`
	Checks          []check              `json:"checks"`
	Coverage        hookeval.Coverage    `json:"security_coverage"`
	Recommendations []api.Recommendation `json:"recommendations"`
	running         *api.Overview        // what the daemon says about itself; nil when none answers
}

// check is one thing that was looked at.
type check struct {
	Section string `json:"section"`
	Name    string `json:"check"`
	OK      bool   `json:"ok"`
	Detail  string `json:"detail,omitempty"`
	Advice  string `json:"advice,omitempty"` // what to do when it is not
	Grade   string `json:"grade,omitempty"`  // of a line of the checklist, and of advice elsewhere: ok, could be better or broken
	Key     string `json:"key,omitempty"`    // the key of the configuration that it hangs on
}

// section looks at one part of the installation. One that finds a part broken goes
// on: the next may still hold.
type section func(ctx context.Context, g *globals, c *config.Config, found *checkup)

// sections are what doctor looks at, in this order.
var sections = []section{checkConfiguration, checkFiles, checkLog, checkChain, checkDaemon, checkSandbox, checkHooks, checkDeployment}

func doctorCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check the installation, and say what would make it safer", Args: noArguments,
		Long: `Looks at the configuration, at who can read your files, at the activity log and its
chain, at the running daemon with its servers, tokens and switches, at the hooks of your
agents, at how much of them is seen, and grades the deployment. Exits 1 when something is broken (✗); advice
alone (!) is no failure.`,
		Example: `  mcpproxy doctor
  mcpproxy doctor -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found := examine(cmd.Context(), g)
			if g.output != "table" {
				if err := g.print(cmd.OutOrStdout(), found, nil); err != nil {
					return err
				}
			} else {
				found.tell(cmd.OutOrStdout())
			}
			if !found.OK {
				return &exitError{exitGeneral, errors.New("something is broken: see the lines marked with ✗")}
			}
			return nil
		},
	}
}

// examine looks at everything.
func examine(ctx context.Context, g *globals) *checkup {
	found := &checkup{OK: true, Coverage: hookeval.Coverage{Mode: "proxy_only", Agents: []hookeval.AgentSeen{}}, Recommendations: []api.Recommendation{}}
	c, err := config.Load(g.config)
	if errors.Is(err, os.ErrNotExist) {
		found.add(check{Section: "Configuration", Name: "file", OK: true, Detail: "none yet: `mcpproxy serve` writes one"})
		c, err = config.Default(), nil
	}
	if err != nil {
		advice := "mend the line that is named"
		if errors.Is(err, os.ErrPermission) {
			advice = "give your user the right to read it"
		}
		found.add(check{Section: "Configuration", Name: "file", Detail: redact.Secrets(err.Error()), Advice: advice})
		if c, err = clientConfig(g.config); err != nil {
			c = config.Default()
		}
	}
	for _, look := range sections {
		look(ctx, g, c, found)
	}
	return found
}

func (f *checkup) add(c check) {
	f.Checks = append(f.Checks, c)
	f.OK = f.OK && c.OK
}

// advise adds what works and could be better, if it is so.
func (f *checkup) advise(so bool, c check) {
	if so {
		c.OK, c.Grade = true, gradeBetter
		f.add(c)
	}
}

// checkConfiguration says what of the configuration holds.
func checkConfiguration(_ context.Context, g *globals, c *config.Config, f *checkup) {
	if len(f.Checks) > 0 {
		return // there is none, or it does not hold
	}
	if _, err := detectorFor(c); err != nil {
		f.add(check{Section: "Configuration", Name: "file", Detail: err.Error(), Advice: "mend the pattern that is named"})
		return
	}
	f.add(check{Section: "Configuration", Name: "file", OK: true, Detail: fmt.Sprintf("%s holds: %d servers", g.config, len(c.Servers))})
	for _, key := range c.Idle() {
		f.advise(true, check{Section: "Configuration", Name: key, Detail: "has no effect in this version"})
	}
}

// checkLog says whether the activity log can be written.
func checkLog(_ context.Context, _ *globals, c *config.Config, f *checkup) {
	result := check{Section: "Activity log", Name: "writable", OK: true, Detail: c.LogPath()}
	log, err := os.OpenFile(c.LogPath(), os.O_WRONLY, 0)
	if err == nil {
		err = log.Close()
	} else if errors.Is(err, os.ErrNotExist) {
		err = canMake(c.DataDir)
	}
	if err != nil {
		result.OK, result.Detail, result.Advice = false, err.Error(), "give your user the right to write to "+c.DataDir+", or set another data_dir"
	}
	f.add(result)
}

// canMake reports why no file can be made in a folder, which may be still to make.
func canMake(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) && filepath.Dir(dir) != dir {
		return canMake(filepath.Dir(dir))
	}
	file, err := os.CreateTemp(dir, ".mcpproxy-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// checkDaemon asks the running daemon for its servers and for what it sees.
func checkDaemon(ctx context.Context, g *globals, c *config.Config, f *checkup) {
	defer f.recommend()
	var d api.Diagnostics
	client, err := newClientFor(c) // of a file that does not hold too: the daemon may run with an older one
	if err == nil {
		err = client.get(ctx, "/api/v1/diagnostics", nil, &d)
	}
	if err != nil {
		advice := ""
		if !errors.Is(err, errNoDaemon) {
			advice = "look at what the daemon writes to its standard error"
		}
		f.add(check{Section: "Daemon", Name: "reachable", Detail: err.Error(), Advice: advice})
		return
	}
	f.Coverage = d.Coverage
	f.add(check{Section: "Daemon", Name: "reachable", OK: true, Detail: client.where})
	if !d.Log.Readable {
		f.add(check{Section: "Activity log", Name: "readable", Detail: d.Log.Error, Advice: "run `mcpproxy activity verify`"})
	}
	f.checkState(ctx, client)
	for _, s := range d.Servers {
		result := check{Section: "Servers", Name: s.Name, OK: s.State != upstream.Failed && s.Error == "", Detail: strings.TrimSuffix(string(s.State)+": "+s.Error, ": ")}
		if !result.OK {
			result.Advice = "see `mcpproxy upstream logs " + s.Name + "`"
		}
		if s.Login != "" {
			result.Advice = "run `" + s.Login + "`"
		}
		f.add(result)
		f.checkStanding(s)
	}
}

// checkStanding says what keeps calls from a server, and what does not hold it.
func (f *checkup) checkStanding(s upstream.Status) {
	if s.Breaker == upstream.Open || s.Breaker == upstream.HalfOpen {
		detail := "the breaker is " + string(s.Breaker)
		if s.LastFault != nil {
			detail += ": " + s.LastFault.Error
		}
		f.add(check{Section: "Servers", Name: s.Name, Detail: detail, Advice: "calls are refused until the server answers again; see `mcpproxy upstream logs " + s.Name + "`"})
	}
	if s.Isolation == nil {
		return
	}
	for _, missing := range s.Isolation.Missing {
		f.add(check{Section: "Servers", Name: s.Name, OK: true, Detail: "not confined: " + missing,
			Advice: "set isolation.required to start the server only where it is confined in full"})
	}
	for _, open := range s.Isolation.Open {
		f.advise(true, check{Section: "Servers", Name: s.Name, Detail: "open to it: " + open, Advice: "name no more than the server needs"})
	}
}

// recommend advises hooks where none are active, and only there.
func (f *checkup) recommend() {
	if !f.Coverage.Active {
		f.Recommendations = append(f.Recommendations, api.InstallHooks)
	}
}

// tell shows everything to a person.
func (f *checkup) tell(w io.Writer) {
	p, section := colours(w), ""
	order := map[string]int{}
	for i, c := range f.Checks {
		if _, met := order[c.Section]; !met {
			order[c.Section] = i
		}
	}
	slices.SortStableFunc(f.Checks, func(a, b check) int { return order[a.Section] - order[b.Section] })
	for _, c := range f.Checks {
		if c.Section != section {
			section = c.Section
			heading := section
			if section == deployment {
				heading += ": " + f.graded()
			}
			fmt.Fprintln(w, p.bold(heading))
		}
		mark := p.green("✓")
		switch {
		case !c.OK:
			mark = p.red("✗")
		case c.Grade == gradeBetter:
			mark = p.yellow("!")
		}
		fmt.Fprintf(w, "  %s %s: %s\n", mark, plain(c.Name), plain(c.Detail))
		if c.Advice != "" {
			fmt.Fprintf(w, "    %s\n", plain(c.Advice+keyed(c)))
		}
	}
	fmt.Fprintln(w, p.bold("Security Coverage"))
	if f.Coverage.Active {
		fmt.Fprintf(w, "  %s Coverage: full\n  %s Hooks: active (%s)\n", p.green("✓"), p.green("✓"), active(f.Coverage))
		return
	}
	fmt.Fprintf(w, "  Coverage: MCP proxy only\n  Hooks: not active. %s\n", api.InstallHooks.Why)
	fmt.Fprintf(w, "  %s %s\n", p.yellow("→"), api.InstallHooks.Message)
}

// keyed names the key of the configuration that a check hangs on.
func keyed(c check) string {
	if c.Key == "" {
		return ""
	}
	return " (" + c.Key + ")"
}

// active names the agents whose hooks are active, each with its sessions.
func active(c hookeval.Coverage) string {
	var out []string
	for _, a := range c.Agents {
		sessions := "1 session"
		if a.Sessions != 1 {
			sessions = fmt.Sprintf("%d sessions", a.Sessions)
		}
		out = append(out, plain(a.Name)+": "+sessions)
	}
	return strings.Join(out, ", ")
}
