package upstream

// CloseIdleConnections lets the shared pool go, so that nothing of it is taken
// for a leak.
func CloseIdleConnections() { httpTransport.CloseIdleConnections() }
