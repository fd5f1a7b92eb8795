package nodump

// Set does nothing. On Windows a process of the same user may open this one and read its memory, unless that has less
// integrity; mcpproxy doctor says so.
func Set() error { return nil }

// Show does nothing: this system hides nothing.
func Show() error { return nil }
