package doctor

import (
	"context"
	"runtime"

	"mcpproxy/internal/config"
)

// guarantee is a protection that depends on the operating system, and what remains without it.
type guarantee struct {
	name   string
	others string            // what is missing on systems that are not listed
	lacks  map[string]string // what is missing by system; no entry if nothing is missing
	left   string            // what still works
}

// onLinux names the reference system, which has all guarantees.
const onLinux = "linux"

// guarantees lists all guarantees. Every difference between systems in mcpproxy has an entry.
var guarantees = []guarantee{
	{
		name:   "who speaks",
		others: "mcpproxy cannot find out which process makes a connection, so it cannot distinguish a command of an agent from one of yours",
		left:   "commands of an agent that address mcpproxy are still recognised by their text and refused",
	},
	{
		name:   "the socket's owner",
		others: "the system does not tell which user is at the other end of the socket",
		left:   "the socket and its folder are closed to other users by their mode",
		lacks:  map[string]string{"windows": "the system does not tell which user is at the other end of the socket, and the socket has no mode"},
	},
	{
		name:   "rights of files",
		others: "",
		left:   "everything is below your profile, whose access list keeps other users out; keep data_dir there",
		lacks:  map[string]string{"windows": "mcpproxy does not check access lists, so it does not know whether others can read or change a file"},
	},
	{
		name:   "memory",
		others: "other programs of yours may read the memory of mcpproxy where the system lets them; core dumps alone are forbidden",
		left:   "keys are on disk in files of your own, and masked wherever they are printed",
		lacks:  map[string]string{"windows": "other programs of yours can read the memory of mcpproxy, and crash dumps are not forbidden"},
	},
	{
		name:   "confined servers",
		others: "servers are not confined: isolation has no effect, and a server with isolation.required does not start",
		left:   "servers get a small environment, and each of their calls passes the gate; use a container for servers that you do not trust",
		lacks: map[string]string{
			"darwin": "servers are confined by sandbox-exec, which this version was not tried with on a Mac; memory_mb and processes have no " +
				"effect, and most services of macOS answer a confined server",
		},
	},
	{
		name:   "confined scripts",
		others: "the worker that runs scripts is not confined by the system",
		left:   "it is a process of its own with an empty environment, and its engine offers no files, network or programs",
	},
	{
		name:   "helpers of servers",
		others: "a helper that leaves its server's process group may outlive it",
		left:   "the process group is ended",
		lacks:  map[string]string{"windows": "a helper that a server starts in its first microseconds may outlive it"},
	},
	{
		name:   "agents' settings",
		others: "",
		left:   "the file is compared again just before it is replaced",
		lacks: map[string]string{
			"darwin":  "a program that writes an agent's settings at the very same moment is not made to wait",
			"windows": "a change that another program makes to an agent's settings at the very same moment may be lost",
		},
	},
	{
		name:   "service",
		others: "mcpproxy cannot install itself as a service",
		left:   "set autostart to true, or have the system's own manager run: mcpproxy serve",
		lacks: map[string]string{
			"darwin":  "launchd does not start mcpproxy again when it hangs, and opens no sockets for it",
			"windows": "the service demands your Windows password, is not started again when it hangs, and was not tried on Windows",
		},
	},
	{
		name:   "signals",
		others: "",
		left:   "turn the kill switch on with `mcpproxy kill on`; changes of the configuration are noticed by themselves",
		lacks:  map[string]string{"windows": "SIGHUP and SIGUSR1 do not exist, and `mcpproxy stop` ends the daemon without letting calls finish"},
	},
}

// missing returns what the guarantee lacks on a system, or "".
func (g guarantee) missing(system string) string {
	if system == onLinux {
		return ""
	}
	if lacks, listed := g.lacks[system]; listed {
		return lacks
	}
	return g.others
}

// checkPlatform reports what the operating system lacks, and what remains without it.
func checkPlatform(_ context.Context, _ Installation, _ *config.Config, f *Checkup) {
	f.examinePlatform(runtime.GOOS, runtime.GOARCH)
}

func (f *Checkup) examinePlatform(system, machine string) {
	const section = "Platform"
	whole := true
	for _, g := range guarantees {
		lacks := g.missing(system)
		whole = whole && lacks == ""
		f.advise(lacks != "", Check{
			Section: section,
			Name:    g.name,
			Detail:  lacks,
			Advice:  g.left,
		})
	}
	if whole {
		f.add(Check{
			Section: section,
			Name:    "system",
			OK:      true,
			Detail:  system + "/" + machine + " has everything that mcpproxy can use",
		})
	}
}
