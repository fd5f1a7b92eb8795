package upstream

import (
	"os"
	"slices"
)

// loosened returns the configuration keys by which a changed isolation allows more than i.
func (i *Isolation) loosened(changed *Isolation) (keys []string) {
	if i == nil {
		return nil
	}
	if changed == nil {
		return []string{"isolation"}
	}
	if i.files() && !changed.files() {
		keys = append(keys, "read and write")
	} else if i.Standard && !changed.Standard && !changed.files() {
		keys = append(keys, "profile")
	}
	if i.opens(changed.Read, slices.Concat(i.Read, i.Write)) {
		keys = append(keys, "read")
	}
	if i.opens(changed.Write, i.Write) {
		keys = append(keys, "write")
	}
	for key, opened := range map[string]bool{
		"network":      i.opensNetwork(changed),
		"unix_sockets": i.closes() && !changed.closes(),
		"memory_mb":    higher(i.MemoryMB, changed.MemoryMB),
		"cpu_secs":     higher(i.CPUSecs, changed.CPUSecs),
		"processes":    higher(i.Processes, changed.Processes),
		"required":     i.Required && !changed.Required,
	} {
		if opened {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// opensNetwork reports whether a changed isolation allows network access that i forbids.
func (i *Isolation) opensNetwork(changed *Isolation) bool {
	switch {
	case changed.NoNetwork:
		return false
	case i.NoNetwork:
		return true
	case i.Hosts == nil:
		return false
	}
	return changed.Hosts == nil || !i.Hosts.Covers(changed.Hosts)
}

// opens reports whether one of paths allows files that i forbids and that i's own paths do not
// contain.
func (i *Isolation) opens(paths, already []string) bool {
	var hidden []string
	if home, err := os.UserHomeDir(); err == nil && i.Standard {
		hidden = allForms(slices.Concat(hiddenBelow(home), below(home, standardKept)))
	}
	for _, path := range paths {
		target := plain(path)
		if slices.ContainsFunc(already, func(p string) bool { return within(plain(p), target) }) {
			continue
		}
		if i.files() || coveredBy(hidden, target) || covers(target, hidden) {
			return true
		}
	}
	return false
}

// higher reports whether a limit was raised or removed; 0 means no limit.
func higher(limit, changed int) bool { return limit > 0 && (changed == 0 || changed > limit) }
