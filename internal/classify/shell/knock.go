package shell

import (
	"strings"

	"mcpproxy/internal/locate"
)

// ownerSocket is the file name of the daemon's socket, on which the owner needs no key.
// Whoever writes to it can make decisions in the owner's name.
const ownerSocket = "mcpproxy.sock"

// restRoots begin the paths of this firewall's API and of its MCP endpoints, and of many
// others.
var restRoots = []string{"/api/v1/", "/orchestrator/", "/mcp"}

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
	if strings.Contains(asked, ownerSocket) {
		m.c.Decides = program + " " + ownerSocket
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
