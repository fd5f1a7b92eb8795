package definition

import (
	"crypto/sha256"
	"sync"
)

// Memory caches the signals that depend on one definition alone, so that an unchanged definition costs little in a
// later scan with other definitions. It drops the definitions that the last scan did not contain. It is safe for
// concurrent use.
type Memory struct {
	mu        sync.Mutex
	last, now map[memoryKey]*remembered // entries of the last scan and of the current one
}

// memoryKey identifies one definition of one server.
type memoryKey [sha256.Size]byte

// remembered holds the signals about one definition, by the order of the checks.
type remembered struct {
	signals [][]Signal
	failed  []bool
	shadow  shadow
}

// Forget drops everything. It is called when the checks have changed.
func (m *Memory) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last, m.now = nil, nil
}

// turn ends a scan.
func (m *Memory) turn() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last, m.now = m.now, nil
}

// of returns the signals that depend on a definition alone. Failed checks are not cached.
func (m *Memory) of(view *ToolView, checks []Check) *remembered {
	if m == nil {
		return lookAlone(view, checks)
	}
	key := memoryKeyOf(view)
	m.mu.Lock()
	r := m.last[key]
	if r == nil {
		r = m.now[key]
	}
	m.mu.Unlock()
	if r == nil || len(r.signals) != len(checks) {
		r = lookAlone(view, checks)
		for _, failed := range r.failed {
			if failed {
				return r
			}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now == nil {
		m.now = map[memoryKey]*remembered{}
	}
	m.now[key] = r
	return r
}

// lookAlone runs the checks on a definition, without other definitions.
func lookAlone(view *ToolView, checks []Check) *remembered {
	r := &remembered{signals: make([][]Signal, len(checks)), failed: make([]bool, len(checks))}
	for n, c := range checks {
		var ok bool
		if shadowing, is := c.(shadowCheck); is {
			_, ok = inspect(c.ID(), func() []Signal { r.shadow = shadowing.alone(view); return nil })
		} else {
			r.signals[n], ok = inspect(c.ID(), func() []Signal { return c.Inspect(view, nobody) })
		}
		r.failed[n] = !ok
	}
	return r
}

// nobody is an empty registry.
var nobody = NewRegistry(nil)

func memoryKeyOf(view *ToolView) memoryKey {
	raw, err := view.declared()
	if err != nil {
		raw = view.Raw
	}
	h := sha256.New()
	for _, s := range []string{view.Server, string(view.kind()), view.Name} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	h.Write(raw)
	return memoryKey(h.Sum(nil))
}
