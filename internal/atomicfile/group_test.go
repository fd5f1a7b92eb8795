package atomicfile

import "testing"

func TestAGroupIsTheUsersOwnIfNobodyElseIsInIt(t *testing.T) {
	const users = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nben:x:1001:100::/home/ben:/bin/sh\ncat:x:1002:100::/:/bin/sh\n"
	for name, c := range map[string]struct {
		groups   string
		uid, gid int
		want     bool
	}{
		"hers alone":                        {"ann:x:1000:\n", 1000, 1000, true},
		"she is its member too":             {"ann:x:1000:ann\n", 1000, 1000, true},
		"another member":                    {"ann:x:1000:ben\n", 1000, 1000, false},
		"another member beside her":         {"ann:x:1000:ann,ben\n", 1000, 1000, false},
		"another member in a second line":   {"ann:x:1000:\nann:x:1000:ben\n", 1000, 1000, false},
		"not her primary group":             {"docker:x:99:ann\n", 1000, 99, false},
		"another's primary group":           {"ann:x:1000:\n", 1001, 1000, false},
		"the primary group of two":          {"users:x:100:\n", 1001, 100, false},
		"a group that is not in the file":   {"", 1000, 1000, false},
		"a user who is not in the file":     {"zoe:x:2000:\n", 2000, 2000, false},
		"lines that are broken":             {"ann:x\n:::\n\nann:x:1000:\n", 1000, 1000, true},
		"a group of which a line is broken": {"ann:x:1000\n", 1000, 1000, false},
	} {
		if got := isOwnGroup([]byte(users), []byte(c.groups), c.uid, c.gid); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// FuzzOwnGroup reads arbitrary files. A group that is also another user's primary group never counts as a user's own
// group.
func FuzzOwnGroup(f *testing.F) {
	f.Add([]byte("ann:x:1000:1000::/:/bin/sh\n"), []byte("ann:x:1000:\n"))
	f.Add([]byte("a:b"), []byte("::::"))
	f.Fuzz(func(t *testing.T, users, groups []byte) {
		isOwnGroup(users, groups, 1000, 1000)
		if isOwnGroup(append([]byte("other:x:77:1000:::\n"), users...), groups, 1000, 1000) {
			t.Error("the group of two users is one's own")
		}
	})
}
