package doctor

import (
	"context"
	"slices"
	"strings"

	"mcpproxy/internal/config"
)

// checkHooks checks the installed hooks.
func checkHooks(_ context.Context, at Installation, _ *config.Config, f *Checkup) {
	defer f.recommend()
	all, err := at.Hooks(f.Coverage.Agents)
	if err != nil {
		f.advise(true, Check{Section: "Hooks", Name: "installed", Detail: err.Error()})
		return
	}
	for _, s := range all {
		if s.Installed != "no" && !slices.Contains(f.hooked, s.Agent) {
			f.hooked = append(f.hooked, s.Agent)
		}
		result := Check{
			Section: "Hooks",
			Name:    s.Agent,
			OK:      true,
			Detail:  strings.TrimSpace("installed in " + s.Path),
		}
		switch {
		case s.Installed != "no" && !s.Reachable:
			result.OK = false
			result.Detail = s.Path + " contains the path of a program that cannot be run"
			result.Advice = "run `mcpproxy hook install --agent " + s.Agent + "` again"
		case s.Problem != "":
			result.Grade = GradeBetter
			result.Detail = s.Problem
			result.Advice = "see `mcpproxy hook status`"
		case s.Installed == "no":
			continue // recommended below if no hook is active
		case s.Trusted == "no":
			result.Grade = GradeBetter
			result.Detail = "the agent does not trust it, and so does not run it"
			result.Advice = "approve it in the agent"
		}
		f.add(result)
	}
}
