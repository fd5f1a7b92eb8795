package codemode

import "sync"

// groupLock is the strict group that an execution accessed first. Strict groups are groups of servers
// in the configuration; no data may move from one to another. After the first access, servers of
// other strict groups are refused. Servers of open groups and of no group stay available.
type groupLock struct {
	mu    sync.Mutex
	group string
}

// enter locks to group if it is a strict group and no group is locked yet. It is called before a
// call is sent, so that concurrent calls cannot enter two groups. ok says whether the group may be
// accessed; if not, locked is the group that holds the lock.
func (l *groupLock) enter(group string) (locked string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if group == "" || group == l.group {
		return l.group, true
	}
	if l.group != "" {
		return l.group, false
	}
	l.group = group
	return group, true
}

// held returns the locked group, or "".
func (l *groupLock) held() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.group
}
