package doctor

import (
	"context"

	"mcpproxy/internal/codemode"
	"mcpproxy/internal/config"
	"mcpproxy/internal/daemon"
	"mcpproxy/internal/upstream"
)

// layersOf describes each layer of the sandbox.
var layersOf = map[string]string{
	"limits":   "memory, processor time and the writing of files are bounded",
	"landlock": "scripts cannot reach files, the network or other processes",
	"seccomp":  "a process that makes any other system call is ended",
}

// checkSandbox starts a worker of code mode in the same way as the daemon, and reports which layers
// confine scripts on this machine.
func checkSandbox(_ context.Context, _ Installation, c *config.Config, f *Checkup) {
	if !c.CodeExecution.Enabled {
		return
	}
	const section = "Sandbox of scripts"
	program, err := upstream.Self()
	if err == nil {
		engine := codemode.NewProcesses(program)
		engine.Configure(daemon.ScriptLimits(c))
		defer engine.Close()
		layers, failed := codemode.Layers(engine)
		for _, l := range layers {
			if l.Held {
				f.add(Check{
					Section: section,
					Name:    l.Name,
					OK:      true,
					Detail:  layersOf[l.Name],
				})
				continue
			}
			f.advise(true, Check{
				Section: section,
				Name:    l.Name,
				Key:     "code_execution.enabled",
				Detail:  "it is not enforced: " + l.Why,
				Advice:  "scripts run with what is left; use a Linux kernel with Landlock and seccomp, and a build without cgo",
			})
		}
		err = failed
	}
	if err != nil {
		f.add(Check{
			Section: section,
			Name:    "worker",
			Detail:  "a worker cannot be started: " + err.Error(),
			Advice:  "run a script, and read what the daemon writes to its standard error",
		})
	}
}
