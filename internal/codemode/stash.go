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
// a value came from is known in that session alone.
type stashes struct {
	mu     sync.Mutex
	scopes map[string]map[string]kept
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
	values := s.scopes[name]
	for key, k := range values {
		if !now.Before(k.expires) {
			delete(values, key)
		}
	}
	return values
}

func (s *stashes) forget(flowSession string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.scopes {
		if strings.HasSuffix(name, "\x00"+flowSession) {
			delete(s.scopes, name)
		}
	}
}

// put keeps a value.
func (s *stashes) put(name, key string, k kept, l *Limits) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	values := s.live(name, time.Now())
	old, known := values[key]
	total := len(k.value)
	for other, v := range values {
		if other != key {
			total += len(v.value)
		}
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
	case total > l.StashTotal:
		return mcpproxy.Errorf(mcpproxy.CodeTooLarge, nil, "the stash would hold %d bytes, %d are allowed: delete some", total, l.StashTotal)
	}
	if values == nil {
		if len(s.scopes) >= maxScopes {
			return mcpproxy.Errorf(mcpproxy.CodeTooLarge, nil, "too many sessions keep something: try again later")
		}
		if s.scopes == nil {
			s.scopes = map[string]map[string]kept{}
		}
		values = map[string]kept{}
		s.scopes[name] = values
	}
	values[key] = k
	return nil
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
	delete(s.live(name, time.Now()), key)
}

// keys are the names of the values that a group may read, in order.
func (s *stashes) keys(name, group string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []string{}
	for key, k := range s.live(name, time.Now()) {
		if k.group == "" || group == "" || k.group == group {
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
		return nil, s.put(name, a.Key, kept{a.Value, x.lock.held(), time.Now().Add(ttl)}, x.limits)
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
