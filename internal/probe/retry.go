package probe

import (
	"encoding/json"
	"fmt"
	"slices"

	"mcpproxy/internal/wire"
)

const helpRetry = "Make a call with the same arguments give an answer of the same kind: clients repeat calls whose answer was lost. Keep what a call changes out of tools that read, or take a key that tells a repetition from a new order."

// maxRetried is how many tools T4 calls.
const maxRetried = 3

// testRetry calls tools twice with equal arguments, and compares what comes back
// in structure, code and status. The lists of resources show side effects.
func testRetry(r *runner, out *Result) {
	tools := r.callable(maxRetried)
	if len(tools) == 0 {
		out.skip(r.noTool())
		return
	}
	before, listed := r.resourceList()
	for _, t := range tools {
		args, _ := json.Marshal(schemaOf(t.schema).arguments(nil)) // made of JSON
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
				fmt.Sprintf("%s answers with HTTP status %d, then with %d", shown(t.name), first.Status, second.Status),
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
		}
	}
	if after, again := r.resourceList(); listed && again && !slices.Equal(before, after) {
		out.fail("calls of tools that should only read changed the list of resources")
	}
}

// resourceList are the URIs that the server lists now; ok is false when it lists none.
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
