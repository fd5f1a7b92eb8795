package codemode

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpproxy"
)

const (
	maxTTL    = 24 * time.Hour
	maxKey    = 256  // bytes
	maxScopes = 1000 // sessions that keep something
)

// stashes are the values that scripts leave for later ones, by flow session: where
// a value came from is known in that session alone. What they hold is bounded for
// all sessions together: a client can have as many sessions as it likes.
type stashes struct {
	mu     sync.Mutex
	scopes map[string]map[string]kept
	bytes  int // of all values
}

// kept is one value. It belongs to the strict group that the execution was locked
// to which left it, and is read by none of another.
type kept struct {
	value   json.RawMessage
	group   string
	expires time.Time
}

// scope is who shares a stash.
func scope(principal, flowSession string) string { return principal + "\x00" + flowSession }

// live are the values of a scope, those whose time is over removed. The lock is held.
func (s *stashes) live(name string, now time.Time) map[string]kept {
	for key, k := range s.scopes[name] {
		if !now.Before(k.expires) {
			s.drop(name, key)
		}
	}
	return s.scopes[name]
}

// drop removes a value, and its scope when it was the last. The lock is held.
func (s *stashes) drop(name, key string) {
	s.bytes -= len(s.scopes[name][key].value)
	delete(s.scopes[name], key)
	if len(s.scopes[name]) == 0 {
		delete(s.scopes, name)
	}
}

// sweep removes whatever is out of time, in every scope: those who left it may
// never come back. The lock is held.
func (s *stashes) sweep(now time.Time) {
	for name := range s.scopes {
		s.live(name, now)
	}
}

func (s *stashes) forget(flowSession string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, values := range s.scopes {
		if strings.HasSuffix(name, "\x00"+flowSession) {
			for key := range values {
				s.drop(name, key)
			}
		}
	}
}

// put keeps a value.
func (s *stashes) put(name, key string, k kept, l *Limits) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	values := s.live(name, now)
	old, known := values[key]
	if s.full(name, len(k.value)-len(old.value), l) {
		s.sweep(now)
	}
	switch {
	case key == "" || len(key) > maxKey:
		return mcpproxy.Errorf(mcpproxy.CodeMalformed, nil, "a key of the stash has 1 to %d bytes", maxKey)
	case known && old.group != "" && old.group != k.group:
		return groupDenied(old.group)
	case len(k.value) > l.StashValue:
		return mcpproxy.Errorf(mcpproxy.CodeTooLarge, nil, "the value has %d bytes, %d are allowed", len(k.value), l.StashValue)
	case !known && len(values) >= l.StashKeys:
		return mcpproxy.Errorf(mcpproxy.CodeTooLarge, nil, "the stash holds its %d keys: delete some", l.StashKeys)
	case s.full(name, len(k.value)-len(old.value), l):
		return mcpproxy.Errorf(mcpproxy.CodeTooLarge, nil, "the stashes of all sessions hold %d bytes of %d, in %d sessions of %d", s.bytes, l.StashTotal, len(s.scopes), maxScopes).
			Later("delete what is not needed any more, or try again later: values go when their time is over")
	}
	if values == nil {
		if s.scopes == nil {
			s.scopes = map[string]map[string]kept{}
		}
		values = map[string]kept{}
		s.scopes[name] = values
	}
	s.bytes += len(k.value) - len(old.value)
	values[key] = k
	return nil
}

// full reports whether there is no room for so many bytes more in a scope. The lock
// is held.
func (s *stashes) full(name string, more int, l *Limits) bool {
	_, known := s.scopes[name]
	return s.bytes+more > l.StashTotal || !known && len(s.scopes) >= maxScopes
}

func (s *stashes) get(name, key string) (kept, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.live(name, time.Now())[key]
	return k, ok
}

func (s *stashes) delete(name, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.live(name, time.Now())[key]; ok {
		s.drop(name, key)
	}
}

// keys are the names of the values that an execution may read which is locked to
// group, in order. One that has touched no strict group yet hears of no strict
// group's: names tell something too, and it may go on to another group.
func (s *stashes) keys(name, group string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []string{}
	for key, k := range s.live(name, time.Now()) {
		if k.group == "" || k.group == group {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}

func groupDenied(group string) error {
	return mcpproxy.Errorf(mcpproxy.CodeGroupDenied, nil, "the value belongs to the strict group %s, and this script has used another one", group)
}

// stash serves the script's stash. Reading a value of a strict group is touching
// that group.
func (x *execution) stash(ctx context.Context, a asked) ([]byte, error) {
	s, name := &x.h.stashes, scope(x.call.Principal, x.call.FlowSession)
	switch a.Op {
	case "put":
		ttl := x.limits.StashTTL
		if a.TTL > 0 {
			ttl = time.Duration(min(a.TTL, maxTTL.Seconds()) * float64(time.Second))
		}
		return nil, s.put(name, a.Key, kept{json.RawMessage(a.Value), x.lock.held(), time.Now().Add(ttl)}, x.limits)
	case "keys":
		return json.Marshal(s.keys(name, x.lock.held()))
	}
	k, ok := s.get(name, a.Key)
	if !ok {
		return nil, nil
	}
	if _, may := x.lock.enter(k.group); !may {
		return nil, groupDenied(k.group)
	}
	if a.Op == "delete" {
		s.delete(name, a.Key)
		return []byte("true"), nil
	}
	if len(k.value) > x.limits.Text {
		return nil, mcpproxy.Errorf(mcpproxy.CodeTooLarge, nil, "%s", fmt.Sprintf("the value has %d bytes, %d are allowed", len(k.value), x.limits.Text))
	}
	return k.value, nil
}
