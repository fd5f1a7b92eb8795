package gateway

// BodiesWaiting is [Bodies] with the time for which requests wait for memory.
var BodiesWaiting = bodies

// Split is split.
var Split = split

// PagesHeld returns the total size of the stored pages, in bytes.
func (g *Gateway) PagesHeld() int {
	g.pages.mu.Lock()
	defer g.pages.mu.Unlock()
	return g.pages.size
}

// KeepPages stores n results of a size. It returns the number of results that are stored then, their total size and
// the maximum size, in bytes.
func KeepPages(n, size int) (kept, held, most int) {
	var s pageStore
	for range n {
		s.keep(&heldResult{size: size})
	}
	return len(s.held), s.size, pageMemory
}

// Pages divides a text in the same way as a result.
func (g *Gateway) Pages(text string, room int) []string { return split(text, room, room, g.undivided) }
