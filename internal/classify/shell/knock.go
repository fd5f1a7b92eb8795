package shell

import (
	"strings"

	"mcpproxy/internal/locate"
)

// ownerSocket is the file name of the daemon's socket. Requests on the socket need no key and count as the owner's. A
// command that writes to it can therefore decide in the owner's name.
const ownerSocket = "mcpproxy.sock"

// restRoots are the path prefixes of mcpproxy's API and of its MCP endpoints. Many other programs use them too.
var restRoots = []string{"/api/v1/", "/orchestrator/", "/mcp"}

// knockers lists programs that send requests to a socket or a URL in their arguments.
var knockers = words("curl wget nc ncat netcat socat http https xh xhs websocat")

// maxKnock is the maximum length of the recorded text of one request, in bytes.
const maxKnock = 4 << 10

// knock records a program that sends a request to the owner's socket, or to an API that may be mcpproxy's.
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

// rest records a request for an API.
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
