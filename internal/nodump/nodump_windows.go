package nodump

// Set does nothing. On Windows, a process of the same user can open this process and read its memory, unless it has a
// lower integrity level; mcpproxy doctor reports this.
func Set() error { return nil }

// Show does nothing, because Set hides nothing on this system.
func Show() error { return nil }
