package shell

import (
	"strings"

	"mcpproxy/internal/locate"
)

// door is the socket of this firewall, where its owner needs no key: whoever
// writes to it can answer for a person.
const door = "mcpproxy.sock"

// restRoots begin the paths of this firewall's REST API, and of many others.
var restRoots = []string{"/api/v1/", "/orchestrator/"}

// knockers are programs that write to sockets they are told.
var knockers = words("curl wget nc ncat netcat socat http https xh xhs websocat")

// maxKnock bounds the text of one request, in bytes.
const maxKnock = 4 << 10

// knock notes a program that is told to write to the owner's socket, or to an API that
// may be this firewall's.
func (m *machine) knock(program string, args []value, in value) {
	if !knockers()[program] {
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
	if len(m.c.Knocks) == maxReads {
		return
	}
	request = request[:min(len(request), maxKnock)]
	served := locate.Served(request)
	for _, root := range restRoots {
		if strings.Contains(request, root) || strings.Contains(served, root) {
			m.c.Knocks = append(m.c.Knocks, request)
			return
		}
	}
}
