package shell

import (
	"slices"
	"strings"
)

// anybody is the endpoint of a program that waits for connections: anybody who connects to its port gets what it
// sends.
var anybody = Endpoint{Kind: "listener", Value: "whoever connects to this machine"}

// control stands for the control of this machine in the data of a [Send]: the other side can run code or type
// commands here.
var control = Source{Kind: Output, Name: "sh"}

// nearby reports whether only this machine can connect to a listening address: 127.0.0.1, localhost:8080, [::1]:80,
// or the path of a socket.
func nearby(address string) bool {
	host := authority(address)
	return strings.HasPrefix(address, "/") || host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
}

// listensBy reports whether one of the flags makes the program wait for connections.
func (d *doing) listensBy(args []value) bool {
	return slices.ContainsFunc(args, func(a value) bool {
		if d.row.flags[a.text] == listen {
			return true
		}
		if !strings.HasPrefix(a.text, "-") || strings.HasPrefix(a.text, "--") {
			return false
		}
		for _, letter := range a.text[1:] { // -lvp
			if r, ok := d.row.flags["-"+string(letter)]; ok {
				return r == listen
			}
		}
		return false
	})
}

// bound records an address on which the program listens.
func (d *doing) bound(address string) {
	if nearby(address) {
		d.closed = true
	} else {
		d.listens = true
	}
}

// site records an address at which the program serves a folder.
func (d *doing) site(address string) {
	if d.bound(address); d.listens {
		d.hand(d.m.open(literal("."), value{}))
	}
}

// listening records the endpoint of a program that waits for connections.
func (d *doing) listening() {
	if d.listens && !d.closed {
		d.to = append(d.to, anybody)
	}
}

// foreign records that code by another author runs here. The author then controls what this machine sends.
func (m *machine) foreign(code []Source) {
	for _, s := range code {
		if s.Kind != remote {
			continue
		}
		to := Endpoint{Kind: "host", Value: s.Name}
		for e := range m.asked {
			if e.Value == s.Name {
				to = e
			}
		}
		if !to.Configured {
			m.send(Send{By: "sh", To: to, Data: []Source{control}})
		}
	}
}
