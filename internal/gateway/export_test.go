package gateway

// BodiesWaiting is [Bodies] for requests that wait a given time for memory.
var BodiesWaiting = bodies

// Split is split.
var Split = split

// PagesHeld returns how many bytes of pages are kept.
func (g *Gateway) PagesHeld() int {
	g.pages.mu.Lock()
	defer g.pages.mu.Unlock()
	return g.pages.size
}

// KeepPages keeps n results of a size, and returns how many are kept then, how many bytes these are and may be.
func KeepPages(n, size int) (kept, held, most int) {
	var s pageStore
	for range n {
		s.keep(&heldResult{size: size})
	}
	return len(s.held), s.size, pageMemory
}

// Pages divides a text as a result is divided.
func (g *Gateway) Pages(text string, room int) []string { return split(text, room, room, g.undivided) }
