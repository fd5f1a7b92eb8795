package shell

import "strings"

// door is the socket of this firewall, where its owner needs no key: whoever
// writes to it can answer for a person.
const door = "mcpproxy.sock"

// restRoot begins the paths of this firewall's REST API, and of many others.
const restRoot = "/api/v1/"

// knockers are programs that write to sockets they are told.
var knockers = words("curl wget nc ncat netcat socat http https xh xhs websocat")

// maxKnock bounds the text of one request, in bytes.
const maxKnock = 4 << 10

// knock notes a program that is told to write to the owner's socket, or to an API that
// may be this firewall's.
func (m *machine) knock(program string, args []value, in value) {
	if !knockers[program] {
		return
	}
	asked := joined(args).text
	if strings.Contains(asked, door) {
		m.c.Decides = program + " " + door
	}
	m.rest(asked + " " + in.text[:min(len(in.text), maxKnock)])
}

// rest notes a request for an API.
func (m *machine) rest(request string) {
	if strings.Contains(request, restRoot) && len(m.c.Knocks) < maxReads {
		m.c.Knocks = append(m.c.Knocks, request[:min(len(request), maxKnock)])
	}
}
