// Package egress lets a server that mcpproxy started reach the network by a forward proxy on this machine, with a list
// of the hosts that the server may reach.
//
// A [Proxy] belongs to one server. It speaks HTTP as forward proxies do: CONNECT for a tunnel, and requests with a
// whole http address. The server finds it by [Environment]. Package upstream sees to it that the server has no other
// way.
//
// What the package guarantees, for a server with a list:
//
//   - A connection is made only to a host and a port that the list names. A host without a port stands for ports 80
//     and 443.
//   - The proxy resolves the name itself and connects to the address that it has checked. A name that leads to this
//     machine, to a private network, to the local link or to a cloud's metadata is refused, unless the list names the
//     address as well.
//   - In a tunnel to a host, the first message of TLS must name that host, and on port 443 there must be such a
//     message. The proxy reads it and changes nothing.
//   - When the list is replaced, connections that it does not allow are ended.
//   - Only who shows the proxy's secret is served.
//
// The proxy does not see what is inside TLS. A host on the list that serves others too, such as a content network or a
// code host, can pass data on.
package egress
