// Package egress provides a forward proxy that limits which hosts a server that mcpproxy started can reach.
//
// A [Proxy] serves one MCP server. It accepts CONNECT for tunnels, and plain HTTP requests with an absolute http URL.
// The server finds the proxy by the environment variables of [Environment]. Package upstream blocks every other way to
// the network where the system allows it.
//
// Guarantees for a server with a list of hosts:
//
//   - A connection is made only to a host and a port that the list names. A host without a port stands for ports 80
//     and 443.
//   - The proxy resolves the name itself and connects to the address that it has checked. A name that leads to this
//     machine, to a private network, to the local link or to a cloud's metadata is refused, unless the list names the
//     address as well.
//   - If a client speaks TLS in a tunnel, its ClientHello must name the host of the tunnel. On port 443 a client must
//     speak TLS. The proxy reads the ClientHello and forwards it unchanged.
//   - When the list is replaced, the proxy closes the connections that the new list does not allow.
//   - The proxy serves only clients that send its secret.
//
// [Proxy.Through] puts another proxy, such as that of a company, between this one and the hosts. The other proxy
// resolves the names then, so the second guarantee holds only for names that this machine can resolve, at the time
// of the request.
//
// The proxy does not decrypt TLS. A host on the list that serves many customers, such as a content delivery network or
// a code host, can pass data on to others.
package egress
