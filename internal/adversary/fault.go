package adversary

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Fault is a way to violate the protocol, or to overload a client.
type Fault struct {
	Kind string `yaml:"kind"` // one of faults; "" for a correct server
	Size int    `yaml:"size"` // depending on Kind: bytes, tools, pages, levels, milliseconds or calls; -1 means unlimited
}

// The kinds of faults in lists, calls and results.
const (
	longDescription = "long_description" // the description of a tool has Size bytes
	manyTools       = "many_tools"       // the server has Size tools
	sameName        = "same_name"        // Size tools have the same name
	manyPages       = "many_pages"       // the list of tools has Size pages
	slow            = "slow"             // the server answers a call after Size milliseconds; -1 means never
	crash           = "crash"            // the server ends on its Size-th call
	longResult      = "long_result"      // a result has a text of Size bytes
	deepResult      = "deep_result"      // a result is nested Size levels deep
	notUTF8         = "not_utf8"         // a result is not valid UTF-8
	notJSON         = "not_json"         // a result is not valid JSON
	doubleKey       = "double_key"       // a result has a key twice
	otherID         = "other_id"         // the answer has the id of another request
	resultAndError  = "result_and_error" // the answer is both a result and an error
)

// faults lists all kinds.
var faults = []string{
	"",
	longDescription,
	manyTools,
	sameName,
	manyPages,
	slow,
	crash,
	longResult,
	deepResult,
	notUTF8,
	notJSON,
	doubleKey,
	otherID,
	resultAndError,
}

// tools applies the fault to a list of tools.
func (m Fault) tools(list []json.RawMessage) []json.RawMessage {
	if len(list) == 0 {
		return list
	}
	first := list[0]
	switch m.Kind {
	case longDescription:
		const words = "This sentence says once more what was said before. "
		long := strings.Repeat(words, m.Size/len(words)+1)[:m.Size]
		return append([]json.RawMessage{with(first, "description", long)}, list[1:]...)
	case manyTools:
		list = nil
		for i := range m.Size {
			list = append(list, with(with(first, "name", fmt.Sprintf("%s_%d", name(first), i)),
				"description", fmt.Sprintf("Reads sensor number %d of the weather station.", i)))
		}
	case sameName:
		for i := 1; i < m.Size; i++ {
			list = append(list, with(first, "description", fmt.Sprintf("Reads from archive number %d.", i)))
		}
	}
	return list
}

// with returns an object with one member replaced.
func with(o json.RawMessage, name string, value any) json.RawMessage {
	all := members(o)
	for i := range all {
		if all[i].name == name {
			all[i].value = encode(value)
			return object(all)
		}
	}
	return object(append(all, member{name, encode(value)}))
}

// page returns one page of a list of tools. If Size is negative, the list never ends.
func (m Fault) page(list []json.RawMessage, cursor int) json.RawMessage {
	result := []member{{"tools", encode(emptyFor(list))}}
	if m.Kind == manyPages {
		if cursor > 0 {
			result[0].value = json.RawMessage("[]")
		}
		if m.Size < 0 || cursor+1 < m.Size {
			result = append(result, member{"nextCursor", encode(fmt.Sprint(cursor + 1))})
		}
	}
	return object(result)
}

// emptyFor returns an empty list for nil, and any other list unchanged.
func emptyFor(list []json.RawMessage) []json.RawMessage {
	if list == nil {
		return []json.RawMessage{}
	}
	return list
}

// call applies the fault to the correct answer to the n-th tool call, counted from 1.
func (m Fault) call(id, result json.RawMessage, n int) Reply {
	r := Reply{Messages: [][]byte{message(id, "result", result)}}
	switch m.Kind {
	case slow:
		r.Delay, r.Hang = time.Duration(max(m.Size, 0))*time.Millisecond, m.Size < 0
	case crash:
		r.Crash = n == m.Size
	case longResult:
		r.Messages[0] = message(id, "result", encode(textResult(strings.Repeat("all is well. ", m.Size/13+1)[:m.Size])))
	case deepResult:
		deep := strings.Repeat(`{"a":`, m.Size) + "1" + strings.Repeat("}", m.Size)
		r.Messages[0] = message(id, "result", json.RawMessage(`{"content":[],"structuredContent":`+deep+`}`))
	case notUTF8:
		r.Messages[0] = message(
			id,
			"result",
			json.RawMessage("{\"content\":[{\"type\":\"text\",\"text\":\"caf\xe9\"}]}"),
		)
	case notJSON:
		r.Messages[0] = bytes.TrimSuffix(r.Messages[0], []byte("}"))
	case doubleKey:
		r.Messages[0] = message(
			id,
			"result",
			json.RawMessage(`{"content":[],"content":[{"type":"text","text":"other"}]}`),
		)
	case otherID:
		r.Messages[0] = message(json.RawMessage("987654321"), "result", result)
	case resultAndError:
		r.Messages[0] = message(id, "result", append(bytes.Clone(result), `,"error":{"code":1,"message":"both"}`...))
	}
	return r
}
