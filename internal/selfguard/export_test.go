package selfguard

// PathOf returns the path of o that a name may stand for.
func PathOf(o Protected, name string) string { return New(o).path(name, "", changes) }
