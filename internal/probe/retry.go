package probe

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/probe/raw"
	"mcpproxy/internal/wire"
)

const helpRetry = "Give answers of the same kind to calls with the same arguments, because clients repeat calls whose answer was lost. Let tools that read change nothing, and let tools that write accept a key by which they recognize a repetition."

// maxRetried is the number of tools that T4 calls.
const maxRetried = 3

// testRetry calls tools twice with equal arguments and compares the structure, code and status of
// the answers. The lists of resources show side effects.
func testRetry(r *runner, out *Result) {
	tools := r.callable(maxRetried)
	if len(tools) == 0 {
		out.skip(r.noTool())
		return
	}
	before, listed := r.resourceList()
	for _, t := range tools {
		args, _ := json.Marshal(schemaOf(t.schema).arguments(nil)) // cannot fail: made of JSON
		first := r.call(t.name, args)
		second := r.call(t.name, args)
		switch {
		case failedToAnswer(first) != "":
			out.fail(fmt.Sprintf("%s %s", shown(t.name), failedToAnswer(first)))
			out.blame(first)
		case failedToAnswer(second) != "":
			out.fail(fmt.Sprintf("%s, called again with the same arguments, %s", shown(t.name), failedToAnswer(second)))
			out.blame(second)
		case first.Status != second.Status:
			out.fail(
				fmt.Sprintf("%s answers first with HTTP status %d, then with %d", shown(t.name), first.Status, second.Status),
			)
			out.blame(second)
		case isError(first) != isError(second) || (first.Error == nil) != (second.Error == nil):
			out.fail(fmt.Sprintf("%s fails on one of two equal calls and not on the other", shown(t.name)))
			out.blame(first)
			out.blame(second)
		case shape(first) != shape(second):
			out.fail(
				fmt.Sprintf(
					"%s answers two equal calls in different structures: %s",
					shown(t.name),
					difference(shape(first), shape(second)),
				),
			)
			out.blame(second)
		case r.counts(t.name, args, first, second):
			out.fail(fmt.Sprintf("a number in the answer of %s grows by one with each equal call, so the call changes something",
				shown(t.name)))
		case !succeeded(first):
			out.note(shown(t.name) + " answers both calls with the same error")
		}
	}
	if after, again := r.resourceList(); listed && again && !slices.Equal(before, after) {
		out.fail("calls of tools that should only read changed the list of resources")
	}
}

// counts reports whether an answer contains a call counter: a number that grows by one with each of
// four equal calls, also after a pause in which a clock would advance further.
func (r *runner) counts(tool string, args json.RawMessage, first, second raw.Answer) bool {
	next := growing(numbers(first), numbers(second))
	if len(next) == 0 {
		return false
	}
	before := numbers(second)
	for n := range 2 {
		if n == 1 {
			select {
			case <-time.After(clockPause):
			case <-r.ctx.Done():
			}
		}
		after := numbers(r.call(tool, args))
		still := growing(before, after)
		next = slices.DeleteFunc(next, func(i int) bool { return !slices.Contains(still, i) })
		before = after
	}
	return len(next) > 0
}

// clockPause is long enough for a clock in milliseconds to advance visibly.
const clockPause = 30 * time.Millisecond

// growing returns the positions at which a number has grown by one. It does not compare answers
// with different numbers of values.
func growing(before, after []string) []int {
	if len(before) != len(after) {
		return nil
	}
	var out []int
	for i := range before {
		was, err1 := strconv.ParseInt(before[i], 10, 64)
		is, err2 := strconv.ParseInt(after[i], 10, 64)
		if err1 == nil && err2 == nil && is == was+1 {
			out = append(out, i)
		}
	}
	return out
}

var digits = lazyregexp.New(`\d{1,18}`)

// numbers returns the whole numbers in a call's answer, except times and the members of the
// protocol.
func numbers(a raw.Answer) []string {
	if !succeeded(a) {
		return nil
	}
	var said struct{ Content, StructuredContent json.RawMessage }
	_ = json.Unmarshal(a.Result, &said) // none: then there are no numbers
	text := string(said.Content[:min(len(said.Content), maxCompared)]) + "\n" +
		string(said.StructuredContent[:min(len(said.StructuredContent), maxCompared)])
	return digits().FindAllString(timeText().ReplaceAllString(text, "TIME"), maxNumbers)
}

// Limits of the compared part of an answer: bytes, and numbers in them.
const (
	maxCompared = 64 << 10
	maxNumbers  = 10_000
)

// resourceList returns the URIs that the server lists; ok is false if it has no list.
func (r *runner) resourceList() (uris []string, ok bool) {
	if wire.Member(r.conn.Hello, "capabilities", "resources") == nil {
		return nil, false
	}
	a := r.request("resources/list", nil)
	var list []struct{ URI string }
	if !a.OK() || json.Unmarshal(wire.Member(a.Result, "resources"), &list) != nil {
		return nil, false
	}
	for _, one := range list {
		uris = append(uris, one.URI)
	}
	slices.Sort(uris)
	return uris, true
}
