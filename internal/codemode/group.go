package codemode

import "sync"

// groupLock is the strict group that an execution has touched first. From then on
// no other strict group is open to it; servers of open groups and of none are.
type groupLock struct {
	mu    sync.Mutex
	group string
}

// enter locks to group, if it is one and none is locked to yet. It happens before
// anything is sent, so that calls side by side cannot enter two. Otherwise ok says
// whether the group may be touched, and locked which one holds.
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

// held is the group that is locked to; "" while there is none.
func (l *groupLock) held() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.group
}
