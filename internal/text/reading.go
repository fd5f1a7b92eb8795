package text

// Limits of the decoded text. A document that would exceed them is marked as truncated.
const (
	maxDepth    = 3        // nested encodings
	viewsFactor = 8        // bytes of views for each byte of the document
	viewsExtra  = 64 << 10 // bytes of views in addition
)

// Views returns the views of every part: the part itself, its decoded forms, and texts that continue from one part to
// the next. Strings that are completely JSON are read through their own parts. The list is computed once; the cost is
// linear in the size of the document.
func (d *Document) Views() []*View {
	if d.views != nil {
		return d.views
	}
	r := viewBuilder{d: d, left: viewsFactor*d.Bytes + viewsExtra}
	plain := make([]View, len(d.Parts))
	d.views = make([]*View, 0, len(d.Parts)+len(d.Parts)/4)
	for i := range d.Parts {
		if d.Parts[i].opened {
			continue
		}
		v := &plain[i]
		v.Part, v.Text = i, d.Parts[i].Text
		d.views = append(d.views, v)
		r.undo(v)
	}
	for _, v := range d.seams() {
		d.views = append(d.views, v)
		r.undo(v)
	}
	for _, v := range d.encoded() {
		r.addAll(v, decodeRuns(v))
	}
	return d.views
}

// Truncated reports whether there was more encoded text than the limits allow.
func (d *Document) Truncated() bool { return d.truncated }

// viewBuilder decodes one document.
type viewBuilder struct {
	d    *Document
	left int // bytes of views that may still be added
}

// undo adds the decoded forms of v, recursively.
func (r *viewBuilder) undo(v *View) {
	if len(v.Text) < 2 {
		return
	}
	if !isASCII(v.Text) || hasEscapeCode(v.Text) {
		r.addAll(v, hiddenText(v))
		if n := normalView(v); n != v && r.keep(n, v) {
			v = n
		}
	}
	if v.depth >= maxDepth {
		return
	}
	decoded, others, mirrored := undone(v)
	r.addAll(v, decoded)
	for _, more := range others {
		r.addAll(v, more)
	}
	r.addAll(v, mirrored)
}

// undone returns the result of each decoder for v. For a long text, reversal and rot13, which take as long as the
// rest, run concurrently.
func undone(v *View) (decoded []*View, others [4][]*View, mirrored []*View) {
	if len(v.Text) < longText {
		decoded := decodeRuns(v)
		return decoded, undoneElse(v), unmirror(v, func() []*View { return decoded })
	}
	var found struct { // shared by both
		decoded []*View
		others  [4][]*View
	}
	known := make(chan struct{})
	wait := beside(func() {
		func() {
			defer close(known)
			found.decoded = decodeRuns(v)
		}()
		found.others = undoneElse(v)
	})
	mirrored = unmirror(v, func() []*View { <-known; return found.decoded })
	wait()
	return found.decoded, found.others, mirrored
}

func undoneElse(v *View) [4][]*View {
	return [4][]*View{unescape(v), formDecode(v), unquote(v), closeUp(v)}
}

// longText is the length of a text, in bytes, from which two goroutines decode it.
const longText = 32 << 10

// beside runs do concurrently until wait is called.
func beside(do func()) (wait func()) {
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		do()
	}()
	return func() {
		if r := <-done; r != nil {
			panic(r) // in the goroutine of the caller, which can recover
		}
	}
}

// addAll adds the views that were decoded from v, and decodes them in turn.
func (r *viewBuilder) addAll(v *View, more []*View) {
	for _, next := range more {
		next.depth = v.depth + 1
		if r.keep(next, v) {
			r.undo(next)
		}
	}
}

// keep adds next, which was decoded from v, if there is room.
func (r *viewBuilder) keep(next, v *View) bool {
	if len(next.Text) > r.left {
		r.d.truncated = true
		return false
	}
	if v.How != "" {
		next.How = v.How + ", " + next.How
	}
	r.left -= len(next.Text)
	r.d.views = append(r.d.views, next)
	return true
}
