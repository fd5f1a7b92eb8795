package peer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"

	"mcpproxy/internal/atomicfile"
)

// kept is the content of a registry's file.
type kept struct {
	Boot   string      `json:"boot"` // boot of the operating system that the processes belong to
	Agents []keptAgent `json:"agents"`
}

// keptAgent is an agent in the file.
type keptAgent struct {
	PID     int    `json:"pid"`
	Start   uint64 `json:"start"`
	Until   uint64 `json:"until,omitempty"` // when it was found to have ended; 0 while it runs
	Hooked  bool   `json:"hooked,omitempty"`
	Nested  bool   `json:"nested,omitempty"`
	Cgroup  string `json:"cgroup,omitempty"`
	Session int    `json:"session,omitempty"`
}

// maxKept is the maximum size of the file, in bytes.
const maxKept = 1 << 20

// Keep reads the agents that an earlier daemon knew from a file, and writes every change to it.
// Without the file, a restart would make an agent's processes look like the user's. Agents from
// before the last boot are ignored.
func (r *Registry) Keep(path string) error {
	if bootID() == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.file = path
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && (!info.Mode().IsRegular() || info.Size() > maxKept):
		return fmt.Errorf("%s is not a list of agents that mcpproxy wrote; remove it", path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading which agents were running: %w", err)
	}
	return r.restore(raw)
}

// restore adds the agents in the file.
func (r *Registry) restore(raw []byte) error {
	var k kept
	if err := json.Unmarshal(raw, &k); err != nil {
		return fmt.Errorf("reading which agents were running: %w", err)
	}
	if k.Boot != bootID() || len(k.Agents) > 2*maxAgents {
		return nil
	}
	for _, a := range k.Agents {
		p := Process{PID: a.PID, Start: a.Start}
		l := lineage{cgroup: a.Cgroup, session: a.Session}
		switch {
		case !p.Known() || p == r.self:
		case a.Until == 0 && p.alive():
			r.agents[p] = &agent{from: l, hooked: a.Hooked, nested: a.Nested}
		case a.Until == 0:
			r.past = append(r.past, pastAgent{Process: p, from: l, until: now()})
		default:
			r.past = append(r.past, pastAgent{Process: p, from: l, until: a.Until})
		}
	}
	r.generation.Add(1)
	return nil
}

// keep writes the file. If writing fails, the registry works on in memory.
func (r *Registry) keep() {
	if r.file == "" {
		return
	}
	k := kept{Boot: bootID(), Agents: []keptAgent{}}
	for p, a := range r.agents {
		k.Agents = append(k.Agents, keptAgent{
			PID:     p.PID,
			Start:   p.Start,
			Hooked:  a.hooked,
			Nested:  a.nested,
			Cgroup:  a.from.cgroup,
			Session: a.from.session,
		})
	}
	for _, a := range r.past {
		k.Agents = append(k.Agents, keptAgent{
			PID:     a.PID,
			Start:   a.Start,
			Until:   a.until,
			Cgroup:  a.from.cgroup,
			Session: a.from.session,
		})
	}
	slices.SortFunc(k.Agents, func(a, b keptAgent) int { return int(a.Start) - int(b.Start) })
	raw, err := json.Marshal(k)
	if err == nil {
		err = atomicfile.WriteBytes(r.file, 0o600, raw)
	}
	if err != nil {
		slog.Warn(
			"the running agents could not be saved: after a restart the daemon does not know them at first",
			"error",
			err,
		)
	}
}
