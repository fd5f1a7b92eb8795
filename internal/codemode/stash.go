package codemode

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpproxy"
)

const (
	maxTTL    = 24 * time.Hour
	maxKey    = 256  // bytes
	maxScopes = 1000 // sessions with stored values
)

// stashes holds the values that scripts store for later scripts, by flow session, because only that
// session knows where a value came from. The total size over all sessions is limited, because a
// client can open any number of sessions. One principal gets at most three quarters of what the
// others leave free.
type stashes struct {
	mu     sync.Mutex
	scopes map[string]map[string]kept
	all    share
	of     map[string]share // use by principal
	swept  time.Time        // time of the last sweep
}

// share is the use of the stashes by one principal.
type share struct {
	bytes  int // bytes of all values
	scopes int
}

// fits reports whether n of a total is at most three quarters of what others leave free.
func fits(n, others, total int) bool { return 4*n <= 3*(total-others) }

// kept is one stored value. It belongs to the strict group of the execution that stored it.
// Executions of another strict group cannot read it.
type kept struct {
	value   json.RawMessage
	group   string
	expires time.Time
}

// scope returns the key of a stash: calls with the same principal and flow session share one.
func scope(principal, flowSession string) string { return principal + "\x00" + flowSession }

// stashOf returns the key of the stash that a call uses. Calls of one principal with different
// grants use different stashes, so that a script with fewer rights cannot read values of one with
// more.
func stashOf(c *mcpproxy.Call) string {
	if len(c.Grants) == 0 {
		return scope(c.Principal, c.FlowSession)
	}
	return scope(c.Principal, strings.Join(c.Grants, "\x01")+"\x00"+c.FlowSession)
}

// owner returns the principal of a scope.
func owner(scope string) string {
	principal, _, _ := strings.Cut(scope, "\x00")
	return principal
}

// count adds to the use of a scope's owner and to the total. The caller holds the lock.
func (s *stashes) count(scope string, bytes, scopes int) {
	who := owner(scope)
	own := share{s.of[who].bytes + bytes, s.of[who].scopes + scopes}
	s.all = share{s.all.bytes + bytes, s.all.scopes + scopes}
	if own == (share{}) {
		delete(s.of, who)
		return
	}
	if s.of == nil {
		s.of = map[string]share{}
	}
	s.of[who] = own
}

// live removes expired values of a scope and returns the others. The caller holds the lock.
func (s *stashes) live(name string, now time.Time) map[string]kept {
	for key, k := range s.scopes[name] {
		if !now.Before(k.expires) {
			s.drop(name, key)
		}
	}
	return s.scopes[name]
}

// drop removes a value, and an empty scope. The caller holds the lock.
func (s *stashes) drop(name, key string) {
	s.count(name, -len(s.scopes[name][key].value), 0)
	delete(s.scopes[name], key)
	if len(s.scopes[name]) == 0 {
		delete(s.scopes, name)
		s.count(name, 0, -1)
	}
}

// sweep removes expired values of all scopes, because their scripts may never return. The caller
// holds the lock.
func (s *stashes) sweep(now time.Time) {
	for name := range s.scopes {
		s.live(name, now)
	}
}

// clear removes everything.
func (s *stashes) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scopes = nil
	s.of = nil
	s.all = share{}
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

// put stores a value.
func (s *stashes) put(name, key string, k kept, l *Limits) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	values := s.live(name, now)
	old, known := values[key]
	if s.full(name, len(k.value)-len(old.value), l) &&
		now.Sub(s.swept) > time.Second { // limits the rate of sweeps
		s.sweep(now)
		s.swept = now
	}
	switch {
	case key == "" || len(key) > maxKey:
		return mcpproxy.Errorf(mcpproxy.CodeMalformed, nil, "a key of the stash has 1 to %d bytes", maxKey)
	case known && old.group != "" && old.group != k.group:
		return groupDenied(old.group)
	case len(k.value) > l.StashValue:
		return mcpproxy.Errorf(
			mcpproxy.CodeTooLarge,
			nil,
			"the value has %d bytes, %d are allowed",
			len(k.value),
			l.StashValue,
		)
	case !known && len(values) >= l.StashKeys:
		return mcpproxy.Errorf(mcpproxy.CodeTooLarge, nil, "the stash holds its %d keys: delete some", l.StashKeys)
	case s.full(name, len(k.value)-len(old.value), l):
		return s.noRoom(name, l)
	}
	if values == nil {
		if s.scopes == nil {
			s.scopes = map[string]map[string]kept{}
		}
		values = map[string]kept{}
		s.scopes[name] = values
		s.count(name, 0, 1)
	}
	s.count(name, len(k.value)-len(old.value), 0)
	values[key] = k
	return nil
}

// full reports whether a scope has no room for more bytes. The caller holds the lock.
func (s *stashes) full(name string, more int, l *Limits) bool {
	own := s.of[owner(name)]
	if more > 0 && !fits(own.bytes+more, s.all.bytes-own.bytes, l.StashTotal) {
		return true
	}
	_, known := s.scopes[name]
	return !known && !fits(own.scopes+1, s.all.scopes-own.scopes, maxScopes)
}

// noRoom returns why a value is not stored, without revealing the use of others. The caller holds
// the lock.
func (s *stashes) noRoom(name string, l *Limits) error {
	own := s.of[owner(name)]
	return mcpproxy.Errorf(mcpproxy.CodeTooLarge, nil, "there is no room in the stash: your sessions hold %d bytes in %d sessions; all together may hold %d in %d, and one client no more than three quarters of what others leave",
		own.bytes, own.scopes, l.StashTotal, maxScopes).
		Later("delete what is not needed any more, or try again later: values go when their time is over")
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

// keys returns the names of the values that an execution locked to group may read, sorted. Before
// an execution has accessed a strict group, it sees no names of strict groups: names reveal
// something too, and the execution may access another group later.
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
	return mcpproxy.Errorf(
		mcpproxy.CodeGroupDenied,
		nil,
		"the value belongs to the strict group %s, and this script has used another one",
		group,
	)
}

// stash answers a script's request to its stash. Reading or deleting a value of a strict group counts
// as accessing that group (see [groupLock]).
func (x *execution) stash(ctx context.Context, a asked) ([]byte, error) {
	s, name := &x.h.stashes, stashOf(x.call)
	switch a.Op {
	case "put":
		ttl := x.limits.StashTTL
		if a.TTL != nil {
			if *a.TTL <= 0 || *a.TTL > maxTTL.Seconds() {
				return nil, mcpproxy.Errorf(
					mcpproxy.CodeMalformed,
					nil,
					"ttl is a number of seconds, more than 0 and at most %.0f: write { ttl: seconds }",
					maxTTL.Seconds(),
				)
			}
			ttl = time.Duration(*a.TTL * float64(time.Second))
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
	if len(k.value) > x.limits.StashValue { // it was stored under other limits
		return nil, mcpproxy.Errorf(
			mcpproxy.CodeTooLarge,
			nil,
			"the value has %d bytes, %d are allowed",
			len(k.value),
			x.limits.StashValue,
		)
	}
	return k.value, nil
}
